package payment

import "context"

// DonationInput asks for a payment that carries a campaign.
type DonationInput struct {
	// ID makes a repeated request the same payment; empty for a fresh one.
	ID         ID
	KeyID      int64
	CampaignID int64  // the campaign's number
	Amount     string // as it stood in the request (money.ParseMicros)
	Choice     Choice
	Details    Details
	Near       string // the neighbourhood of the request; empty: not known
	Keep       Keep   // keeps the answer of the request; may be nil
}

// OpenDonation creates a payment and starts it in one transaction, so that a
// refused start leaves no payment. It fails like Create and Start.
func (s *Service) OpenDonation(ctx context.Context, in DonationInput) (Payment, error) {
	amount, err := s.amount(in.Amount)
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
	opened := New(Request{
		ID: in.ID, KeyID: in.KeyID, Kind: KindDonation, Amount: amount, ValidFor: s.opts.TTL, CampaignID: in.CampaignID,
		Terms: termsOf(custodian), Details: in.Details,
	}, now)
	// A repeated request finds its payment.
	if known, err := s.store.Payment(ctx, in.ID); err == nil {
		return s.From(in.Near).Keeping(in.Keep).start(ctx, in.Choice, func() (Payment, error) { return known, nil })
	}
	taken, err := s.offered(ctx, opened.Payment, in.Choice)
	if err != nil {
		return Payment{}, err
	}
	s = s.From(in.Near)
	p, err := s.begin(ctx, opened.Payment, func() (Payment, error) {
		return s.store.OpenPayment(ctx, opened, func(p Payment) (Change, error) {
			route, err := taken.route(p, in.Choice)
			if err != nil {
				return Change{}, err
			}
			c, err := s.first(p, in.Choice, route)
			return c.keeping(in.Keep, err)
		})
	})
	s.started(ctx, in.KeyID, err)
	return p, err
}
