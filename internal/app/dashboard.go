package app

import (
	"github.com/florinpay/florin/internal/config"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/webhook"
	"github.com/florinpay/florin/web"
)

// dashboard is what the pages of merchants and operators need. The keys of
// their cookies derive from FLORIN_SECRET_KEY, so every instance reads them.
func (a *App) dashboard(o Options, sealer *secret.Sealer) *web.Dashboard {
	return &web.Dashboard{
		Members: a.Accounts, Reports: a.Store, Pings: a.sender(), Nudge: a.deliver.Nudge, Sweeping: a.lanes.Sweeping,
		AuthKey: sealer.Derive("cookie authentication v1"), SealKey: sealer.Derive("cookie encryption v1"),
		Invite: a.Config.Signup == config.SignupInvite,
	}
}

func (a *App) sender() *webhook.Sender {
	return webhook.NewSender(webhook.Options{AllowPrivate: a.Config.AllowPrivateCallbacks, Now: Now})
}
