package table

import (
	"context"
	"encoding/json"
	"time"

	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/store/db"
)

// WaitingRow is a change that waits.
type WaitingRow struct {
	merchant.Waiting

	Sealed string // Body
	Lines  string // Changes, as JSON
}

var _ = db.NewTable[WaitingRow]("waiting_changes", `
	read: public_id=ID merchant_id key_id kind subject body=Sealed changes=Lines actor=By created_at due_at attempts`)

// Open returns the change without its input, which only the loop that makes it opens.
func (r WaitingRow) Open() (merchant.Waiting, error) {
	err := json.Unmarshal([]byte(r.Lines), &r.Changes)
	return r.Waiting, db.Wrap(err, "read the change %s", r.ID)
}

// StopChanges stops the waiting changes that the condition selects, in the transaction of what ends them, and mails the
// owners why.
func StopChanges(
	ctx context.Context, t db.Tx, sealer *secret.Sealer, now time.Time, why, where string, args ...any,
) error {
	rows, err := db.All[WaitingRow](ctx, t, "UPDATE waiting_changes SET state = 'STOPPED', ended_at = ? WHERE state = 'WAITING' AND "+where+
		" RETURNING public_id, merchant_id, kind, changes, actor", append([]any{now}, args...)...)
	if err != nil {
		return err
	}
	for _, r := range rows {
		w, err := r.Open()
		if err != nil {
			return err
		}
		stopped := w.Stopped(now, why)
		if err := db.RunEach(ctx, t, InsertAudit(stopped.Entries, AuditFields{})); err != nil {
			return err
		}
		if err := AddMails(ctx, t, sealer, stopped.Mails); err != nil {
			return err
		}
	}
	return nil
}
