package app

import (
	"context"
	"crypto/rand"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/config"
	"github.com/florinpay/florin/internal/mail"
	"github.com/florinpay/florin/internal/mail/smtp"
	"github.com/florinpay/florin/internal/notification"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/settlement"
	"github.com/florinpay/florin/internal/webhook"
	"github.com/florinpay/florin/web"
	"github.com/florinpay/florin/web/dashboard"
	"github.com/florinpay/florin/web/settle"
)

// dashboard returns the dependencies of the merchants' and operators' pages.
func (a *App) dashboard(o Options) *web.Dashboard {
	return &web.Dashboard{
		Reports: a.Store.Reports(), Webhooks: a.sender(), LastCheck: a.Store.LedgerCheck,
		Resends: dashboard.Resends{One: a.Store.Resend, Failed: a.Store.ResendFailed},
		Wake:    a.deliver.Wake, Ledger: a.checker, Sweeping: a.networks.Sweeping, Endpoints: a.networks.endpoints,
		Reading: a.networks.Reading, Alerts: a.alertSources().Observe,
		Settle: settle.Schedules{
			Policy:   a.sweepPolicy,
			Balances: a.Store.Settlement().DepositBalances, Schedule: a.Store.Settlement().Schedule,
			Reschedule: a.Store.Settlement().Reschedule,
		},
		Dust:   a.Config.SweepDust,
		Invite: a.Config.Signup == config.SignupInvite,
		Mail:   a.mailer(o),
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

// owners returns what mails the owners of a merchant, in the background.
func (a *App) owners(o Options) func(ctx context.Context, merchant int64, subject, text string) {
	return notification.New(notification.Options{
		Users: a.Users, Merchants: a.Merchants, Send: a.mailer(o), Home: a.Config.BaseURL + "/dashboard", Log: a.log,
	}).SendOwners
}

// mailer returns the function that sends mails; nil if none are sent. Mails hold
// secrets, so only the sandbox logs them when there is no mail server.
func (a *App) mailer(o Options) func(ctx context.Context, to, subject, text string) error {
	if !a.Config.SMTPURL.Empty() {
		server, err := smtp.New(a.Config.SMTPURL, a.Config.MailFrom)
		if err != nil {
			a.log.Error("mails are not sent", "error", err)
			return nil
		}
		return func(ctx context.Context, to, subject, text string) error {
			return server.Send(ctx, mail.Mail{
				ID: rand.Text(), To: to, Subject: subject, Text: secret.New(text), At: a.clock.Now(),
			})
		}
	}
	if o.Sandbox == nil {
		return nil
	}
	return func(_ context.Context, to, subject, text string) error {
		a.log.Warn("a mail, shown here because no mail server is set", "to", to, "subject", subject, "text", text)
		return nil
	}
}

func (a *App) sender() *webhook.Sender {
	return webhook.NewSender(webhook.Options{
		AllowPrivate: a.Config.AllowPrivateCallbacks, Hosts: a.Config.CallbackHosts, Now: a.clock.Now,
		Certificate: a.certificates.Note,
	})
}
