package watch_test

import (
	"context"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/payment/watch"
)

// tallying counts how often each transaction is asked about.
type tallying struct {
	chain.Reader
	mu    sync.Mutex
	asked map[chain.TxHash]int
	calls int
}

func (c *tallying) Confirm(ctx context.Context, list []chain.Transfer, at chain.Head) (chain.Verdict, error) {
	c.mu.Lock()
	c.asked[list[0].Tx]++
	c.calls++
	c.mu.Unlock()
	return c.Reader.Confirm(ctx, list, at)
}

// round returns how many confirmations were asked for since the last call.
func (c *tallying) round() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	defer func() { c.calls = 0 }()
	return c.calls
}

func (r *rig) tally() *tallying {
	return &tallying{Reader: r.reader(), asked: make(map[chain.TxHash]int)}
}

// TestWatcher_Flood: a stranger fills blocks with transactions of one unit each. A round
// asks a second endpoint about a bounded number, each transaction is asked about once, the
// cursor passes no block before all its money is stored, and who pays beside the flood is
// served.
func TestWatcher_Flood(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	flooded, paid := r.start(), r.start()
	reader := r.tally()
	w := watch.NewWatcher(r.profile, reader, r.store, "one", r.now, slog.New(slog.DiscardHandler))
	r.must(w.RunOnce(t.Context()))
	const blocks, each = 2, watch.ConfirmRound + 10
	before := r.cursor().Scanned.Number
	first := r.chain.Head().Number + 1
	for range blocks {
		for range each {
			r.speck(flooded, 1, 1)
		}
		r.pay(paid)
		r.chain.Mine(1)
	}
	r.chain.Mine(rigFinalDepth)
	for rounds := 0; r.cursor().Scanned.Number < first+blocks-1; rounds++ {
		if rounds > 6*blocks {
			t.Fatalf("after %d rounds the cursor is at %d", rounds, r.cursor().Scanned.Number)
		}
		r.must(w.RunOnce(t.Context()))
		if n := reader.round(); n > watch.ConfirmRound {
			t.Fatalf("one round asked about %d transactions", n)
		}
		c := r.cursor().Scanned.Number
		passed := min(max(c, first-1)-(first-1), blocks)
		if got := r.get(flooded).Received().Micros(); got < money.Micros(passed*each) {
			t.Fatalf("the cursor is at %d, from %d, with %s of %d blocks stored", c, before, got, passed)
		}
		if h := w.Health(); !h.OK {
			t.Errorf("a network that is flooded for a moment is not offered: %+v", h)
		}
	}
	r.expect(flooded, payment.Started, blocks*each)
	r.expect(paid, payment.Completed, blocks*tenUSDC)
	for tx, n := range reader.asked {
		if n > 1 {
			t.Fatalf("transaction %s was asked about %d times", tx, n)
		}
	}
}

// TestWatcher_FloodStops: while a flood holds the cursor for longer than the network's
// limit, it counts as behind: nobody is offered it, and timers stand still.
func TestWatcher_FloodStops(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	flooded, waiting := r.start(), r.start()
	for range 4 * watch.ConfirmRound {
		r.speck(flooded, 1, 1)
	}
	r.chain.Mine(rigFinalDepth + 1)
	block := r.chain.Head().Number - rigFinalDepth
	for rounds := 0; r.cursor().Scanned.Number != block-1; rounds++ {
		if rounds > 4 {
			t.Fatalf("the cursor is at %d; the test shows nothing", r.cursor().Scanned.Number)
		}
		r.watch()
	}
	r.chain.Wait(r.profile.HeadLimit + time.Second)
	r.chain.Mine(1)
	r.watch()
	if h := r.watcher.Health(); h.OK || h.Reason == "" || h.Detail == "" {
		t.Errorf("health %+v", h)
	}
	for range 6 {
		r.chain.Mine(1)
		r.watch()
	}
	if h := r.watcher.Health(); !h.OK {
		t.Errorf("health after the flood %+v", h)
	}
	if p := r.get(waiting); p.ExpiresAt.Sub(waiting.ExpiresAt) < r.profile.HeadLimit {
		t.Errorf("given back %s", p.ExpiresAt.Sub(waiting.ExpiresAt))
	}
}

