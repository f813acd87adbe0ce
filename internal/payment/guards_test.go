package payment_test

import (
	"testing"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/payment"
)

// TestPayment_CountsAtItsAddress: money on the network of a route, in a token that counts there, is no money for the
// payment at another address.
func TestPayment_CountsAtItsAddress(t *testing.T) {
	t.Parallel()
	p := started(t, "10")
	d := payment.Deposit{Transfer: transfer(usdcPolygon, "10000000", 2, "a", "x"), State: payment.DepositFinal}
	if !p.Counts(d) {
		t.Fatal("money at the address does not count")
	}
	d.Transfer.To = "0x00000000000000000000000000000000000000EE"
	if p.Counts(d) {
		t.Error("money at another address counts")
	}
}

// TestObserve_VanishedRoute: money on another network that a fork took back adds no route, for which the payment would
// wait.
func TestObserve_VanishedRoute(t *testing.T) {
	t.Parallel()
	p := startedAnyWay(t)
	to := p.Routes[0].Address.Address
	p.Deposits = []payment.Deposit{{
		Transfer: paidTo(to, usdtBSC, "4000000000000000000", 3, "gone"), State: payment.DepositVanished, SeenAt: t0,
	}}
	c := observe(t, p, view(chain.Polygon, 1, 5, 5, paidTo(to, usdcPolygon, "1000000", 3, "part")), t0)
	if len(c.Payment.Routes) != 1 {
		t.Errorf("routes %+v", c.Payment.Routes)
	}
}

// TestFold_AboveFinal: a transfer is folded once its block is final and finalized, whichever comes later.
func TestFold_AboveFinal(t *testing.T) {
	t.Parallel()
	p := started(t, "10")
	p = observe(t, p, view(chain.Polygon, 1, 1, 1, specks(p, 1, payment.FoldFrom, 1)...), t0).Payment
	for name, final := range map[string][2]uint64{"Final": {4, 9}, "Finalized": {9, 4}} {
		v := view(chain.Polygon, 2, 9, 9, specks(p, 5, 3, 1)...)
		v.Final.Number, v.Finalized.Number = final[0], final[1]
		if c := observe(t, p, v, t0); !c.None() {
			t.Errorf("%s is below the block, and folded: %+v", name, c.Deposits)
		}
	}
}

// TestFold_MissedByPart: a view that ends below what a folded deposit holds, or begins above it, shows a part of it,
// and adds nothing, whatever that part holds.
func TestFold_MissedByPart(t *testing.T) {
	t.Parallel()
	p := started(t, "10")
	p = observe(t, p, view(chain.Polygon, 1, 1, 1, specks(p, 1, payment.FoldFrom, 1)...), t0).Payment
	for b := uint64(2); b <= 5; b++ {
		p = observe(t, p, view(chain.Polygon, b, b, b, specks(p, b, 3, 1)...), t0).Payment
	}
	more := specks(p, 3, 50, 1) // another endpoint shows more in it
	for _, part := range [][2]uint64{{1, 4}, {3, 5}} {
		if c := observe(t, p, view(chain.Polygon, part[0], part[1], 5, more...), t0); !c.None() {
			t.Errorf("blocks %v add %+v", part, c.Deposits)
		}
	}
	if c := observe(t, p, view(chain.Polygon, 1, 5, 5, more...), t0); c.None() {
		t.Error("what was missed is not added when the view shows all blocks")
	}
}

// TestFold_MissedBefore: what was left out of blocks before the first one that was folded is held from its own block
// on. A sweep between the two took it along.
func TestFold_MissedBefore(t *testing.T) {
	t.Parallel()
	p := started(t, "10")
	p = observe(t, p, view(chain.Polygon, 1, 1, 1, specks(p, 1, payment.FoldFrom, 1)...), t0).Payment
	early, late := specks(p, 2, 10, 1), specks(p, 4, 20, 1)
	p = observe(t, p, view(chain.Polygon, 4, 4, 4, late...), t0).Payment
	p = observe(t, p, view(chain.Polygon, 2, 4, 4, append(late, early...)...), t0).Payment
	got := p.Deposits[len(p.Deposits)-1]
	if got.Count != 30 || got.Through != 4 || !got.Transfer.Block.Same(early[0].Block) ||
		got.Transfer.ID() != late[0].ID() {
		t.Errorf("the folded deposit is %+v, want one of blocks 2 to 4", got)
	}
}
