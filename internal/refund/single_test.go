package refund_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/refund"
)

// single is the liar's honest endpoint as the only one, which leaves all transfers out of some answers.
type single struct {
	*liar

	empty  int    // answers
	missed uint64 // a block that it has shown wrongly: the address is unread until it is read again; 0: none
}

// Quorum is that of chain.Reader.
func (*single) Quorum() int { return 1 }

// Scan is that of chain.Reader.
func (s *single) Scan(
	ctx context.Context, from uint64, to chain.Head, set *chain.WatchSet, _ ...string,
) ([]chain.Transfer, string, error) {
	if s.empty > 0 {
		s.empty--
		return nil, "other", nil
	}
	if from <= s.missed {
		s.missed = 0
	}
	if s.missed > 0 {
		return nil, "other", &chain.UnreadError{Addresses: []chain.Address{"0xa"}, Reason: "missed", From: s.missed}
	}
	return s.liar.Scan(ctx, from, to, set, "liar")
}

// TestWatcher_Single: one endpoint that leaves the transfer of a refund out of an answer is asked for its block once
// more, and for one that it has shown wrongly long before: else the refund stays open for good, and its merchant may
// pay it twice.
func TestWatcher_Single(t *testing.T) {
	t.Parallel()
	w := newSimulation(1)
	w.chain.honest = true
	node := &single{liar: w.chain}
	watcher := &refund.Watcher{
		Service: refund.New(refund.Deps{
			Store: w.store, Readers: map[chain.Network]chain.Reader{w.asset.Network: node},
			Now: func() time.Time { return w.now },
		}),
		Log: slog.New(slog.DiscardHandler),
	}
	rounds := func(n int) {
		t.Helper()
		for range n {
			w.now = w.now.Add(time.Hour)
			w.chain.include(chain.Transfer{})
			if err := watcher.RunOnce(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	a := &w.store.accounts[0]
	w.decide(a, func(a refund.Account) (refund.Change, error) { return a.Request(refund.Ask{ID: "R1"}, w.now) })
	w.decide(a, func(a refund.Account) (refund.Change, error) { return a.GiveAddress("R1", here("0xa"), false, w.now) })
	rounds(3)
	x := paid(a.Refunds[0], "0xpaid", w.now)
	w.chain.include(x, x)
	node.empty, node.missed = 1, 1
	rounds(2)
	if r := a.Refunds[0]; r.Status != refund.Final {
		t.Fatalf("%+v", r)
	}
	scanned := a.Refunds[0].Scanned
	if top := w.chain.blocks[len(w.chain.blocks)-1].Number; scanned+2 < top-2 {
		t.Errorf("read up to block %d of %d", scanned, top)
	}
}
