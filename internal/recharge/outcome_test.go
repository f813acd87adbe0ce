package recharge_test

import (
	"bytes"
	"context"
	"math/big"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/recharge"
	"github.com/florinpay/florin/internal/sandbox/devchain"
)

// The merchant's own transaction takes the nonce.
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
			t.Errorf("before that is final: %s", w.state(r))
		}
		w.finalize()
		w.round()
		if w.state(r) != recharge.Replaced || w.queries() != 0 {
			t.Errorf("%s, %d queries", w.state(r), w.queries())
		}
		// The wallet is free for the next.
		stop := w.mining()
		next, err := w.service().Buy(t.Context(), w.request(1), patient)
		stop()
		w.must(err)
		if next.State != recharge.Credited || w.queries() != 1 {
			t.Errorf("the next: %s, %d queries", next.State, w.queries())
		}
	})
}

// A transfer that waits in the pool before ours takes the money away.
func TestFailed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "sqlite://"+t.TempDir()+"/florin.db")
	away := common.HexToAddress("0x00000000000000000000000000000000000A11cE")
	_, err := w.chain.Transfer(t.Context(), w.owner, w.chain.Tokens().USDT.Address, away, money.USD.Units(18).Big())
	w.must(err)
	r := w.signed(3)
	if r.Bytes.Nonce != 1 {
		t.Errorf("nonce %d does not come after the one that waits", r.Bytes.Nonce)
	}
	w.must(w.remit.Broadcast(t.Context(), r.Bytes))
	w.finalize()
	w.round()
	if w.state(r) != recharge.Failed || w.queries() != 0 || w.earned() != "0" {
		t.Errorf("%s, %d queries, the treasury holds %s", w.state(r), w.queries(), w.earned())
	}
}

// Nodes forget the transaction: it is broadcast again. When nobody takes it
// for an hour it is over, but money that comes after all is not lost.
func TestDropped(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		r := w.signed(3)
		w.must(w.remit.Broadcast(t.Context(), r.Bytes))
		w.chain.Rollback()
		w.round() // nobody has it: sent once more
		w.finalize()
		w.round()
		if w.state(r) != recharge.Credited || w.queries() != 3 {
			t.Errorf("dropped once: %s, %d queries", w.state(r), w.queries())
		}
		lost := w.signed(4)
		w.pass(time.Hour)
		w.must(recharge.New(w.store, w.network(dumb{w.remit}), w.now, silent()).RunOnce(t.Context()))
		if w.state(lost) != recharge.Abandoned || w.queries() != 3 {
			t.Errorf("an hour later: %s, %d queries", w.state(lost), w.queries())
		}
		if _, ok, err := w.store.RechargeOf(t.Context(), w.wallet); ok || err != nil {
			t.Errorf("an abandoned recharge is in the way: %v", err)
		}
		w.must(w.remit.Broadcast(t.Context(), lost.Bytes)) // somebody kept the bytes
		w.finalize()
		w.pass(15 * time.Minute)
		w.round()
		if w.state(lost) != recharge.Credited || w.queries() != 7 {
			t.Errorf("landed after all: %s, %d queries", w.state(lost), w.queries())
		}
		w.balanced()
	})
}

// A transfer in a block that the chain takes back is credited only where it
// lands for good.
func TestReorged(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "sqlite://"+t.TempDir()+"/florin.db")
	r := w.signed(3)
	w.must(w.remit.Broadcast(t.Context(), r.Bytes))
	w.chain.Commit()
	w.round()
	if w.state(r) != recharge.Signed || w.queries() != 0 {
		t.Errorf("in a block that is not final: %s", w.state(r))
	}
	_, err := w.chain.Reorg(1)
	w.must(err)
	w.round()
	w.finalize()
	w.round()
	if w.state(r) != recharge.Credited || w.queries() != 3 {
		t.Errorf("after the reorg: %s, %d queries", w.state(r), w.queries())
	}
}

// stored is a chain that takes only bytes which are in the database: a crash
// would forget others.
type stored struct {
	chain.TransferSender
	w *world
}

func (c stored) Broadcast(ctx context.Context, b chain.SignedTx) error {
	r, ok, err := c.w.store.RechargeOf(ctx, c.w.wallet)
	if err != nil || !ok || r.Bytes.Tx != b.Tx || !bytes.Equal(r.Bytes.Raw, b.Raw) {
		c.w.t.Errorf("%s is sent before it is stored: %v", b.Tx, err)
	}
	return c.TransferSender.Broadcast(ctx, b)
}

