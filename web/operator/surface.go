// Package operator serves the operator's pages: the state of the installation,
// users and keys, settlement, top-ups and stuck work.
package operator

import (
	"context"
	"time"

	"github.com/florinpay/florin/internal/alert"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/exchange"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"

	"github.com/florinpay/florin/internal/settlement"
	"github.com/florinpay/florin/internal/store/report"
	"github.com/florinpay/florin/web/present"
	"github.com/florinpay/florin/web/session"
	"github.com/florinpay/florin/web/shell"
)

// Services are what the surface uses.
type Services struct {
	*session.Guard

	Payments  *payment.Service
	Presenter *present.Presenter
	Reports   *report.Reader
	// LastCheck returns the last check of the ledger; false if there was none.
	LastCheck func(context.Context) (ledger.Check, bool, error)
	// Ledger checks the ledger in the background; nil offers no check.
	Ledger *ledger.Checker
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
	// Dust is the value below which a deposit costs more to settle than it is
	// worth.
	Dust    money.Micros
	Version string
	// Invite lets operators invite users.
	Invite bool
}

// Surface serves operators.
type Surface struct{ Services }

// New returns the surface.
func New(s Services) *Surface { return &Surface{s} }

// Routes adds the operator's pages.
func (d *Surface) Routes(r shell.Router) {
	g := r.With(d.Shell.OwnForms).Renders(session.Failure)
	get := func(path string, h session.Handler) { g.GET(path, d.Guard.Operator(h)) }
	post := func(path string, h session.Handler) { g.POST(path, d.Guard.Operator(d.Guard.Once(h))) }

	get(operatorPath, d.getInstallation)
	post(operatorPath+"/ledger", d.postLedgerCheck)
	get(usersPath, d.getUsers)
	post(operatorPath+"/invite", d.postInvite)
	get(usersPath+"/:user", d.getUser)
	post(usersPath+"/:user/disable", d.postUserDisabled(true))
	post(usersPath+"/:user/enable", d.postUserDisabled(false))
	post(usersPath+"/:user/reset-link", d.postResetLink)
	post(usersPath+"/:user/reset-factor", d.postRecovery(resetFactors))
	post(usersPath+"/:user/end-sessions", d.postRecovery(endSessions))
	post(usersPath+"/:user/keys/:key/disable", d.postKeyDisabled(true))
	post(usersPath+"/:user/keys/:key/enable", d.postKeyDisabled(false))
	post(usersPath+"/:user/keys/:key/grant", d.postGrant)
	get(topUpsPath, d.getTopUps)
	get(sweepsPath, d.getSweeps)
	get(problemsPath, d.getProblems)
}
