package watch_test

import (
	"testing"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/payment/watch"
)

// TestWatcher_Rest: addresses of payments that ended are read a part at a time, those of open payments in every round,
// and every one of them in its turn.
func TestWatcher_Rest(t *testing.T) {
	t.Parallel()
	const crowd, minutes = 6_500, 30
	r, s := newSlotRig(t, crowd)
	r.rounds(10 * time.Minute) // the first pass
	p := r.start()
	clear(s.asked)
	r.rounds(minutes * time.Minute)
	open, total, least := 0, 0, minutes
	for a, n := range s.asked {
		if a == p.Routes[0].Address.Address {
			open = n
			continue
		}
		total += n
		least = min(least, n)
	}
	if open < minutes {
		t.Errorf("the address of an open payment was read %d times in %d rounds", open, minutes)
	}
	// 20 a second on average.
	if most := 20*60*minutes + 2_000; total > most || len(s.asked) != crowd+1 || least < minutes/6-2 {
		t.Errorf("%d of %d addresses of ended payments were read %d times, at most %d; the least of them %d times",
			len(s.asked)-1, crowd, total, most, least)
	}
}

// TestWatcher_RestLate: late money is found within a pass, once, also where the program was started again meanwhile.
func TestWatcher_RestLate(t *testing.T) {
	t.Parallel()
	for name, again := range map[string]bool{"Running": false, "StartedAgain": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, s := newSlotRig(t, 2_500)
			p := r.ended()
			r.pass(time.Second)
			s.pays(p)
			r.rounds(2 * time.Minute)
			if again {
				r.newWatcher(s, 2_500)
			}
			r.rounds(12 * time.Minute)
			r.expect(p, payment.Cancelled, tenUSDC)
			r.rounds(12 * time.Minute)
			if n := len(r.expect(p, payment.Cancelled, tenUSDC).Deposits); n != 1 {
				t.Errorf("%d deposits", n)
			}
			if c := r.cursor(); c.Ended == 0 || c.Ended >= c.Scanned.Number {
				t.Errorf("ended payments are read up to %d, the others up to %d", c.Ended, c.Scanned.Number)
			}
		})
	}
}

// TestWatcher_RestHidden: one endpoint is all there is, and hides late money the first time it is asked, whether the
// address rests or its page is open.
func TestWatcher_RestHidden(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]bool{"Rests": false, "Open": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, s := newSlotRig(t, 100)
			p := r.ended()
			r.pass(time.Second)
			s.pays(p)
			r.pass(30 * time.Second) // it is final
			s.hides = true
			clear(s.asked)
			r.watch()
			presence := watch.NewPresence(r.store, map[chain.Network]*watch.Watcher{chain.Solana: r.watcher}, r.now)
			minute := func() {
				if open {
					presence.Look(r.get(p))
					r.must(presence.RunOnce(t.Context()))
				}
				r.rounds(time.Minute)
			}
			minute()
			for s.asked[p.Routes[0].Address.Address] == 0 {
				minute()
			}
			r.expect(p, payment.Cancelled, 0)
			s.hides = false
			for range 15 {
				minute()
			}
			r.expect(p, payment.Cancelled, tenUSDC)
		})
	}
}

// TestWatcher_RestLooked: the address of an ended payment whose page is opened is read at once, with what came while it
// rested, and then in every round.
func TestWatcher_RestLooked(t *testing.T) {
	t.Parallel()
	r, s := newSlotRig(t, 6_500)
	p := r.ended()
	r.rounds(10 * time.Minute)
	watchers := map[chain.Network]*watch.Watcher{chain.Solana: r.watcher}
	presence := watch.NewPresence(r.store, watchers, r.now)
	r.pass(time.Second)
	s.pays(p)
	r.pass(30 * time.Second) // it is final
	presence.Look(r.get(p))
	r.must(presence.RunOnce(t.Context()))
	r.watch()
	r.expect(p, payment.Cancelled, tenUSDC)
	r.pass(time.Second)
	s.pays(p)
	r.pass(time.Second)
	r.watch()
	if got := r.get(p); len(got.Deposits) != 2 || got.Deposits[1].State != payment.DepositSeen {
		t.Errorf("a second payment is not seen before it is final: %+v", got.Deposits)
	}
	if atRisk, err := r.store.AtRisk(t.Context(), chain.Solana, r.now(), r.now()); err != nil ||
		atRisk.Level(r.now()) < watch.Open {
		t.Errorf("the network is read as %s, %v", atRisk.Level(r.now()), err)
	}
}

// TestWatcher_RestGap: no money is missed whenever an address begins to rest or is read in every round again.
func TestWatcher_RestGap(t *testing.T) {
	t.Parallel()
	r, s := newSlotRig(t, 2_500)
	p := r.start()
	p, err := r.service.Cancel(t.Context(), string(p.ID), audit.Act{})
	r.must(err)
	presence := watch.NewPresence(r.store, map[chain.Network]*watch.Watcher{chain.Solana: r.watcher}, r.now)
	paid := 0
	for minute := range 90 {
		s.pays(p)
		paid++
		if minute%25 == 20 {
			presence.Look(r.get(p))
			r.must(presence.RunOnce(t.Context()))
		}
		r.pass(time.Minute)
		r.watch()
	}
	r.rounds(15 * time.Minute)
	if got := len(r.get(p).Deposits); got != paid {
		t.Errorf("%d of %d transfers are recorded", got, paid)
	}
}

// TestWatcher_RestGapFolded: nor are small transfers, which are folded in the order of their blocks.
func TestWatcher_RestGapFolded(t *testing.T) {
	t.Parallel()
	for name, two := range map[string]bool{"One": false, "Two": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, s := newSlotRig(t, 2_500)
			s.two = two
			p := r.start()
			for range payment.FoldFrom {
				s.paysUnits(p, 1)
			}
			p, err := r.service.Cancel(t.Context(), string(p.ID), audit.Act{})
			r.must(err)
			presence := watch.NewPresence(r.store, map[chain.Network]*watch.Watcher{chain.Solana: r.watcher}, r.now)
			paid := money.Micros(payment.FoldFrom)
			for minute := range 90 {
				s.paysUnits(p, 1)
				paid++
				if minute%25 == 20 {
					presence.Look(r.get(p))
					r.must(presence.RunOnce(t.Context()))
				}
				r.pass(time.Minute)
				r.watch()
			}
			r.rounds(30 * time.Minute)
			r.expect(p, payment.Cancelled, paid)
		})
	}
}

// TestWatcher_RestSingle: while one of two endpoints is silent, late money is seen through the other one, and the
// network is offered on, although nothing that rests is read twice.
func TestWatcher_RestSingle(t *testing.T) {
	t.Parallel()
	r, s := newSlotRig(t, 10)
	p := r.ended()
	s.alone = true
	s.pays(p)
	before := r.cursor().Ended
	r.rounds(time.Hour)
	if got := r.get(p); got.Received().Micros() != tenUSDC {
		t.Errorf("%s of late money are recorded", got.Received().Micros())
	}
	if h := r.watcher.Health(); !h.OK || h.Unread == "" {
		t.Errorf("health is %+v", h)
	}
	if c := r.cursor(); c.Ended != before {
		t.Errorf("read twice up to %d, and before the silence up to %d", c.Ended, before)
	}
	s.alone = false
	r.rounds(time.Hour)
	if c := r.cursor(); c.Ended <= before || r.watcher.Health().Unread != "" {
		t.Errorf("afterwards read twice up to %d, before up to %d; health is %+v", c.Ended, before, r.watcher.Health())
	}
}
