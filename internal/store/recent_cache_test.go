package store

import (
	"crypto/rand"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/payment"
)

// What was read before a change and arrives after it is not kept; nor is
// anything kept for longer than a second, or without bound.
func TestRecent(t *testing.T) {
	t.Parallel()
	now := time.Now()
	p := payment.Payment{ID: payment.ID(rand.Text())}
	r := newRecent(false)
	has := func(at time.Time) bool { _, ok, _ := r.get(p.ID, at); return ok }
	for name, change := range map[string]payment.ID{"its change": p.ID, "unknown changes": ""} {
		_, _, changes := r.get(p.ID, now)
		r.forget(change)
		r.put(p, changes, now)
		if has(now) {
			t.Errorf("%s: what was read before it is kept", name)
		}
	}
	_, _, changes := r.get(p.ID, now)
	r.put(p, changes, now)
	if !has(now.Add(recentFor-1)) || has(now.Add(recentFor)) {
		t.Error("it is not kept for a second")
	}
	r.forget("")
	if has(now) {
		t.Error("it is kept when any payment may have changed")
	}
	for range 2 * maxRecent {
		q := payment.Payment{ID: payment.ID(rand.Text())}
		_, _, changes := r.get(q.ID, now)
		r.put(q, changes, now)
	}
	if len(r.kept) > maxRecent {
		t.Errorf("%d payments are kept", len(r.kept))
	}
	p.Deposits = make([]payment.Deposit, maxRecentDeposits+1)
	_, _, changes = r.get(p.ID, now)
	r.put(p, changes, now)
	if has(now) {
		t.Error("a payment with many deposits is kept")
	}
}
