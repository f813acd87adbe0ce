package settlement_test

import (
	"testing"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/settlement"
	"github.com/florinpay/florin/internal/store/storetest"
)

func TestSweeper_Settles(t *testing.T) {
	t.Parallel()
	for _, n := range []chain.Network{chain.BEP20, chain.Polygon, chain.Base} {
		t.Run(string(n), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, n, storetest.SQLite(t))
			var all []payment.Payment
			var first, second money.Micros
			for i := range money.Micros(6) {
				to, sum := merchantWallet, &first
				if i%3 == 2 {
					to, sum = anotherSettlement, &second
				}
				p := w.started(10*money.USD+i, to)
				w.pay(p, 10*money.USD+i)
				*sum += 10*money.USD + i
				all = append(all, p)
			}
			w.finalize()
			w.watch()
			s := w.sweeper()
			w.must(s.RunOnce(t.Context()))
			id := w.inFlight().ID
			w.settle(s)
			w.wantBalance(merchantWallet, first)
			w.wantBalance(anotherSettlement, second)
			for _, p := range all {
				w.wantSwept(p, true)
			}
			done := w.sweepOf(id)
			if done.State != settlement.Confirmed || len(done.Moved) != 6 || len(done.Unmoved) != 0 ||
				done.Paid.IsZero() || done.Tx == "" || len(done.Attempts) != 1 {
				t.Errorf("the sweep ended as %+v", done)
			}
			w.wantNonce(1)
			// A second payment to the same address is swept again.
			w.pay(all[0], money.USD)
			w.finalize()
			w.watch()
			w.settle(s)
			w.wantBalance(merchantWallet, first+money.USD)
			w.wantSwept(all[0], true)
		})
	}
}
