package store_test

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/payment/watch"
	"github.com/florinpay/florin/internal/store/storetest"
)

// clients are those that ask at once.
const clients = 64

// BenchmarkStore measures the store by itself: payments created, started and read by many clients at once, without
// HTTP around them. Its figures depend on the machine; only ratios taken side by side mean anything.
func BenchmarkStore(b *testing.B) {
	for _, d := range storetest.Databases() {
		b.Run(d.Name, func(b *testing.B) {
			w := newBench(b, storetest.New(b, storetest.Open(b, d.Ready(b)), ""))
			for _, step := range []struct {
				name string
				do   func(context.Context, int) error
			}{
				{"Create", w.create},
				{"Life", w.life},
				{"Read", w.read},
				{"ReadStarted", w.readStarted},
				{"List", w.list},
				{"Watches", w.watches},
			} {
				b.Run(step.name, func(b *testing.B) { atOnce(b, step.do) })
			}
		})
	}
}

// atOnce runs a step with all clients, and reports how long they wait.
func atOnce(b *testing.B, step func(context.Context, int) error) {
	b.Helper()
	b.SetParallelism(max(1, clients/runtime.GOMAXPROCS(0)))
	var mu sync.Mutex
	var waits []time.Duration
	var client atomic.Int64
	b.RunParallel(func(p *testing.PB) {
		var mine []time.Duration
		for id := int(client.Add(1)); p.Next(); {
			at := time.Now()
			if err := step(b.Context(), id); err != nil {
				b.Error(err)
				return
			}
			mine = append(mine, time.Since(at))
		}
		mu.Lock()
		defer mu.Unlock()
		waits = append(waits, mine...)
	})
	slices.Sort(waits)
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "/s")
	b.ReportMetric(float64(waits[len(waits)*99/100].Microseconds())/1000, "p99-ms")
}

// benchWorld has payments to read.
type benchWorld struct {
	*storetest.World

	key              merchant.Key
	pending, started []payment.ID
}

func newBench(b *testing.B, world *storetest.World) *benchWorld {
	b.Helper()
	w := &benchWorld{World: world}
	w.key = w.NewKey(1<<40, 0)
	for range 100 {
		p := w.NewPayment(w.key)
		w.pending = append(w.pending, p.ID)
		w.started = append(w.started, w.NewStarted(w.key).ID)
	}
	return w
}

func (w *benchWorld) create(ctx context.Context, _ int) error {
	return errorOf(w.CreatePayment(ctx, payment.New(storetest.Request(w.key), time.Now())))
}

func (w *benchWorld) life(ctx context.Context, _ int) error {
	p, err := w.CreatePayment(ctx, payment.New(storetest.Request(w.key), time.Now()))
	if err != nil {
		return err
	}
	return errorOf(w.UpdatePayment(ctx, p.ID, storetest.StartOn(chain.Polygon, money.USDC, time.Now())))
}

func (w *benchWorld) read(ctx context.Context, client int) error {
	return errorOf(w.Store.Payment(ctx, w.pending[client%len(w.pending)]))
}

func (w *benchWorld) readStarted(ctx context.Context, client int) error {
	return errorOf(w.Store.Payment(ctx, w.started[client%len(w.started)]))
}

// list reads a page by one of the filters there are, most of which find little.
func (w *benchWorld) list(ctx context.Context, client int) error {
	filters := []payment.Filter{
		{},
		{Status: payment.Started},
		{Network: chain.Solana},
		{Status: payment.Cancelled, Network: chain.Base},
		{Unswept: true},
		{Since: time.Now().Add(-24 * time.Hour), Ascending: true},
	}
	f := filters[client%len(filters)]
	f.KeyID, f.Limit = w.key.ID, 50
	return errorOf(w.Store.Payments(ctx, f))
}

func (w *benchWorld) watches(ctx context.Context, _ int) error {
	_, _, err := w.Store.Watches(ctx, chain.Networks(), watch.Mark{}, time.Now().Add(-30*24*time.Hour))
	return err
}

// PostgreSQL learns that its tables have grown without being asked by anybody.
func TestStore_Growth(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		if !w.ManyWriters() {
			return // SQLite plans without statistics
		}
		const known = "SELECT count(*) FROM pg_stat_user_tables WHERE relname = 'payments' AND last_analyze IS NOT NULL"
		k := w.NewKey(5, 5)
		if n := w.Count(known); n != 0 {
			t.Fatal("the empty table was looked at")
		}
		var all sync.WaitGroup
		for range 520 {
			all.Go(func() { w.NewPaymentAt(k, storetest.Start) })
		}
		all.Wait()
		for deadline := time.Now().Add(time.Minute); w.Count(known) == 0; time.Sleep(50 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatal("520 payments later it was not looked at")
			}
		}
	})
}
