package recharge_test

import (
	"bytes"
	"context"
	"math/big"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/recharge"
	"github.com/florinpay/florin/internal/sandbox/devchain"
	"github.com/florinpay/florin/internal/store/storetest"
)

// Another transaction of the merchant takes the nonce.
func TestReplaced(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		r := w.signed(3)
		other := devchain.FaucetAddress()
		_, err := w.chain.Send(
			t.Context(), w.owner, devchain.Tx{To: &other, Value: big.NewInt(1), Gas: 21_000, Nonce: &r.Bytes.Nonce},
		)
		w.must(err)
		w.chain.Commit()
		w.round()
		if w.state(r) != recharge.Signed {
			t.Errorf("before the other transaction is final: %s", w.state(r))
		}
		w.finalize()
		w.round()
		w.wants("in the end", r, recharge.Replaced, 0)
		// The wallet can be used for the next recharge.
		stop := w.mining()
		next, err := w.service().Buy(t.Context(), w.request(1), patient, audit.Act{})
		stop()
		w.must(err)
		if next.State != recharge.Credited || w.queries() != 1 {
			t.Errorf("the next: %s, %d queries", next.State, w.queries())
		}
	})
}

// A pending transfer with an earlier nonce spends the money.
func TestFailed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	away := common.HexToAddress("0x00000000000000000000000000000000000A11cE")
	_, err := w.chain.Transfer(t.Context(), w.owner, w.chain.Tokens().USDT.Address, away, money.USD.Units(18).Big())
	w.must(err)
	r := w.signed(3)
	if r.Bytes.Nonce != 1 {
		t.Errorf("nonce %d does not follow the pending one", r.Bytes.Nonce)
	}
	w.must(w.remit.Broadcast(t.Context(), r.Bytes))
	w.finalize()
	w.round()
	if w.state(r) != recharge.Failed || w.queries() != 0 || w.earned() != "0" {
		t.Errorf("%s, %d queries, the treasury holds %s", w.state(r), w.queries(), w.earned())
	}
}

// A transaction that nodes drop is broadcast again. When no block includes it within an hour the recharge is
// ABANDONED, but it is still credited if the transfer is included later.
func TestDropped(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		r := w.broadcast(3)
		w.chain.Rollback()
		w.round() // no endpoint has it: broadcast again
		w.finalize()
		w.round()
		w.wants("dropped once", r, recharge.Credited, 3)
		lost := w.signed(4)
		w.clock.Pass(time.Hour)
		w.must(
			recharge.New(w.store.Settlement(), w.network(noBroadcast{w.remit}), w.now, silent()).RunOnce(t.Context()),
		)
		w.wants("an hour later", lost, recharge.Abandoned, 3)
		if _, ok, err := w.store.Settlement().RechargeOf(t.Context(), w.wallet); ok || err != nil {
			t.Errorf("an abandoned recharge blocks the next: %v", err)
		}
		w.must(w.remit.Broadcast(t.Context(), lost.Bytes)) // a node kept the bytes
		w.finalize()
		w.clock.Pass(15 * time.Minute)
		w.round()
		w.wants("included later", lost, recharge.Credited, 7)
		w.balanced()
	})
}

// A transfer in a block that a reorg removes is credited only once its new block is final.
func TestReorged(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	r := w.broadcast(3)
	w.chain.Commit()
	w.round()
	w.wants("in a block that is not final", r, recharge.Signed, 0)
	_, err := w.chain.Reorg(1)
	w.must(err)
	w.round()
	w.finalize()
	w.round()
	w.wants("after the reorg", r, recharge.Credited, 3)
}

// stored is a sender that fails the test if the bytes are not in the database: a crash would lose them.
type stored struct {
	chain.TransferSender
	w *world
}

func (c stored) Broadcast(ctx context.Context, b chain.SignedTx) error {
	r, ok, err := c.w.store.Settlement().RechargeOf(ctx, c.w.wallet)
	if err != nil || !ok || r.Bytes.Tx != b.Tx || !bytes.Equal(r.Bytes.Raw, b.Raw) {
		c.w.t.Errorf("%s is sent before it is stored: %v", b.Tx, err)
	}
	return c.TransferSender.Broadcast(ctx, b)
}

// A transfer is stored with its bytes before it is broadcast.
func TestBuy_StoredBeforeSent(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		stop := w.mining()
		r, err := recharge.New(w.store.Settlement(), w.network(stored{w.remit, w}), w.now, silent()).Buy(
			t.Context(), w.request(2), patient, audit.Act{},
		)
		stop()
		w.must(err)
		if r.State != recharge.Credited || w.queries() != 2 {
			t.Errorf("%s, %d queries", r.State, w.queries())
		}
	})
}

// The next purchase from the wallet completes a recharge that a crashed process left, before its own transfer is
// signed.
func TestBuy_AfterACrash(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		left := w.signed(3)
		stop := w.mining()
		next, err := w.service().Buy(t.Context(), w.request(2), patient, audit.Act{})
		stop()
		w.must(err)
		if w.state(left) != recharge.Credited || next.State != recharge.Credited ||
			next.Bytes.Nonce != left.Bytes.Nonce+1 || w.queries() != 5 {
			t.Errorf("the recharge of the crashed process is %s, the next %s with nonce %d after %d, %d queries",
				w.state(left), next.State, next.Bytes.Nonce, left.Bytes.Nonce, w.queries())
		}
		w.balanced()
	})
}

// broadcasts counts what is broadcast, and sends nothing.
type broadcasts struct {
	chain.TransferSender
	n int
}

func (b *broadcasts) Broadcast(context.Context, chain.SignedTx) error {
	b.n++
	return nil
}

// TestRebroadcast: only bytes that still wait for a block are broadcast again. Those of a
// recharge that was given up, failed or was replaced would take the merchant's money after
// the merchant was notified that they did not.
func TestRebroadcast(t *testing.T) {
	t.Parallel()
	for _, state := range recharge.States() {
		t.Run(string(state), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, storetest.SQLite(t))
			r := w.signed(3)
			_, err := w.store.Settlement().UpdateRecharge(t.Context(), r.ID, func(r recharge.Recharge) recharge.Change {
				r.State, r.LookAt = state, w.now()
				if state != recharge.Signed {
					r.EndedAt = w.now()
				}
				return recharge.Change{Recharge: r}
			})
			w.must(err)
			sender := &broadcasts{TransferSender: w.remit}
			w.clock.Pass(time.Minute)
			w.must(recharge.New(w.store.Settlement(), w.network(sender), w.now, silent()).RunOnce(t.Context()))
			want := 0
			if state == recharge.Signed {
				want = 1
			}
			if sender.n != want {
				t.Errorf("broadcast %d times, want %d", sender.n, want)
			}
		})
	}
}
