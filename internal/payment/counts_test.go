package payment_test

import (
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
)

// TestObserve_PaidBy: a completed payment names what completed it, whatever else came before or in the same
// transaction.
func TestObserve_PaidBy(t *testing.T) {
	t.Parallel()
	p := startedAnyWay(t)
	to := p.Routes[0].Address.Address
	p = observe(t, p, view(chain.Polygon, 1, 5, 5, paidTo(to, usdtPolygon, "4000000", 3, "part")), t0).Payment
	twin := paidTo(to, bridged, "6000000", 7, "rest")
	twin.Ordinal = 1
	p = observe(t, p, view(chain.Polygon, 6, 9, 9, paidTo(to, usdcPolygon, "6000000", 7, "rest"), twin), t0).Payment
	if p.Status != payment.Completed || p.Choice != (payment.Choice{Network: chain.Polygon, Token: money.USDC}) {
		t.Errorf("%s by %v", p.Status, p.Choice)
	}
}

// TestObserve_FinalAt: a deposit is final from when it was first known to be, also when its block is finalized later.
func TestObserve_FinalAt(t *testing.T) {
	t.Parallel()
	came := transfer(usdcPolygon, "4000000", 4, "a", "x")
	v := view(chain.Polygon, 1, 5, 5, came)
	v.Finalized.Number = 3
	p := observe(t, started(t, "10"), v, t0).Payment
	if d := p.Deposits[0]; d.State != payment.DepositFinal || d.Rechecked || !d.FinalAt.Equal(t0) {
		t.Fatalf("at first %+v", d)
	}
	p = observe(t, p, view(chain.Polygon, 1, 6, 6, came), t0.Add(time.Minute)).Payment
	if d := p.Deposits[0]; !d.Rechecked || !d.FinalAt.Equal(t0) {
		t.Errorf("once finalized %+v", d)
	}
}

// TestPayment_Due: a payer is asked for what is missing, and never for nothing.
func TestPayment_Due(t *testing.T) {
	t.Parallel()
	for units, want := range map[string]money.Micros{
		"0": 10 * money.USD, "4000000": 6 * money.USD, "10000000": 10 * money.USD, "12000000": 10 * money.USD,
	} {
		v := view(chain.Polygon, 1, 9, 1, transfer(usdcPolygon, units, 9, "a", "x"))
		if got := observe(t, started(t, "10"), v, t0).Payment.Due(); got != want {
			t.Errorf("after %s units %s are due, want %s", units, got, want)
		}
	}
}

// TestPayment_Recorded: what is recorded for an address in an asset is compared with its balance, swept or not.
func TestPayment_Recorded(t *testing.T) {
	t.Parallel()
	one := transfer(usdcPolygon, "4000000", 3, "a", "x")
	p := observe(t, started(t, "10"), view(chain.Polygon, 1, 9, 1, one, transfer(usdtPolygon, "1", 4, "a", "y"),
		transfer(usdcPolygon, "2000000", 9, "a", "z")), t0).Payment
	units := money.UnitsFromUint64
	wantRecorded := func(name string, a chain.Asset, to chain.Address, want uint64) {
		t.Helper()
		if got := p.Recorded(a, to); got.Cmp(units(want)) != 0 {
			t.Errorf("%s: %s recorded, want %d", name, got, want)
		}
	}
	wantRecorded("of both", usdcPolygon, one.To, 6_000_000)
	wantRecorded("of the other token", usdtPolygon, one.To, 1)
	wantRecorded("of another address", usdcPolygon, "0x1", 0)
	wantRecorded("of another network", chain.Asset{Network: chain.Base, Contract: usdcPolygon.Contract}, one.To, 0)
	p = observe(t, p, view(chain.Polygon, 1, 9, 1, one, transfer(usdtPolygon, "1", 4, "a", "y")), t0).Payment
	wantRecorded("after one vanished", usdcPolygon, one.To, 4_000_000)
	for more, want := range map[uint64]bool{0: false, 1: true} {
		if got := p.Unexplained(usdcPolygon, one.To, units(more)); got != want {
			t.Errorf("%d units more are unexplained: %v", more, got)
		}
	}
}

// TestTopUp_Counts: every listed token at an address of a top-up counts, on every EVM network, and nothing else.
func TestTopUp_Counts(t *testing.T) {
	t.Parallel()
	p := topUpOf(t, "10")
	to := p.Routes[0].Address.Address
	solana := chain.Asset{Network: chain.Solana, Contract: "mint", Symbol: "USDC", Decimals: 6, Token: money.USDC}
	for name, c := range map[string]struct {
		transfer chain.Transfer
		want     bool
	}{
		"Chosen":       {paidTo(to, usdcPolygon, "1", 3, "x"), true},
		"OtherNetwork": {paidTo(to, usdtBSC, "1", 3, "x"), true},
		"Bridged":      {paidTo(to, bridged, "1", 3, "x"), false},
		"NotEVM":       {paidTo(to, solana, "1", 3, "x"), false},
		"OtherAddress": {paidTo("0x1", usdcPolygon, "1", 3, "x"), false},
	} {
		if got := p.Counts(payment.Deposit{Transfer: c.transfer, State: payment.DepositFinal}); got != c.want {
			t.Errorf("%s: counts %v", name, got)
		}
	}
}

// TestObserve_Rewritten: whatever the chain says anew of a recorded deposit is stored.
func TestObserve_Rewritten(t *testing.T) {
	t.Parallel()
	came := transfer(usdcPolygon, "4000000", 8, "a", "x")
	p := observe(t, started(t, "10"), view(chain.Polygon, 1, 9, 1, came), t0).Payment
	for name, change := range map[string]func(*chain.Transfer){
		"Block":  func(n *chain.Transfer) { n.Block.Number++ },
		"Hash":   func(n *chain.Transfer) { n.Block.Hash = "b8" },
		"Time":   func(n *chain.Transfer) { n.Block.Time = n.Block.Time.Add(time.Second) },
		"Units":  func(n *chain.Transfer) { n.Units = money.UnitsFromUint64(5) },
		"Sender": func(n *chain.Transfer) { n.From = "0x2" },
		"Asset":  func(n *chain.Transfer) { n.Asset.Decimals = 7 },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			other := came
			change(&other)
			c := observe(t, p, view(chain.Polygon, 1, 9, 1, other), t0)
			if len(c.Deposits) != 1 || c.Deposits[0].Transfer.Block != other.Block ||
				c.Deposits[0].Transfer.Units.Cmp(other.Units) != 0 || c.Deposits[0].Transfer.From != other.From ||
				c.Deposits[0].Transfer.Asset != other.Asset {
				t.Errorf("stored %+v, want %+v", c.Deposits, other)
			}
		})
	}
}
