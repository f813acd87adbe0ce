package watch_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/payment/watch"
)

// TestWatcher_FollowerBehind: an instance that follows does not offer a network that the
// leader has marked as behind, however lately its cursor was stored, nor one without a cursor.
func TestWatcher_FollowerBehind(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	_, err := r.store.Lease(t.Context(), "watch:"+string(chain.Polygon), "one", r.now(), r.now().Add(time.Hour))
	r.must(err)
	follower := watch.NewWatcher(r.profile, r.reader(), r.store, "two", r.now, slog.New(slog.DiscardHandler))
	c := r.cursor()
	for _, behind := range []time.Time{{}, r.now()} {
		c.BehindSince, c.UpdatedAt = behind, r.now()
		r.must(r.store.SaveCursor(t.Context(), chain.Polygon, c))
		r.must(follower.RunOnce(t.Context()))
		if h := follower.Health(); h.OK != behind.IsZero() || !h.OK && h.Reason == "" {
			t.Errorf("behind since %v: %+v", behind, h)
		}
	}
	s := &blank{Store: r.store}
	unread := watch.NewWatcher(r.profile, r.reader(), s, "three", r.now, slog.New(slog.DiscardHandler))
	r.must(unread.RunOnce(t.Context()))
	if h := unread.Health(); h.OK {
		t.Errorf("a network that no instance has read: %+v", h)
	}
}

// blank is a database without a cursor, stored this moment for all it says.
type blank struct{ watch.Store }

func (b *blank) Cursor(ctx context.Context, n chain.Network) (watch.Cursor, bool, error) {
	c, _, err := b.Store.Cursor(ctx, n)
	c.BehindSince = time.Time{}
	return c, false, err
}

// misconfigured is a network that is another one than configured, until it is not.
type misconfigured struct {
	chain.Reader
	err    error
	checks int
}

func (m *misconfigured) Check(context.Context) error {
	m.checks++
	return m.err
}

// TestWatcher_NotConfigured: a chain that is not the configured one is not read and not
// offered; it is checked again now and then, and no more once it is right.
func TestWatcher_NotConfigured(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	p := r.start()
	reader := &misconfigured{Reader: r.reader(), err: errors.New("it is chain 1")}
	w := r.on(r.store, reader)
	r.pay(p)
	r.chain.Mine(rigFinalDepth + 1)
	for range 3 {
		if err := w.RunOnce(t.Context()); err == nil {
			t.Fatal("another chain was read")
		}
	}
	if h := w.Health(); h.OK || h.Reason == "" || h.Detail != "it is chain 1" || reader.checks != 1 {
		t.Errorf("health %+v after %d checks", h, reader.checks)
	}
	r.expect(p, payment.Started, 0)
	reader.err, reader.checks = nil, 0
	r.pass(10 * time.Second)
	for range 3 {
		r.must(w.RunOnce(t.Context()))
	}
	if h := w.Health(); !h.OK || reader.checks != 1 {
		t.Errorf("health %+v after %d checks", h, reader.checks)
	}
	r.expect(p, payment.Completed, tenUSDC)
}

// TestWatcher_CreditedReplaced: where credited blocks are replaced, the money of the blocks
// in their place counts as early as it would have in the first.
func TestWatcher_CreditedReplaced(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1, func(p *chain.Profile) { p.Finality = chain.Finality{Depth: time.Second} })
	first, second := r.start(), r.start()
	r.pay(first)
	r.chain.Mine(2)
	r.watch()
	r.expect(first, payment.Completed, tenUSDC)
	block := r.cursor().Scanned.Number
	r.chain.Drop(2, false)
	r.pay(second)
	r.chain.Mine(1) // in place of the block that the cursor is on
	r.chain.Mine(2)
	r.watch()
	if d := r.get(second).Deposits; len(d) != 1 || d[0].Transfer.Block.Number > block {
		t.Fatalf("the test shows nothing: %+v", d)
	}
	p := r.expect(second, payment.Completed, tenUSDC)
	if p.Deposits[0].Rechecked {
		t.Error("it was credited only when its block was finalized")
	}
}

// TestWatcher_FinalizedGoesBack: an endpoint whose finalized tag is behind what was rechecked
// makes no rechecked money doubtful.
func TestWatcher_FinalizedGoesBack(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1, safeRule)
	p := r.start()
	r.pay(p)
	r.chain.Mine(rigFinalDepth + 2)
	r.watch()
	before := r.cursor()
	if p = r.expect(p, payment.Completed, tenUSDC); !p.Deposits[0].Rechecked {
		t.Fatal("not rechecked")
	}
	r.endpoints[0].Set(chaintest.Faults{Tag: func(tag string) string {
		if tag == "finalized" {
			return hexNumber(1)
		}
		return ""
	}})
	w := r.on(r.store, r.reader())
	for range 3 {
		r.chain.Mine(1)
		r.must(w.RunOnce(t.Context()))
	}
	if c := r.cursor(); c.Rechecked.Number < before.Rechecked.Number {
		t.Errorf("rechecked fell from %d to %d", before.Rechecked.Number, c.Rechecked.Number)
	}
	if p = r.expect(p, payment.Completed, tenUSDC); !p.Deposits[0].Rechecked || p.Reorged {
		t.Errorf("rechecked %v, reorged %v", p.Deposits[0].Rechecked, p.Reorged)
	}
}

// leaseless is a database that answers no question about leases.
type leaseless struct{ watch.Store }

var errLeases = errors.New("leases cannot be read")

func (leaseless) Lease(context.Context, string, string, time.Time, time.Time) (bool, error) {
	return false, errLeases
}

// TestWatcher_FirstRound: a network is new until a round has ended, also one that failed at the database.
func TestWatcher_FirstRound(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	for store, want := range map[watch.Store]payment.Health{
		r.store: {OK: true}, leaseless{r.store}: {Detail: errLeases.Error()},
	} {
		w := watch.NewWatcher(r.profile, r.reader(), store, "two", r.now, slog.New(slog.DiscardHandler))
		if h := w.Health(); h.OK || !h.New {
			t.Errorf("before the first round: %+v", h)
		}
		if err := w.RunOnce(t.Context()); (err == nil) != want.OK {
			t.Error(err)
		}
		if h := w.Health(); h.New || h.OK != want.OK || !strings.Contains(h.Detail, want.Detail) {
			t.Errorf("after it: %+v", h)
		}
	}
}
