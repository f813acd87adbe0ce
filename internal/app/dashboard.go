package app

import (
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/config"
	"github.com/florinpay/florin/internal/settlement"
	"github.com/florinpay/florin/internal/webhook"
	"github.com/florinpay/florin/web"
)

// dashboard returns the dependencies of the merchants' and operators' pages.
func (a *App) dashboard() *web.Dashboard {
	return &web.Dashboard{
		Reports: a.Store.Reports(), Webhooks: a.sender(), LastCheck: a.Store.LedgerCheck,
		Resends: webhook.Resends{
			One: a.Store.Resend, Failed: a.Store.ResendFailed, Parked: a.Store.StopParked, Wake: a.deliver.Wake,
		},
		Ledger: a.checker, Sweeping: a.networks.Sweeping, Endpoints: a.networks.endpoints,
		Reading: a.networks.Reading, Alerts: a.alertSources().Observe, Rates: a.rates.Report,
		Settle: settlement.Schedules{
			Policy:   a.sweepPolicy,
			Balances: a.Store.Settlement().DepositBalances, Stored: a.Store.Settlement().Schedule,
			Update: a.Store.Settlement().UpdateSchedule,
		},
		Dust:   a.Config.SweepDust,
		Invite: a.Config.Signup == config.SignupInvite,
		Mails:  a.writer.Enabled(),
	}
}

// sweepPolicy returns the policy of a network's sweeps, at today's price of gas where it is known.
func (a *App) sweepPolicy(n chain.Network) settlement.Policy {
	p := sweepPolicy(a.Config, n)
	if st, ok := a.networks.Sweeping(n); ok {
		p.Cost = st.Cost
	}
	return p
}

func (a *App) sender() *webhook.Sender {
	return webhook.NewSender(webhook.Options{
		AllowPrivate: a.Config.AllowPrivateCallbacks, Hosts: a.Config.CallbackHosts, Now: a.clock.Now,
		Certificate: a.certificates.Note,
	})
}
