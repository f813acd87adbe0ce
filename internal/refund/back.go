package refund

import (
	"context"

	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
)

// Back is what of a payment's money goes back to its payer, in micro-dollars, by how far it is.
type Back struct {
	Arrived money.Micros // it is at the payer's address
	Sent    money.Micros // the merchant's wallet was asked to send it
	Ready   money.Micros // the merchant has still to send it
	Asked   money.Micros // the payer has still to say where to
	// Unit is the token of all of it; USD where there are several.
	Unit string
	// All: nothing of what has come is left.
	All bool
}

// None reports whether nothing goes back.
func (b Back) None() bool { return b.Arrived+b.Open() == 0 }

// Open is what has not arrived yet.
func (b Back) Open() money.Micros { return b.Sent + b.Ready + b.Asked }

// Rest is what of the excess is not to be paid back.
func (b Back) Rest(excess money.Micros) money.Micros { return max(excess-b.Open(), 0) }

// Back sums up the refunds of the payment.
func (a Account) Back() (b Back) {
	for _, r := range a.Refunds {
		worth := r.Asset.Worth(r.Units).Micros()
		switch {
		case r.Status == Cancelled:
			continue
		case r.Status == Final:
			b.Arrived += worth
		case !r.AskedAt.IsZero():
			b.Sent += worth
		case r.Status == AddressGiven:
			b.Ready += worth
		default:
			b.Asked += worth
		}
		if b.Unit == "" {
			b.Unit = r.Asset.Symbol
		} else if b.Unit != r.Asset.Symbol {
			b.Unit = "USD"
		}
	}
	b.All = b.Arrived > 0 && a.Payment.Arrived().Micros() < leastOffer
	return b
}

// Back sums up what of a payment goes back; nothing before the payment has ended.
func (s *Service) Back(ctx context.Context, p payment.Payment) (Back, error) {
	if !p.Status.Final() || len(p.Deposits) == 0 {
		return Back{}, nil
	}
	list, err := s.d.Store.RefundsOf(ctx, p.ID)
	return Account{p, list}.Back(), err
}
