package operation

import (
	"context"
	"time"

	"github.com/florinpay/florin/internal/account"
)

// Audits keeps what was done to accounts.
type Audits interface {
	AddAudit(ctx context.Context, a account.Audit) error
}

// viaAPI is who acts when all that is known is the key.
const viaAPI = "API key"

// auditTime bounds how long writing a line may take.
const auditTime = 5 * time.Second

// audit writes a line about an act with the key into the log of its owner.
func (o *Operations) audit(ctx context.Context, key account.Key, action account.Action, subject, detail string) {
	o.auditBy(ctx, key.UserID, viaAPI, action, subject, detail)
}

// auditBy writes a line into the log of an account. The act has happened, so a
// failure is logged and no more, and a caller who has gone does not stop it.
func (o *Operations) auditBy(ctx context.Context, accountID int64, actor string, action account.Action, subject, detail string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), auditTime)
	defer cancel()
	err := o.d.Audits.AddAudit(ctx, account.Audit{
		UserID: accountID, At: o.d.Now(), Actor: actor, Action: action, Subject: subject, Detail: detail, Address: CallOf(ctx).Client,
	})
	if err != nil {
		o.d.Log.ErrorContext(ctx, "an act is not in the audit log", "action", string(action), "error", err)
	}
}

// named is how a key's owner knows it.
func named(key account.Key) string {
	if key.Label != "" {
		return key.Label
	}
	return key.PublicID
}
