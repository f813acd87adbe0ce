// Package dashboard serves a merchant's pages: payments, credits, keys and webhooks. Packages
// settings, team, campaign and security serve where money settles and how the
// checkout looks, the members, links and campaigns, and the user's own sign-in.
//
// One file holds one page, named as in views/dashboard. A form handler has five
// steps: session.ReadForm, validate, call the service, and redirect with a notice
// or show the page again with the refusal beside its input.
package dashboard

import (
	"time"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/graph/operation"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/refund"
	"github.com/florinpay/florin/internal/store/report"
	"github.com/florinpay/florin/internal/webhook"
	"github.com/florinpay/florin/views/onboarding"
	"github.com/florinpay/florin/web/live"
	"github.com/florinpay/florin/web/present"
	"github.com/florinpay/florin/web/session"
)

// Services are what the surface uses.
type Services struct {
	*session.Guard

	Payments   *payment.Service
	Operations *operation.Operations
	Refunds    *refund.Service
	Reports    *report.Reader
	// Export finds the pages of an export.
	Export    FindPage
	Webhooks  *webhook.Sender // sends tests
	Resends   webhook.Resends
	Presenter *present.Presenter
	Hub       *live.Hub
	NewID     func(time.Time) payment.ID
	// NewKeys is what a user's first key starts with.
	NewKeys operation.NewKeys
	// Dust is the value below which a deposit waits for more to come.
	Dust money.Micros
	// SetUp returns the form that sets up the principal's shop; nil where no form is needed.
	SetUp func(echo.Context, session.Principal) (*onboarding.Card, error)
	// Console: the documentation has a query console.
	Console bool
}

// Surface serves merchants.
type Surface struct{ Services }

// New returns the surface.
func New(s Services) *Surface { return &Surface{s} }

// now is the time in the zone of the merchant.
func (d *Surface) now(who session.Principal) time.Time { return d.Shell.Now().In(who.Zone()) }
