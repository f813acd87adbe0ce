package watch_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/payment/watch"
)

// safeRule makes the rig credit at the safe block, which trails the newest one, as
// on Base.
func safeRule(p *chain.Profile) { p.Finality = chain.Finality{Tag: chain.TagSafe} }

// TestWatcher_SafeGoesBack: a second endpoint some blocks behind, without any
// reorganisation, takes back nothing that was credited.
func TestWatcher_SafeGoesBack(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		endpoints int
		lag       func(*rig)
	}{
		"OneEndpoint": {1, func(r *rig) { r.endpoints[0].Set(chaintest.Faults{Lag: 2}) }},
		"SecondLags":  {2, func(r *rig) { r.endpoints[1].Set(chaintest.Faults{Lag: 2}) }},
		"OnlyTheSecond": {2, func(r *rig) {
			r.endpoints[0].Set(chaintest.Faults{Down: 1})
			r.endpoints[1].Set(chaintest.Faults{Lag: 2})
		}},
		"BothLag": {2, func(r *rig) {
			r.endpoints[0].Set(chaintest.Faults{Lag: 1})
			r.endpoints[1].Set(chaintest.Faults{Lag: 2})
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, again := range []bool{false, true} { // the program is started again meanwhile
				r := newRig(t, row.endpoints, safeRule)
				paid, half := r.start(), r.start()
				r.chain.Mine(rigFinalDepth)
				r.pay(paid)
				r.send(half, "USDC", tenUSDC/2)
				r.chain.Mine(1 + rigSafeDepth)
				r.watch()
				r.expect(paid, payment.Completed, tenUSDC)
				r.expect(half, payment.Started, tenUSDC/2)
				row.lag(r)
				w := r.watcher
				if again {
					w = r.on(r.store, r.reader())
				}
				for range 3 {
					_ = w.RunOnce(t.Context())
				}
				if p := r.expect(paid, payment.Completed, tenUSDC); p.Reorged {
					t.Error("credited money counts as vanished")
				}
				r.expect(half, payment.Started, tenUSDC/2)
				if _, err := r.service.Cancel(t.Context(), string(half.ID), audit.Act{}); err == nil {
					t.Error("a payment that was half paid could be cancelled")
				}
				for _, e := range r.endpoints {
					e.Set(chaintest.Faults{})
				}
				r.chain.Mine(rigFinalDepth + 2)
				_ = w.RunOnce(t.Context())
				r.pass(0)
				if p := r.expect(paid, payment.Completed, tenUSDC); p.Reorged {
					t.Error("credited money counts as vanished")
				}
			}
		})
	}
}

// TestWatcher_Omitted: a deposit that one endpoint leaves out has not vanished.
func TestWatcher_Omitted(t *testing.T) {
	t.Parallel()
	for endpoints := 1; endpoints <= 2; endpoints++ {
		r := newRig(t, endpoints, safeRule)
		p := r.start()
		r.pay(p)
		r.chain.Mine(1)
		r.watch()
		if got := r.get(p).Incoming().Micros(); got != tenUSDC {
			t.Fatalf("incoming %s", got)
		}
		omit := chaintest.Faults{Omit: func(map[string]any) bool { return true }}
		for _, e := range r.endpoints {
			e.Set(omit)
		}
		w := r.on(r.store, r.reader())
		r.must(w.RunOnce(t.Context()))
		if got := r.get(p).Incoming().Micros(); got != tenUSDC {
			t.Errorf("%d endpoints: incoming %s after the logs left it out", endpoints, got)
		}
		r.chain.Mine(rigFinalDepth + 1)
		r.must(w.RunOnce(t.Context()))
		r.expect(p, payment.Started, 0)
		if h := w.Health(); h.SetAside != 1 {
			t.Errorf("%d endpoints: health %+v", endpoints, h)
		}
		for _, e := range r.endpoints {
			e.Set(chaintest.Faults{})
		}
		r.chain.Wait(30e9)
		r.chain.Mine(1)
		r.must(w.RunOnce(t.Context()))
		r.expect(p, payment.Completed, tenUSDC)
	}
}

