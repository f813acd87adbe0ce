package report

import (
	"context"
	"math"
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
	if before <= 0 {
		before = math.MaxInt64
	}
	list, err := db.All[Entry](ctx, r.db.Reader(), `
		SELECT * FROM (SELECT id, ref, unit, -count AS count, reason, at FROM ledger_entries WHERE from_account = ?0
			AND id < ?1 AND from_account <> 'issued' AND from_account <> 'spent' ORDER BY id DESC LIMIT ?2) AS taken
		UNION ALL
		SELECT * FROM (SELECT id, ref, unit, count, reason, at FROM ledger_entries WHERE to_account = ?0
			AND id < ?1 AND to_account <> 'issued' AND to_account <> 'spent' ORDER BY id DESC LIMIT ?2) AS given
		ORDER BY id DESC LIMIT ?2`, string(ledger.Key(keyID)), before, limit)
	return list, db.Wrap(err, "ledger entries of key %d", keyID)
}
