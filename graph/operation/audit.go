package operation

import (
	"context"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/merchant"
)

// viaAPI is the actor of requests authenticated by an API key only.
const viaAPI = "API key"

// entry records, for the key's owner, an act with the key.
func (o *Operations) entry(
	ctx context.Context, key merchant.Key, action audit.Action, subject, detail string,
) audit.Entry {
	return o.entryBy(ctx, key.UserID, viaAPI, action, subject, detail)
}

// entryBy records what the actor does on the account, which is 0 where the act
// itself makes or finds it.
func (o *Operations) entryBy(
	ctx context.Context, accountID int64, actor string, action audit.Action, subject, detail string,
) audit.Entry {
	return audit.Entry{
		UserID: accountID, At: o.d.Now(), Actor: actor, Action: action, Subject: subject,
		Detail: detail, Address: CallOf(ctx).Client,
	}
}

// named returns the name by which a key's owner knows it.
func named(key merchant.Key) string {
	if key.Label != "" {
		return key.Label
	}
	return key.PublicID
}
