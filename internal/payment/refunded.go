package payment

import (
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
// open is true. Of an asset of which not all counts they take what counts first.
func (p Payment) refunded(open bool) (counts, other money.Atto) {
	for _, r := range p.Refunded {
		taken, counted, asset := r.Arrived, money.Units{}, chain.Asset{}
		if open {
			taken = taken.Add(r.Open)
		}
		for _, d := range p.Deposits {
			t := d.Transfer
			if t.Network != r.Network || t.Asset.Contract != r.Contract {
				continue
			}
			if asset = t.Asset; d.State == DepositFinal && p.Counts(d) {
				counted = counted.Add(t.Units)
			}
		}
		if taken.Cmp(counted) < 0 {
			counted = taken
		}
		counts, other = counts.Add(asset.Worth(counted)), other.Add(asset.Worth(taken.Sub(counted)))
	}
	return counts, other
}

// Returned is what of the money that counts was paid back.
func (p Payment) Returned() money.Micros {
	counts, _ := p.refunded(false)
	return counts.Micros()
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
