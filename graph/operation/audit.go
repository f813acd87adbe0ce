package operation

import (
	"context"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/merchant"
)

// act is who sends the request: the key, for its owner, or the user who signs in or is signed in.
func (o *Operations) act(ctx context.Context, account int64, who string) audit.Act {
	call := CallOf(ctx)
	return audit.Act{
		Who: who, Account: account, At: o.d.Now(), Address: call.Client, Agent: call.UserAgent, Session: call.Bearer,
	}
}

// by is the key that sends the request, which acts for its owner.
func (o *Operations) by(ctx context.Context, key merchant.Key) audit.Act {
	act := o.act(ctx, key.UserID, audit.ViaAPI)
	act.Key = named(key)
	return act
}

// named returns the name by which a key's owner knows it.
func named(key merchant.Key) string {
	if key.Label != "" {
		return key.Label
	}
	return key.PublicID
}
