package table

import (
	"context"
	"encoding/json"
	"time"

	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/store/db"
)

// StopChanges stops the waiting changes that the condition selects, in the transaction of what ends them, and mails the
// owners why.
func StopChanges(
	ctx context.Context, t db.Tx, sealer *secret.Sealer, now time.Time, why, where string, args ...any,
) error {
	var rows []struct {
		PublicID   string
		MerchantID int64
		Kind       string
		Changes    string
		Actor      string
	}
	err := t.NewRaw("UPDATE waiting_changes SET state = 'STOPPED', ended_at = ? WHERE state = 'WAITING' AND "+where+
		" RETURNING public_id, merchant_id, kind, changes, actor", append([]any{db.At(now)}, args...)...).Scan(ctx, &rows)
	if err != nil {
		return err
	}
	for _, r := range rows {
		w := merchant.Waiting{
			ID: r.PublicID, MerchantID: r.MerchantID, Kind: merchant.WaitingKind(r.Kind), By: r.Actor,
		}
		if err := json.Unmarshal([]byte(r.Changes), &w.Changes); err != nil {
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
