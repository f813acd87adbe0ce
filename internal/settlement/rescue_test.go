package settlement_test

import (
	"context"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/settlement"
	"github.com/florinpay/florin/internal/store/storetest"
)

// TestSweeper_RescueMarks: what a rescue takes is recorded as rescued, whoever asks for it,
// since money that no deposit explains is no deposit to be marked as swept.
func TestSweeper_RescueMarks(t *testing.T) {
	t.Parallel()
	w := newWorld(t, chain.Polygon, storetest.SQLite(t))
	p := w.started(10*money.USD, merchantWallet)
	w.pay(p, 4*money.USD) // which no watcher has seen
	w.finalize()
	stop := w.mining()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	done, err := w.sweeper().Rescue(ctx, []chain.SweepItem{{
		PaymentID: string(p.ID), Scheme: p.Routes[0].Scheme, Address: p.Routes[0].Address, Settlement: merchantWallet,
		Asset: w.profile.Assets[0], Expected: (4 * money.USD).Units(w.profile.Assets[0].Decimals),
	}})
	stop()
	w.must(err)
	if done.State != settlement.Confirmed || len(done.Items) != 1 || !done.Items[0].Rescue {
		t.Fatalf("%s, items %+v", done.State, done.Items)
	}
	w.wantBalance(merchantWallet, 4*money.USD)
	addresses := []chain.Address{p.Routes[0].Address.Address}
	records, err := w.store.Settlement().Records(t.Context(), w.profile.Network, addresses)
	w.must(err)
	if len(records) != 1 || records[0].Found.Cmp(records[0].Moved) != 0 || records[0].Found.IsZero() {
		t.Errorf("records %+v, want all that was moved as found", records)
	}
}
