package settlement_test

import (
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/settlement"
	"github.com/florinpay/florin/internal/store/storetest"
)

// The node drops the transaction from its pool, without a reorg. The same bytes are sent again, and the sweep counts
// once.
func TestSweeper_Dropped(t *testing.T) {
	t.Parallel()
	w := newWorld(t, chain.Polygon, storetest.SQLite(t))
	p := w.paid(10 * money.USD)
	s := w.sweeper()
	w.once(s)
	sent := w.inFlight()
	for range 2 { // a full pool may drop it more than once
		w.chain.Rollback()
		w.wantPooled(0)
		w.clock.Pass(5 * time.Second)
		w.once(s) // not sent again yet: it may only be late
		w.wantPooled(0)
		w.clock.Pass(15 * time.Second)
		w.once(s)
		w.wantPooled(1)
	}
	w.settle(s)
	done := w.sweepOf(sent.ID)
	if done.State != settlement.Confirmed || len(done.Attempts) != 1 || done.Tx != sent.Attempts[0].Tx {
		t.Errorf("the sweep ended as %s by %s after %d attempts", done.State, done.Tx, len(done.Attempts))
	}
	w.wantBalance(merchantWallet, 10*money.USD)
	w.wantSwept(p, true)
	w.wantNonce(1)
}

// A dropped transaction that was not sent again in time is replaced by another with the same nonce. If a node that kept
// the first bytes sends them again, only one of the two is included, and the next sweep skips no nonce.
func TestSweeper_DroppedAndReplaced(t *testing.T) {
	t.Parallel()
	w := newWorld(t, chain.Polygon, storetest.SQLite(t))
	p := w.paid(10 * money.USD)
	s := w.sweeper()
	w.once(s)
	w.chain.Rollback()
	w.clock.Pass(2 * time.Minute)
	w.once(s)
	two := w.inFlight()
	if len(two.Attempts) != 2 || two.Attempts[0].Nonce != two.Attempts[1].Nonce {
		t.Fatalf("after it was dropped the sweep is %+v", two)
	}
	w.chain.Rollback()
	w.must(w.sender.Broadcast(t.Context(), two.Attempts[0])) // the first bytes are back, the second gone
	w.clock.Pass(20 * time.Second)
	w.chain.Mine(1)
	w.once(s)
	w.settle(s)
	if done := w.sweepOf(two.ID); done.State != settlement.Confirmed || done.Tx != two.Attempts[0].Tx {
		t.Errorf("the sweep ended as %s by %s", done.State, done.Tx)
	}
	next := w.paid(5 * money.USD)
	w.settle(s)
	w.wantSwept(p, true)
	w.wantSwept(next, true)
	w.wantBalance(merchantWallet, 15*money.USD)
	w.wantNonce(2)
	w.wantReconciled()
}

// wantPooled checks how many transactions of the gas wallet are in the pool.
func (w *world) wantPooled(want uint64) {
	w.t.Helper()
	mined, err := w.chain.Client().NonceAt(w.t.Context(), w.gas.Address(), nil)
	w.must(err)
	waiting, err := w.chain.Client().PendingNonceAt(w.t.Context(), w.gas.Address())
	w.must(err)
	if waiting-mined != want {
		w.t.Errorf("%d transactions of the gas wallet wait, want %d", waiting-mined, want)
	}
}
