// Package dashboard serves a merchant's pages: payments, keys and credits, where
// money settles, webhooks and the team. Packages campaign and security serve the
// pages of links and campaigns, and of the user's own sign-in.
//
// One file holds one page, named as in views/dashboard. A form handler has five
// steps: session.ReadForm, validate, call the service, and redirect with a notice
// or show the page again with the refusal beside its input.
package dashboard

import (
	"context"
	"time"

	"github.com/florinpay/florin/graph/operation"
	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store/report"
	"github.com/florinpay/florin/internal/webhook"
	"github.com/florinpay/florin/web/checkout"
	"github.com/florinpay/florin/web/live"
	"github.com/florinpay/florin/web/session"
)

// Store is what the pages read and write without a service.
type Store interface {
	// PutLogo replaces the logo of a key's custodian; an empty logo removes it.
	PutLogo(ctx context.Context, keyID int64, l merchant.Logo, now time.Time, trail ...audit.Entry) error
	// Logo returns the logo with the hash, or fault.NotFound.
	Logo(ctx context.Context, hash string) (merchant.Logo, error)
	Resend(ctx context.Context, keys []int64, id int64, now time.Time, trail ...audit.Entry) error
	ResendFailed(ctx context.Context, keyID int64, since, now time.Time, trail ...audit.Entry) (int64, error)
}

// PaymentList lists the payments of an export. A test stands in a million of them.
type PaymentList interface {
	SearchPayments(ctx context.Context, q report.Query) ([]payment.Payment, error)
}

// Services are what the surface uses.
type Services struct {
	*session.Guard

	Payments   *payment.Service
	Operations *operation.Operations
	Store      Store
	Reports    *report.Reader
	Export     PaymentList
	Webhooks   *webhook.Sender // sends tests
	Presenter  *checkout.Presenter
	Hub        *live.Hub
	// Wake says that webhooks are due; may be nil.
	Wake  func()
	NewID func(time.Time) payment.ID
	// NewKeys is what a new key starts with.
	NewKeys operation.NewKeys
	// Console: the documentation has a query console.
	Console bool
}

// Surface serves merchants.
type Surface struct {
	Services

	decoding chan struct{} // held while a picture is decoded
}

// New returns the surface.
func New(s Services) *Surface { return &Surface{Services: s, decoding: make(chan struct{}, 1)} }