// TestWatcher_OneWord: one endpoint that calls its newest block final credits
// nothing.
func TestWatcher_OneWord(t *testing.T) {
	t.Parallel()
	for boaster := range 2 {
		r := newRig(t, 2)
		p := r.start()
		r.watch()
		r.endpoints[boaster].Set(chaintest.Faults{Tag: func(string) string { return "latest" }})
		r.pay(p)
		r.chain.Mine(1)
		r.watch()
		r.expect(p, payment.Started, 0)
		r.chain.Drop(1, false)
		r.chain.Mine(rigFinalDepth + 2)
		r.watch()
		r.expect(p, payment.Started, 0)
	}
}

// TestWatcher_FinalityStalls: a network that goes on making blocks and makes none of
// them final is slow: it is not offered, what comes is still seen, timers stand, and
// the time is given back once it makes blocks final again.
func TestWatcher_FinalityStalls(t *testing.T) {
	t.Parallel()
	for name, rule := range map[string]chain.Finality{
		"Finalized": {Tag: chain.TagFinalized}, "Safe": {Tag: chain.TagSafe},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, 2, func(p *chain.Profile) {
				p.Finality, p.SafeLimit, p.FinalizedLimit = rule, time.Minute, time.Minute
			})
			waiting, paid := r.start(), r.start()
			frozen := r.chain.Blocks()[r.cursor().Scanned.Number].Number
			freeze := chaintest.Faults{Tag: func(string) string { return hexNumber(frozen) }}
			for _, e := range r.endpoints {
				e.Set(freeze)
			}
			for range 50 {
				r.chain.Mine(1)
				r.watch()
			}
			if h := r.watcher.Health(); !h.OK {
				t.Errorf("within the limit: %+v", h)
			}
			r.pay(paid)
			for range 50 {
				r.chain.Mine(1)
				r.watch()
			}
			h := r.watcher.Health()
			if h.OK || !h.Stalled || h.Reason == "" || h.FinalAge < time.Minute {
				t.Errorf("after 100 s: %+v", h)
			}
			if got := r.get(paid).Incoming().Micros(); got != tenUSDC {
				t.Errorf("incoming %s while nothing becomes final", got)
			}
			fresh, err := r.service.Create(t.Context(), payment.CreateInput{KeyID: r.key.ID, Amount: "10"}, audit.Act{})
			r.must(err)
			choice := payment.Choice{Network: chain.Polygon, Token: money.USDC}
			_, err = r.service.Start(t.Context(), string(fresh.ID), choice, audit.Act{})
			if !fault.Is(err, fault.Unavailable) {
				t.Errorf("start on a network that confirms slowly: %v", err)
			}
			r.watchFor(rigTTL)
			r.must(r.expirer.RunOnce(t.Context()))
			r.expect(waiting, payment.Started, 0)

			for _, e := range r.endpoints {
				e.Set(chaintest.Faults{})
			}
			r.chain.Mine(rigFinalDepth + 1)
			r.watch()
			r.must(r.expirer.RunOnce(t.Context()))
			r.expect(paid, payment.Completed, tenUSDC)
			if p := r.expect(waiting, payment.Started, 0); p.ExpiresAt.Sub(waiting.ExpiresAt) < rigTTL {
				t.Errorf("given back %s", p.ExpiresAt.Sub(waiting.ExpiresAt))
			}
			if h := r.watcher.Health(); !h.OK || h.Stalled {
				t.Errorf("afterwards: %+v", h)
			}
		})
	}
}

// TestWatcher_FinalityUnknown: where two endpoints have never agreed, reading does not
// begin at the first block of the chain, and the network is not offered.
func TestWatcher_FinalityUnknown(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	r.chain.Wait(time.Hour)
	r.chain.Mine(20)
	r.endpoints[1].Set(chaintest.Faults{Down: 1})
	w := r.on(r.store, r.reader())
	before := r.cursor().Scanned
	_ = w.RunOnce(t.Context())
	if h := w.Health(); h.OK {
		t.Errorf("health %+v", h)
	}
	if got := r.cursor().Scanned; got != before {
		t.Errorf("the cursor moved from %d to %d", before.Number, got.Number)
	}
	r.endpoints[1].Set(chaintest.Faults{})
	r.pass(2 * time.Minute)
	r.catchUp()
	r.must(w.RunOnce(t.Context()))
	if h := w.Health(); !h.OK {
		t.Errorf("health %+v", h)
	}
}

