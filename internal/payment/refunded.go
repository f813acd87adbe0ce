package payment

import (
	"slices"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
)

// Refunded is what refunds take of one asset of a payment. Whether that counted follows from which deposits count, and
// changes with them: a payer may choose another token, a deposit may vanish, and the owner may accept what came.
type Refunded struct {
	Network       chain.Network
	Contract      chain.Address
	Arrived, Open money.Units // paid back, and to be paid back
}

// refunded returns what refunds have taken of the money that counts and of the rest, with what open ones will take if
// open is true. Of an asset of which not all counts they take what counts first, so that it pays for nothing; what is
// paid for stays so, and of a completed payment they take the rest first.
func (p Payment) refunded(open bool) (counts, other money.Atto) {
	for _, r := range p.Refunded {
		taken := r.Arrived
		if open {
			taken = taken.Add(r.Open)
		}
		asset, counted, rest := p.came(r)
		if p.Status == Completed {
			rest = taken.Min(rest)
			counted = taken.Sub(rest).Min(counted)
		} else {
			counted = taken.Min(counted)
			rest = taken.Sub(counted).Min(rest)
		}
		counts, other = counts.Add(asset.Worth(counted)), other.Add(asset.Worth(rest))
	}
	return counts, other
}

// came returns the final money of the asset that counts, and the rest of it.
func (p Payment) came(r Refunded) (asset chain.Asset, counted, rest money.Units) {
	for _, d := range p.Deposits {
		t := d.Transfer
		switch {
		case d.State != DepositFinal || t.Network != r.Network || t.Asset.Contract != r.Contract:
			continue
		case p.Counts(d):
			counted = counted.Add(t.Units)
		default:
			rest = rest.Add(t.Units)
		}
		asset = t.Asset
	}
	return asset, counted, rest
}

// Returned is what of the money that counts was paid back.
func (p Payment) Returned() money.Micros {
	counts, _ := p.refunded(false)
	return counts.Micros()
}

// Refunding reports whether money is still to be paid back.
func (p Payment) Refunding() bool {
	return slices.ContainsFunc(p.Refunded, func(r Refunded) bool { return !r.Open.IsZero() })
}

// PaidBack is what was paid back of all that came.
func (p Payment) PaidBack() money.Micros {
	counts, other := p.refunded(false)
	return counts.Add(other).Micros()
}

// Left returns the final money that counts and was not paid back.
func (p Payment) Left() money.Atto { return p.left(false) }

// free returns what is left without what open refunds are to pay back: it may pay for something.
func (p Payment) free() money.Atto { return p.left(true) }

func (p Payment) left(open bool) money.Atto {
	returned, _ := p.refunded(open)
	left := p.Received().Sub(returned)
	if !returned.IsZero() && left.Micros() < leastExcess { // refunds are of whole micros
		return money.Atto{}
	}
	return left
}
