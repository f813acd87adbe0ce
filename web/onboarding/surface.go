// Package onboarding takes a new merchant from signing up to the first payment: one
// form, a payment link with its code, and a payment of a dollar to try it.
package onboarding

import (
	"github.com/florinpay/florin/graph/operation"
	"github.com/florinpay/florin/internal/campaign"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/web/present"
	"github.com/florinpay/florin/web/session"
	"github.com/florinpay/florin/web/shell"
)

// Addresses of pages.
const (
	startPath = "/dashboard/start"
	readyPath = startPath + "/ready"
)

// Services are what the surface uses.
type Services struct {
	*session.Guard

	Payments  *payment.Service
	Campaigns *campaign.Service
	Presenter *present.Presenter
	// NewKeys is what a user's first key starts with.
	NewKeys operation.NewKeys
}

// Surface serves merchants on their first day.
type Surface struct{ Services }

// New returns the surface.
func New(s Services) *Surface { return &Surface{s} }

// Routes adds the pages of the first day.
func (s *Surface) Routes(r shell.Router) {
	p := s.Pages(r)
	p.Get(startPath, merchant.ActMoney, s.getStart)
	p.Form(startPath, merchant.ActMoney, s.postStart)
	p.Get(readyPath, merchant.ActPay, s.getReady)
	p.Post(startPath+"/dollar", merchant.ActPay, s.postDollar)
}