// A transfer is stored, with its bytes, before anybody else sees it.
func TestBuy_StoredBeforeSent(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		stop := w.mining()
		r, err := recharge.New(w.store, w.network(stored{w.remit, w}), w.now, silent()).Buy(
			t.Context(), w.request(2), patient,
		)
		stop()
		w.must(err)
		if r.State != recharge.Credited || w.queries() != 2 {
			t.Errorf("%s, %d queries", r.State, w.queries())
		}
	})
}

// What a process that died has left behind is brought to its end by whoever
// buys next from the wallet, before the next transfer takes the same nonce.
func TestBuy_AfterACrash(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		left := w.signed(3)
		stop := w.mining()
		next, err := w.service().Buy(t.Context(), w.request(2), patient)
		stop()
		w.must(err)
		if w.state(left) != recharge.Credited || next.State != recharge.Credited ||
			next.Bytes.Nonce != left.Bytes.Nonce+1 || w.queries() != 5 {
			t.Errorf("what was left is %s, the next %s with nonce %d after %d, %d queries",
				w.state(left), next.State, next.Bytes.Nonce, left.Bytes.Nonce, w.queries())
		}
		w.balanced()
	})
}

// What ended without money is looked at for another day, what was abandoned
// for a month, and neither for ever.
func TestObserve_LooksEnd(t *testing.T) {
	t.Parallel()
	begun := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	const day = 24 * time.Hour
	for name, row := range map[string]struct {
		from       recharge.State
		seen       chain.TxStatus
		age, ended time.Duration // since it was made, since it ended
		looks      bool
	}{
		"abandoned":                {recharge.Abandoned, chain.TxUnknown, 29 * day, 29 * day, true},
		"abandoned, a month":       {recharge.Abandoned, chain.TxUnknown, 30 * day, 30 * day, false},
		"abandoned, included":      {recharge.Abandoned, chain.TxIncluded, 30 * day, 30 * day, true},
		"failed":                   {recharge.Failed, chain.TxUnknown, 2 * day, day - 1, true},
		"failed, a day":            {recharge.Failed, chain.TxUnknown, 2 * day, day, false},
		"failed, again":            {recharge.Failed, chain.TxReverted, 2 * day, day - 1, true},
		"failed, again, a day":     {recharge.Failed, chain.TxReverted, 2 * day, day, false},
		"replaced, a day":          {recharge.Replaced, chain.TxDropped, 2 * day, day, false},
		"replaced, pooled, a day":  {recharge.Replaced, chain.TxPending, 2 * day, day, false},
		"replaced, pooled, before": {recharge.Replaced, chain.TxPending, 2 * day, day - 1, true},
	} {
		now := begun.Add(row.age)
		r := recharge.Recharge{ID: "R", State: row.from, CreatedAt: begun, EndedAt: now.Add(-row.ended), Bytes: chain.SignedTx{Tx: "0x1"}}
		got := r.Observe(chain.TransferOutcome{Status: row.seen}, false, now).Recharge
		if got.State != row.from || got.LookAt.IsZero() == row.looks || row.looks && !got.LookAt.After(now) ||
			!got.EndedAt.Equal(r.EndedAt) {
			t.Errorf("%s: it is %s since %s and looked at %s", name, got.State, got.EndedAt, got.LookAt)
		}
	}
}

