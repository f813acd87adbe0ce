package operation

import (
	"context"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/merchant"
)

// viaAPI is who acts when all that is known is the key.
const viaAPI = "API key"

// noting returns the context for an act that leaves these lines in the audit
// log. They are written with the act, in its transaction.
func noting(ctx context.Context, lines ...audit.Entry) context.Context {
	return audit.WithLines(ctx, lines...)
}

// line says in the log of the key's owner what is done with the key.
func (o *Operations) line(ctx context.Context, key merchant.Key, action audit.Action, subject, detail string) audit.Entry {
	return o.lineBy(ctx, key.UserID, viaAPI, action, subject, detail)
}

// lineBy says in the log of an account what the actor does. The account is 0
// where the act itself makes it or finds it.
func (o *Operations) lineBy(ctx context.Context, accountID int64, actor string, action audit.Action, subject, detail string) audit.Entry {
	return audit.Entry{
		UserID: accountID, At: o.d.Now(), Actor: actor, Action: action, Subject: subject, Detail: detail, Address: CallOf(ctx).Client,
	}
}

// named is how a key's owner knows it.
func named(key merchant.Key) string {
	if key.Label != "" {
		return key.Label
	}
	return key.PublicID
}
