package table

import (
	"context"
	"database/sql"
	"encoding/json"
	"time"

	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/store/db"
)

// WaitingRow is a change that waits.
type WaitingRow struct {
	merchant.Waiting

	Of     sql.NullInt64 // KeyID
	Sealed string        // Body
	Lines  string        // Changes, as JSON
}

// Waiting are changes that wait.
var Waiting = db.NewTable[WaitingRow]("waiting_changes", `
	fixed:   public_id=ID token merchant_id key_id=Of kind subject body=Sealed changes=Lines author_id actor=By
	         created_at due_at
	changes: next_at attempts state ended_at`)

// Open returns the change without its input, which only the loop that makes it opens.
func (r WaitingRow) Open() (merchant.Waiting, error) {
	r.KeyID = r.Of.Int64
	err := json.Unmarshal([]byte(r.Lines), &r.Changes)
	return r.Waiting, db.Wrap(err, "read the change %s", r.ID)
}

// StopChanges stops the waiting changes that the condition selects, in the transaction of what ends them, and mails the
// owners why.
func StopChanges(
	ctx context.Context, t db.Tx, sealer *secret.Sealer, now time.Time, why, where string, args ...any,
) error {
	rows, err := db.All[WaitingRow](ctx, t, `UPDATE waiting_changes SET state = 'STOPPED', ended_at = ? WHERE state = 'WAITING' AND `+where+`
		RETURNING public_id, merchant_id, kind, changes, actor`, append([]any{now}, args...)...)
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
