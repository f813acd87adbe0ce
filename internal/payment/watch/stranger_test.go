package watch_test

import (
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/payment/watch"
)

// TestWatcher_SpecksCost: whoever sends specks to an open payment has the network read hardly more often, and what
// another one pays is seen as soon as ever.
func TestWatcher_SpecksCost(t *testing.T) {
	t.Parallel()
	for name, pushed := range map[string]bool{"Read": false, "Pushed": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, 1)
			reader := r.paced()
			if pushed {
				r.follow()
			}
			const specks, lasts = 60, 10 * time.Minute
			r.start()
			r.readFor(lasts)
			quiet := reader.rounds
			victim := r.start()
			r.readFor(10 * time.Second)
			before := reader.rounds
			for range specks {
				r.speck(victim, 1, 1)
				if pushed {
					r.watcher.Pushed()
				}
				r.readFor(lasts / specks)
			}
			if rounds := reader.rounds - before; rounds > quiet+specks/2 {
				t.Errorf("%d rounds for %d specks in %s, %d without them", rounds, specks, lasts, quiet)
			}
			other := r.start()
			r.readFor(5 * time.Second)
			r.pay(other)
			r.readFor(3 * time.Second)
			if got := r.get(other); len(got.Deposits) != 1 {
				t.Errorf("3 s after its block %d deposits of another payment are seen", len(got.Deposits))
			}
			r.readFor(2 * time.Minute)
			r.expect(victim, payment.Started, specks)
		})
	}
}

// TestPresence_Ends: a page that stays open, or a program that asks again and again, has its network read closely for
// half an hour, and not for ever.
func TestPresence_Ends(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	presence := watch.NewPresence(r.store, map[chain.Network]*watch.Watcher{chain.Polygon: r.watcher}, r.now)
	p := r.start()
	began := r.now()
	for r.now().Sub(began) < time.Hour {
		presence.Look(p)
		r.must(presence.RunOnce(t.Context()))
		r.pass(10 * time.Second)
	}
	atRisk, err := r.store.AtRisk(t.Context(), chain.Polygon, r.now(), r.now())
	r.must(err)
	if lasted := atRisk.PageUntil.Sub(began); lasted < 25*time.Minute || lasted > 35*time.Minute {
		t.Errorf("the page counts for %s", lasted)
	}
}