// The state diagram, without a chain.
func TestObserve(t *testing.T) {
	t.Parallel()
	begun := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	transfer := chain.TokenTransfer{
		Asset: chain.Asset{
			Network: chain.BEP20, Contract: "0xT",
		}, From: "0xF", To: "0xO", Amount: money.UnitsFromUint64(5),
	}
	paid := chain.Transfer{
		Key: chain.Key{Tx: "0x1"}, Asset: transfer.Asset, From: "0xF", To: "0xO", Units: transfer.Amount,
	}
	with := func(change func(*chain.Transfer)) chain.TransferOutcome {
		t := paid
		change(&t)
		return chain.TransferOutcome{Status: chain.TxFinal, Transfers: []chain.Transfer{t}}
	}
	for name, row := range map[string]struct {
		from      recharge.State
		seen      chain.TransferOutcome
		confirmed bool
		age       time.Duration
		want      recharge.State
		booked    int
	}{
		"paid": {
			recharge.Signed,
			chain.TransferOutcome{Status: chain.TxFinal, Transfers: []chain.Transfer{paid}},
			true, 0,
			recharge.Credited, 1,
		},
		"paid, says one": {
			recharge.Signed,
			chain.TransferOutcome{Status: chain.TxFinal, Transfers: []chain.Transfer{paid}},
			false, 0,
			recharge.Signed, 0,
		},
		"paid somebody else": {recharge.Signed, with(func(t *chain.Transfer) { t.To = "0xElse" }), true, 0, recharge.Failed, 0},
		"paid by another":    {recharge.Signed, with(func(t *chain.Transfer) { t.From = "0xElse" }), true, 0, recharge.Failed, 0},
		"paid too little": {recharge.Signed, with(func(t *chain.Transfer) {
			t.Units = money.UnitsFromUint64(4)
		}), true, 0, recharge.Failed, 0},
		"paid too much": {recharge.Signed, with(func(t *chain.Transfer) {
			t.Units = money.UnitsFromUint64(6)
		}), true, 0, recharge.Failed, 0},
		"paid another token":   {recharge.Signed, with(func(t *chain.Transfer) { t.Asset.Contract = "0xElse" }), true, 0, recharge.Failed, 0},
		"paid by another hash": {recharge.Signed, with(func(t *chain.Transfer) { t.Tx = "0x2" }), true, 0, recharge.Failed, 0},
		"paid, not final": {
			recharge.Signed,
			chain.TransferOutcome{Status: chain.TxIncluded, Transfers: []chain.Transfer{paid}},
			true,
			0, recharge.Signed, 0,
		},
		"reverted": {
			recharge.Signed, chain.TransferOutcome{Status: chain.TxReverted}, false, 0, recharge.Failed, 0,
		},
		"replaced": {
			recharge.Signed, chain.TransferOutcome{Status: chain.TxDropped}, false, 0, recharge.Replaced, 0,
		},
		"pooled": {
			recharge.Signed, chain.TransferOutcome{Status: chain.TxPending}, false, time.Minute, recharge.Signed, 0,
		},
		"included late": {
			recharge.Signed, chain.TransferOutcome{Status: chain.TxIncluded}, false, 2 * time.Hour, recharge.Signed, 0,
		},
		"nowhere for an hour": {recharge.Signed, chain.TransferOutcome{}, false, time.Hour, recharge.Abandoned, 0},
		"abandoned, paid": {
			recharge.Abandoned,
			chain.TransferOutcome{Status: chain.TxFinal, Transfers: []chain.Transfer{paid}},
			true,
			0, recharge.Credited, 1,
		},
		"abandoned, replaced": {
			recharge.Abandoned, chain.TransferOutcome{Status: chain.TxDropped}, false, 0, recharge.Replaced, 0,
		},
		"credited, seen again": {
			recharge.Credited,
			chain.TransferOutcome{Status: chain.TxFinal, Transfers: []chain.Transfer{paid}},
			true, 0,
			recharge.Credited, 0,
		},
		"replaced, seen landed": {
			recharge.Replaced,
			chain.TransferOutcome{Status: chain.TxFinal, Transfers: []chain.Transfer{paid}},
			true, 0,
			recharge.Credited, 1,
		},
		"failed, seen landed": {
			recharge.Failed,
			chain.TransferOutcome{Status: chain.TxFinal, Transfers: []chain.Transfer{paid}},
			true, 0,
			recharge.Credited, 1,
		},
		"failed, says one": {
			recharge.Failed,
			chain.TransferOutcome{Status: chain.TxFinal, Transfers: []chain.Transfer{paid}},
			false, 0,
			recharge.Failed, 0,
		},
		"failed, seen dead": {
			recharge.Failed, chain.TransferOutcome{Status: chain.TxDropped}, false, 0, recharge.Failed, 0,
		},
	} {
		r := recharge.Recharge{ID: "R", KeyID: 1, Units: 2, Transfer: transfer, Bytes: chain.SignedTx{Tx: "0x1"}, State: row.from, CreatedAt: begun}
		if _, ok := r.Payment(row.seen); ok && row.seen.Status != chain.TxFinal {
			t.Errorf("%s: taken for a payment", name)
		}
		got := r.Observe(row.seen, row.confirmed, begun.Add(row.age))
		if got.Recharge.State != row.want || len(got.Entries) != row.booked {
			t.Errorf("%s: %s with %d entries", name, got.Recharge.State, len(got.Entries))
		}
		if over := got.Recharge.State.Over(); row.from != row.want && over != got.Recharge.LookAt.IsZero() {
			t.Errorf("%s: %s is looked at %s", name, got.Recharge.State, got.Recharge.LookAt)
		}
	}
}
