package report

import (
	"context"
	"time"

	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/store/db"
)

// Entry is a ledger entry of a key: Count is negative for what was spent.
type Entry struct {
	ID     int64
	Ref    string
	Unit   ledger.Unit
	Count  int64
	Reason ledger.Reason
	At     time.Time
}

// Entries lists the ledger entries of a key before the entry given (0: from the newest),
// the newest first.
func (r *Reader) Entries(ctx context.Context, keyID, before int64, limit int) ([]Entry, error) {
	own, page, args := string(ledger.Key(keyID)), "", []any{}
	if before > 0 {
		page, args = " AND id < ?", []any{before}
	}
	half := func(side, sign string) string {
		return `SELECT * FROM (SELECT id, ref, unit, ` + sign + `count AS count, reason, at FROM ledger_entries WHERE ` + side + ` = ?` + page + `
			AND ` + side + ` <> 'issued' AND ` + side + ` <> 'spent' ORDER BY id DESC LIMIT ?) AS ` + side
	}
	args = append(append([]any{own}, args...), limit)
	list, err := db.All[Entry](ctx, r.db.Reader(), half("from_account", "-")+" UNION ALL "+half("to_account", "")+
		" ORDER BY id DESC LIMIT ?", append(append(append([]any{}, args...), args...), limit)...)
	return list, db.Wrap(err, "ledger entries of key %d", keyID)
}
