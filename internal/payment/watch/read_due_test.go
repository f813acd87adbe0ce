package watch_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/payment/watch"
)

// tallied counts the rounds and quick reads of a watcher.
type tallied struct {
	chain.Reader

	rounds, quickReads int
}

func (r *tallied) Heads(ctx context.Context) (chain.Heads, error) {
	r.rounds++
	return r.Reader.Heads(ctx)
}

func (r *tallied) QuickRead(ctx context.Context, l chain.Look) (chain.QuickRead, error) {
	r.quickReads++
	return r.Reader.QuickRead(ctx, l)
}

// paced replaces the rig's watcher by one whose rounds are counted.
func (r *rig) paced() *tallied {
	r.watcher.Release(r.Context())
	reader := &tallied{Reader: r.reader()}
	r.watcher = watch.NewWatcher(r.profile, reader, r.store, "paced", r.now, slog.New(slog.DiscardHandler))
	return reader
}

// readFor lets the watcher do what is due for so long, while a block is made every second.
func (r *rig) readFor(d time.Duration) {
	r.Helper()
	r.readChainFor(r.watcher, r.chain, d)
}

func (r *rig) readChainFor(w *watch.Watcher, c *chaintest.EVM, d time.Duration) {
	r.Helper()
	for end := r.now().Add(d); r.now().Before(end); {
		r.pass(max(w.ReadDue(r.Context()), time.Millisecond))
		for r.now().Sub(c.Head().Time) >= time.Second {
			c.Mine(1)
			r.pass(-time.Second)
		}
	}
}

func TestWatcher_ReadDue(t *testing.T) {
	t.Parallel()
	t.Run("Idle", func(t *testing.T) {
		t.Parallel()
		r := newRig(t, 1)
		reader := r.paced()
		r.readFor(30 * time.Minute)
		if reader.rounds > 8 || reader.rounds < 3 || reader.quickReads > 0 {
			t.Errorf("%d rounds and %d quick reads in half an hour in which nothing is awaited", reader.rounds, reader.quickReads)
		}
		if h := r.watcher.Health(); !h.OK || r.watcher.Level() != watch.Idle {
			t.Errorf("the network is %s, and its health %+v", r.watcher.Level(), h)
		}
	})
	t.Run("AnUnwellNetworkIsReadAgainSoon", func(t *testing.T) {
		t.Parallel()
		r := newRig(t, 1)
		r.paced()
		r.pass(r.profile.HeadLimit + time.Minute) // the chain stands still
		r.watcher.ReadDue(r.Context())
		if r.watcher.Health().OK {
			t.Fatal("a chain that stands still is well")
		}
		r.pass(-time.Minute)
		r.chain.Mine(int((r.profile.HeadLimit + time.Minute) / time.Second))
		r.pass(-r.profile.HeadLimit)
		r.readFor(10 * time.Second)
		if h := r.watcher.Health(); !h.OK {
			t.Errorf("10 s after the chain went on: %+v", h)
		}
	})
	t.Run("AfterAPaymentWasStarted", func(t *testing.T) {
		t.Parallel()
		r := newRig(t, 1)
		reader := r.paced()
		r.readFor(7 * time.Minute)
		p := r.start()
		rounds := reader.rounds
		r.readFor(20 * time.Second)
		if reader.quickReads < 15 || reader.rounds > rounds+2 {
			t.Errorf("%d rounds and %d quick reads in the first 20 s of a payment", reader.rounds-rounds, reader.quickReads)
		}
		r.pay(p)
		r.readFor(3 * time.Second)
		if got := r.get(p); len(got.Deposits) != 1 {
			t.Errorf("3 s after the block %d deposits are seen", len(got.Deposits))
		}
		r.readFor(20 * time.Second)
		if got := r.get(p); got.Status != payment.Completed {
			t.Errorf("20 s after the block the payment is %s", got.Status)
		}
	})
	t.Run("SetAsidesInTurn", func(t *testing.T) {
		t.Parallel()
		r := newRig(t, 1)
		r.paced()
		r.readFor(2 * time.Second)
		for range 12 { // more than one round reads again
			p := r.start()
			r.must(r.store.SaveSetAside(t.Context(), watch.SetAside{
				Network: chain.Polygon, PaymentID: p.ID, From: r.cursor().Scanned.Number + 1,
				Since: r.now(), NextAt: r.now(),
				Attempts: 1, Reason: "a test",
			}))
		}
		r.watcher.Refresh()
		r.readFor(65 * time.Second)
		if left, err := r.store.SetAsides(t.Context(), chain.Polygon); err != nil || len(left) != 0 {
			t.Errorf("%d payments were not read again after one round and some seconds, %v", len(left), err)
		}
	})
	t.Run("AnExpiryIsReadOnceItsTimeMayBeFinal", func(t *testing.T) {
		t.Parallel()
		const untilFinal = 2 * time.Minute
		r := newRig(t, 1, func(p *chain.Profile) { p.Finality = chain.Finality{Depth: untilFinal} })
		r.chain.Mine(int(2 * untilFinal / time.Second))
		reader := r.paced()
		r.readFor(time.Second)
		p := r.start()
		expires := r.get(p).ExpiresAt
		r.readFor(expires.Sub(r.now()))
		rounds := reader.rounds
		r.readFor(untilFinal + 20*time.Second)
		if got := r.get(p).ExpiresAt; !got.Equal(expires) {
			t.Fatalf("the payment was extended from %s to %s", expires, got)
		}
		if reader.rounds > rounds+4 {
			t.Errorf("%d rounds in the %s until the payment's last block was final", reader.rounds-rounds, untilFinal)
		}
		if at := r.cursor().Scanned.Time; at.Before(expires) {
			t.Errorf("%s after the end of the payment the network is read up to %s before it", r.now().Sub(expires), expires.Sub(at))
		}
	})
	t.Run("APauseIsNoOutage", func(t *testing.T) {
		t.Parallel()
		r := newRig(t, 1)
		r.paced()
		r.readFor(6 * time.Minute)
		p := r.start()
		expires := r.get(p).ExpiresAt
		r.readFor(2 * time.Minute)
		if got := r.get(p); !got.ExpiresAt.Equal(expires) {
			t.Errorf("the payment was extended from %s to %s after a quiet time", expires, got.ExpiresAt)
		}
	})
}