// nothingFinal is a chain whose endpoints have not agreed on a final block yet.
type nothingFinal struct{ chain.Reader }

func (n nothingFinal) Heads(ctx context.Context) (chain.Heads, error) {
	h, err := n.Reader.Heads(ctx)
	h.Final = chain.Head{Time: time.Unix(0, 0).UTC()}
	h.Finalized = h.Final
	return h, err
}

// TestWatcher_NothingFinal: while no final block is known the network is not offered,
// and the health says why instead of giving an age of decades.
func TestWatcher_NothingFinal(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	w := r.on(r.store, nothingFinal{r.reader()})
	_ = w.RunOnce(t.Context())
	h := w.Health()
	if h.OK || !h.Stalled || h.FinalKnown() || h.FinalAge != 0 || h.FinalIn != 0 ||
		h.Reason == "" || h.Detail != "no final block is known yet" {
		t.Errorf("health %+v", h)
	}
}

// TestWatcher_FollowerKnowsNothing: an instance that follows reports a network as
// fine only while the leader reads it.
func TestWatcher_FollowerKnowsNothing(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	lease := func() {
		_, err := r.store.Lease(t.Context(), "watch:"+string(chain.Polygon), "one", r.now(), r.now().Add(time.Hour))
		r.must(err)
	}
	lease()
	follower := watch.NewWatcher(r.profile, r.reader(), r.store, "two", r.now, slog.New(slog.DiscardHandler))
	r.must(follower.RunOnce(t.Context()))
	if h := follower.Health(); !h.OK {
		t.Errorf("while the leader reads: %+v", h)
	}
	for range 10 {
		r.chain.Wait(10 * time.Second)
		r.chain.Mine(1)
		lease()
		_ = follower.RunOnce(t.Context())
	}
	if h := follower.Health(); h.OK {
		t.Errorf("after the leader has read nothing for minutes: %+v", h)
	}
}

// finals counts the quick reads that ask for the final block.
type finals struct {
	chain.Reader

	asked int
}

func (f *finals) QuickRead(ctx context.Context, l chain.Look) (chain.QuickRead, error) {
	if l.Final {
		f.asked++
	}
	return f.Reader.QuickRead(ctx, l)
}

// TestWatcher_FinalOnce: an endpoint calls its newest block final for a moment. Some rounds later it is not asked every
// second any more what is final, before anything can be.
func TestWatcher_FinalOnce(t *testing.T) {
	t.Parallel()
	const behind = 100 // blocks, of a second each
	r := newRig(t, 1)
	r.chain.Mine(2 * behind)
	tag := func(string) string { return hexNumber(r.chain.Head().Number - behind) }
	r.endpoints[0].Set(chaintest.Faults{Tag: tag})
	r.watcher.Release(t.Context())
	reader := &finals{Reader: r.reader()}
	r.watcher = watch.NewWatcher(r.profile, reader, r.store, "finals", r.now, slog.New(slog.DiscardHandler))
	r.must(r.watcher.RunOnce(t.Context()))
	r.endpoints[0].Set(chaintest.Faults{Tag: func(string) string { return "latest" }})
	r.must(r.watcher.RunOnce(t.Context()))
	r.endpoints[0].Set(chaintest.Faults{Tag: tag})
	for range 2 * behind {
		r.chain.Mine(1)
		r.must(r.watcher.RunOnce(t.Context()))
	}
	p := r.start()
	r.pay(p)
	r.readFor(behind * time.Second * 3 / 4)
	if got := r.get(p); len(got.Deposits) != 1 || reader.asked > 0 {
		t.Errorf("%d deposits, asked %d times what is final", len(got.Deposits), reader.asked)
	}
	r.readFor(behind * time.Second / 2)
	if got := r.get(p); got.Status != payment.Completed || reader.asked == 0 {
		t.Errorf("the payment is %s, asked %d times what is final", got.Status, reader.asked)
	}
}
