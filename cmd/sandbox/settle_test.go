package main

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/app"
	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/evm"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/settlement"
	"github.com/florinpay/florin/internal/testkit"
)

// TestSettle: a hundred payments on three networks are swept, the ledger agrees with the chains, and the
// settlement wallets hold exactly the sum of the deposits more than before.
func TestSettle(t *testing.T) {
	t.Parallel()
	r := start(t, t.TempDir())
	readers, ledgers := r.ledgers(t)
	want := make(map[holding]money.Units)
	var all []payment.Payment
	for i := range 100 {
		p := r.create(t, fmt.Sprintf("%d.%02d", 5+i/10, 7*i%100))
		by := choice(string(ledgers[i%3].Profile.Network), []string{"USDT", "USDC"}[i%2])
		p, err := r.App.Payments.Start(t.Context(), string(p.ID), by, audit.Act{})
		testkit.Must(t, err)
		// The demo wallet has funds already, for query units.
		for _, asset := range ledgers[i%3].Profile.Assets {
			at := holding{asset, p.Routes[0].Settlement}
			if _, known := want[at]; !known {
				want[at] = readHolding(t, readers, at)
			}
		}
		r.payWith(t, p, "exactly")
		all = append(all, p)
	}
	testkit.Until(t, 2*patience, "all payments are swept", func() bool { return r.swept(t, all) })
	came := make(map[holding]bool)
	for _, p := range all {
		p, err := r.App.Payments.Get(t.Context(), string(p.ID))
		testkit.Must(t, err)
		for _, d := range p.Deposits {
			at := holding{d.Transfer.Asset, p.Routes[0].Settlement}
			want[at] = want[at].Add(d.Transfer.Units)
			came[at] = true
		}
	}
	if len(came) != 6 {
		t.Errorf("money came in %d assets, want two on each of three networks", len(came))
	}
	for at, want := range want {
		if got := readHolding(t, readers, at); got.Cmp(want) != 0 {
			t.Errorf("the settlement wallet on %s holds %s of %s, want %s", at.asset.Network, got, at.asset.Symbol, want)
		}
	}
	r.reconcile(t, ledgers, len(all))
}

// holding is an asset in a settlement wallet.
type holding struct {
	asset  chain.Asset
	wallet chain.Address
}

// readHolding returns the balance of a holding on the chain.
func readHolding(t *testing.T, readers map[chain.Network]*evm.Adapter, at holding) money.Units {
	t.Helper()
	reader := readers[at.asset.Network]
	heads, err := reader.Heads(t.Context())
	testkit.Must(t, err)
	got, err := reader.Balances(t.Context(), at.asset, []chain.Address{at.wallet}, heads.Latest)
	testkit.Must(t, err)
	return got[0]
}

// reconcile compares the recorded deposits of all addresses with the chains.
func (r *running) reconcile(t *testing.T, ledgers []settlement.ReconciledNetwork, addresses int) {
	t.Helper()
	done := 0
	differences, err := settlement.Reconciler{
		Records: r.App.Store.Settlement(), Networks: ledgers,
		Since: app.Now().Add(-time.Hour), Progress: func(n int) { done = n },
		Wait: func(context.Context) error { time.Sleep(time.Second); return nil },
	}.Run(t.Context())
	if err != nil || done != addresses {
		t.Fatalf("%d of %d addresses are reconciled: %v", done, addresses, err)
	}
	for _, d := range differences {
		t.Errorf("difference: %s", d)
	}
}

// ledgers returns adapters of the sandbox's EVM chains, by network and as the networks to reconcile.
func (r *running) ledgers(t *testing.T) (map[chain.Network]*evm.Adapter, []settlement.ReconciledNetwork) {
	t.Helper()
	readers := make(map[chain.Network]*evm.Adapter)
	var ledgers []settlement.ReconciledNetwork
	for _, n := range r.App.Config.Networks {
		if !n.Profile.Network.EVM() {
			continue
		}
		a, err := evm.New(evm.Config{Profile: n.Profile, Endpoints: []string{r.Chain(n.Profile.Network).URL()}})
		testkit.Must(t, err)
		readers[n.Profile.Network] = a
		ledgers = append(ledgers, settlement.ReconciledNetwork{Profile: n.Profile, Reader: a, Coins: a.Coins})
	}
	return readers, ledgers
}

// swept reports whether every payment is completed and its money settled.
func (r *running) swept(t *testing.T, all []payment.Payment) bool {
	t.Helper()
	for _, p := range all {
		p, err := r.App.Payments.Get(t.Context(), string(p.ID))
		testkit.Must(t, err)
		for _, d := range p.Deposits {
			if !d.Swept {
				return false
			}
		}
		if p.Status != payment.Completed {
			return false
		}
	}
	return true
}
