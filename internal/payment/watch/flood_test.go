package watch_test

import (
	"context"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/payment/watch"
)

// tallying counts how often each transaction is asked about.
type tallying struct {
	chain.Reader
	mu    sync.Mutex
	asked map[chain.TxHash]int
}

func (c *tallying) Judge(ctx context.Context, list []chain.Transfer, at chain.Head) ([]chain.Verdict, error) {
	c.mu.Lock()
	c.asked[list[0].Tx]++
	c.mu.Unlock()
	return c.Reader.Judge(ctx, list, at)
}

// onceEach fails if a transaction was judged more often than once.
func (c *tallying) onceEach(t *testing.T) {
	t.Helper()
	for tx, n := range c.asked {
		if n > 1 {
			t.Fatalf("transaction %s was judged %d times", tx, n)
		}
	}
}

func (r *rig) tally() *tallying {
	return &tallying{Reader: r.reader(), asked: make(map[chain.TxHash]int)}
}

// TestWatcher_Flood: a stranger fills blocks with transactions of one unit each. Each transaction is judged once, the
// cursor passes no block before all its money is stored, and who pays beside the flood is served.
func TestWatcher_Flood(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	flooded, paid := r.start(), r.start()
	reader := r.tally()
	w := watch.NewWatcher(r.profile, reader, r.store, "one", r.now, slog.New(slog.DiscardHandler))
	r.must(w.RunOnce(t.Context()))
	const blocks, each = 2, 100
	first := r.chain.Head().Number + 1
	for range blocks {
		for range each {
			r.speck(flooded, 1, 1)
		}
		r.pay(paid)
		r.chain.Mine(1)
	}
	for range rigFinalDepth + 1 {
		r.chain.Mine(1)
		r.must(w.RunOnce(t.Context()))
		passed := min(max(r.cursor().Second.Number, first-1)-(first-1), blocks)
		if got := r.get(flooded).Received().Micros(); got < money.Micros(passed*each) {
			t.Fatalf("%s of %d blocks that the cursors have passed are stored", got, passed)
		}
		if h := w.Health(); !h.OK {
			t.Errorf("a network that is flooded for a moment is not offered: %+v", h)
		}
		if passed == 0 {
			r.chain.Wait(10 * time.Second)
		}
	}
	r.retry(w)
	r.expect(flooded, payment.Started, blocks*each)
	r.expect(paid, payment.Completed, blocks*tenUSDC)
	reader.onceEach(t)
}

// TestWatcher_FloodedSetAside: a payment that is set aside and flooded is read again, and each transaction is judged
// once.
func TestWatcher_FloodedSetAside(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	p := r.start()
	s := &refusing{Store: r.store, id: p.ID}
	reader := r.tally()
	w := r.on(s, reader)
	r.must(w.RunOnce(t.Context()))
	const specks = 100
	for range specks {
		r.speck(p, 1, 1)
	}
	r.chain.Mine(rigFinalDepth + 1)
	r.must(w.RunOnce(t.Context()))
	r.wantSetAside(1)
	s.id, reader.asked = "", make(map[chain.TxHash]int)
	r.retry(w)
	r.expect(p, payment.Started, specks)
	r.wantSetAside(0)
	reader.onceEach(t)
}

// retry lets so much time pass that what is set aside is read again.
func (r *rig) retry(w *watch.Watcher) {
	r.Helper()
	for range 2 {
		r.chain.Wait(30 * time.Second)
		r.chain.Mine(1)
		r.must(w.RunOnce(r.Context()))
	}
}

// failing is a chain that cannot be read for a single payment above a block.
type failing struct {
	chain.Reader
	above uint64
}

func (f *failing) Scan(
	ctx context.Context, from uint64, to chain.Head, set *chain.WatchSet, not ...string,
) ([]chain.Transfer, string, error) {
	if set.Len() == 1 && from > f.above {
		return nil, "", chain.ErrNoEndpoint
	}
	return f.Reader.Scan(ctx, from, to, set, not...)
}

// TestWatcher_SetAsideGoesOn: an attempt to read a payment that was set aside goes on where
// the attempt before it failed.
func TestWatcher_SetAsideGoesOn(t *testing.T) {
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
