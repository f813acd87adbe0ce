package web

import (
	"context"
	"time"

	"github.com/florinpay/florin/internal/alert"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/exchange"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/settlement"
	"github.com/florinpay/florin/internal/store/report"
	"github.com/florinpay/florin/internal/webhook"
	"github.com/florinpay/florin/web/campaign"
	"github.com/florinpay/florin/web/dashboard"
	"github.com/florinpay/florin/web/onboarding"
	"github.com/florinpay/florin/web/operator"
	"github.com/florinpay/florin/web/security"
	"github.com/florinpay/florin/web/session"
	"github.com/florinpay/florin/web/settings"
	"github.com/florinpay/florin/web/settle"
	"github.com/florinpay/florin/web/shell"
	"github.com/florinpay/florin/web/signin"
	"github.com/florinpay/florin/web/team"
)

// Dashboard is what the pages of merchants and operators need beyond Deps.
type Dashboard struct {
	Reports *report.Reader
	// Export finds the pages of an export; nil means Reports.ExportPayments.
	Export   dashboard.FindPage
	Webhooks *webhook.Sender // sends tests
	Resends  webhook.Resends
	// Ledger checks the ledger in the background; nil offers no check.
	Ledger *ledger.Checker
	// LastCheck returns the last check of the ledger; false if there was none.
	LastCheck func(context.Context) (ledger.Check, bool, error)
	Mails     bool // mail is sent
	// Sweeping returns the state of settlement on a network; false if nothing is
	// settled there. May be nil.
	Sweeping func(chain.Network) (settlement.Status, bool)
	// Endpoints returns the state of a network's endpoints. May be nil.
	Endpoints func(chain.Network) []chain.EndpointHealth
	// Reading returns what reading a network costs. May be nil.
	Reading func(chain.Network) (chain.CallReport, bool)
	// Rates returns what is known of the rates of currencies. May be nil.
	Rates func() exchange.Report
	// Alerts returns what needs an operator at a moment.
	Alerts func(ctx context.Context, now time.Time) (alert.Observation, error)
	// Settle is when money is settled; without a policy there is no page of it.
	Settle settlement.Schedules
	// Dust is the value below which a deposit costs more to settle than it is
	// worth.
	Dust money.Micros
	// Invite lets invited users sign up even if Options.SignUp is off.
	Invite bool
}

// dashboardRoutes adds the surfaces of signed-in users, and that of signing in.
func (s *Server) dashboardRoutes(r shell.Router) {
	if s.d.Dashboard == nil {
		return
	}
	x := *s.d.Dashboard
	s.health.endpoints = x.Endpoints
	if x.Export == nil {
		x.Export = x.Reports.ExportPayments
	}
	guard := &session.Guard{
		Shell: s.sh, Cookies: shell.NewCookies(s.d.Sealer, s.sh.Secure(), s.d.Now),
		Users: s.d.Users, Merchants: s.d.Merchants, Mails: x.Mails,
	}
	s.docs.Account = docsAccounts{guard, s.o.SandboxKey}.of
	signin.New(signin.Services{Guard: guard, SignUp: s.o.SignUp, Invite: x.Invite, NewKeys: s.o.NewKeys}).Routes(r)
	operator.New(operator.Services{
		Guard: guard, Presenter: s.presenter, Payments: s.d.Payments, LastCheck: x.LastCheck,
		Reports: x.Reports, Ledger: x.Ledger, Sweeping: x.Sweeping, Reading: x.Reading,
		Endpoints: x.Endpoints, Alerts: x.Alerts, Rates: x.Rates, Dust: x.Dust, Version: s.o.Version, Invite: x.Invite,
	}).Routes(r)
	security.New(guard).Routes(r)
	team.New(guard).Routes(r)
	settings.New(settings.Services{Guard: guard, Payments: s.d.Payments}).Routes(r)
	if x.Settle.Policy != nil {
		settle.New(settle.Services{Guard: guard, Payments: s.d.Payments, Schedules: x.Settle}).Routes(r)
	}
	first := onboarding.New(onboarding.Services{
		Guard: guard, Payments: s.d.Payments, Campaigns: s.d.Campaigns, Presenter: s.presenter, NewKeys: s.o.NewKeys,
	})
	first.Routes(r)
	campaign.New(campaign.Services{
		Guard: guard, Campaigns: s.d.Campaigns, Operations: s.ops, Presenter: s.presenter,
	}).Routes(r)
	own := dashboard.New(dashboard.Services{
		Guard: guard, Payments: s.d.Payments, Operations: s.ops, Refunds: s.d.Refunds,
		Reports: x.Reports, Export: x.Export, Webhooks: x.Webhooks, Resends: x.Resends,
		NewID: s.d.NewID, NewKeys: s.o.NewKeys, SetUp: first.SetUp, Dust: x.Dust,
		Presenter: s.presenter, Hub: s.hub, Console: s.o.GraphQL.Introspection,
	})
	guard.Needs = own.Needs
	own.Routes(r)
}
