package payment

import (
	"context"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/exchange"
)

// DonationInput asks for a payment that carries a campaign.
type DonationInput struct {
	// ID makes a repeated request the same payment; empty for a fresh one.
	ID         ID
	KeyID      int64
	CampaignID int64         // the campaign's number
	Amount     string        // as it stood in the request (money.ParseMicros)
	Price      exchange.Text // instead of Amount, in another currency
	Choice     Choice
	Details    Details
}

// OpenDonation creates a payment and starts it in one transaction, so that a
// refused start leaves no payment. It fails like Create and Start.
func (s *Service) OpenDonation(ctx context.Context, in DonationInput, act audit.Act) (Payment, error) {
	amount, sum, err := s.asked(in.Amount, in.Price)
	if err != nil {
		return Payment{}, err
	}
	if in.Details, _, err = in.Details.Mended(); err != nil {
		return Payment{}, err
	}
	custodian, err := s.custodians.Custodian(ctx, in.KeyID)
	if err != nil {
		return Payment{}, err
	}
	now := s.now()
	if in.ID == "" {
		in.ID = s.newID(now)
	}
	// A repeated request finds its payment, with the rate that it has.
	if known, err := s.store.Payment(ctx, in.ID); err == nil {
		return s.start(ctx, in.Choice, act, func() (Payment, error) { return known, nil })
	}
	var price exchange.Price
	if !sum.None() {
		if amount, price, err = s.priced(ctx, sum, custodian.Pricing); err != nil {
			return Payment{}, err
		}
	}
	opened := New(Request{
		ID: in.ID, KeyID: in.KeyID, Kind: KindDonation, Amount: amount, Price: price, ValidFor: s.opts.TTL,
		CampaignID: in.CampaignID, Terms: termsOf(custodian), Details: in.Details,
	}, now)
	taken, err := s.offered(ctx, opened.Payment, in.Choice)
	if err != nil {
		return Payment{}, err
	}
	p, err := s.begin(ctx, opened.Payment, act.Near, func() (Payment, error) {
		return s.store.OpenPayment(ctx, opened, func(p Payment) (Change, error) {
			route, err := taken.route(p, in.Choice)
			if err != nil {
				return Change{}, err
			}
			return s.first(p, in.Choice, route, act)
		})
	})
	s.started(ctx, in.KeyID, err)
	return p, err
}