// TestWatcher_FloodedAside: for a payment that is set aside little is asked in a round,
// whatever it is flooded with, and it is read again piece by piece, however little of it
// one attempt gets through.
func TestWatcher_FloodedAside(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	p := r.start()
	s := &refusing{Store: r.store, id: p.ID}
	reader := r.tally()
	w := r.on(s, reader)
	r.must(w.RunOnce(t.Context()))
	r.speck(p, 1, 1)
	r.chain.Mine(rigFinalDepth + 1)
	r.must(w.RunOnce(t.Context()))
	if h := w.Health(); h.SetAside != 1 {
		t.Fatalf("health %+v", h)
	}
	reader.round()
	const blocks, each, little = 2, 100, watch.ConfirmRound / 4
	round := func() {
		t.Helper()
		r.must(w.RunOnce(t.Context()))
		if n := reader.round(); n > little {
			t.Fatalf("one round asked about %d transactions", n)
		}
	}
	for range blocks {
		for range each {
			r.speck(p, 1, 1)
		}
		r.chain.Mine(1)
		round()
	}
	r.chain.Mine(rigFinalDepth)
	round()
	s.id = ""
	reader.asked = make(map[chain.TxHash]int)
	for range 3 * blocks {
		r.chain.Wait(10 * time.Second)
		r.chain.Mine(1)
		round()
	}
	r.expect(p, payment.Started, blocks*each+1)
	if h := w.Health(); h.SetAside != 0 {
		t.Errorf("health %+v", h)
	}
	for tx, n := range reader.asked {
		if n > 1 {
			t.Fatalf("transaction %s was asked about %d times", tx, n)
		}
	}
}

// failing is a chain that cannot be read for a single payment above a block.
type failing struct {
	chain.Reader
	above uint64
}

func (f *failing) Scan(
	ctx context.Context, from uint64, to chain.Head, watch *chain.WatchSet,
) ([]chain.Transfer, error) {
	if watch.Len() == 1 && from > f.above {
		return nil, chain.ErrNoEndpoint
	}
	return f.Reader.Scan(ctx, from, to, watch)
}

// TestWatcher_AsideGoesOn: an attempt to read a payment that was set aside goes on where
// the attempt before it failed.
func TestWatcher_AsideGoesOn(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	p, _ := r.start(), r.start()
	s := &refusing{Store: r.store, id: p.ID}
	reader := &failing{Reader: r.reader()}
	w := r.on(s, reader)
	r.must(w.RunOnce(t.Context()))
	r.send(p, "USDC", 1)
	r.chain.Mine(rigFinalDepth + 1)
	r.must(w.RunOnce(t.Context()))
	from := func() uint64 {
		t.Helper()
		list, err := r.store.SetAsides(t.Context(), chain.Polygon)
		if err != nil || len(list) != 1 {
			t.Fatalf("set aside: %+v, %v", list, err)
		}
		return list[0].From
	}
	began := from()
	s.id, reader.above = "", began
	r.chain.Mine(3_000) // more than one scan reads
	r.chain.Wait(time.Minute)
	r.chain.Mine(1)
	r.must(w.RunOnce(t.Context()))
	if got := from(); got <= began || got >= r.cursor().Scanned.Number {
		t.Errorf("after half of it was read, it is to be read from %d; it was from %d", got, began)
	}
	r.expect(p, payment.Started, 1)
	reader.above = r.chain.Head().Number * 2
	r.chain.Wait(time.Minute)
	r.chain.Mine(1)
	r.must(w.RunOnce(t.Context()))
	if h := w.Health(); h.SetAside != 0 {
		t.Errorf("health %+v", h)
	}
}

// TestExpirer_FloodedSearch: the search for money that the scan missed asks about a
// bounded number of transactions at a time, and finds the money in the end.
func TestExpirer_FloodedSearch(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	p := r.start()
	r.endpoints[0].Set(chaintest.Faults{Omit: func(map[string]any) bool { return true }})
	for range watch.ConfirmRound + 10 {
		r.speck(p, 1, 1)
	}
	r.pay(p)
	r.chain.Mine(rigFinalDepth + 1)
	r.watchFor(rigTTL)
	r.endpoints[0].Set(chaintest.Faults{})
	reader := r.tally()
	e := watch.NewExpirer([]chain.Profile{r.profile}, map[chain.Network]chain.Reader{r.profile.Network: reader},
		r.store, r.store.Settlement(), r.now, slog.New(slog.DiscardHandler))
	for range 3 {
		_ = e.RunOnce(t.Context())
		if n := reader.round(); n > watch.ConfirmRound {
			t.Fatalf("one search asked about %d transactions", n)
		}
		r.pass(2 * time.Minute)
	}
	r.expect(p, payment.Completed, tenUSDC+watch.ConfirmRound+10)
}
