package payment_test

import (
	"testing"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/payment"
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
				if _, err := r.service.Cancel(t.Context(), string(half.ID)); err == nil {
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
