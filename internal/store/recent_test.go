package store

import (
	"testing"
	"time"

	"github.com/florinpay/florin/internal/payment"
)

// A poll gets what was read a moment ago, and a change at once.
func TestStore_RecentPayment(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		p := w.started(w.key(100, 0))
		poll := func() payment.Payment {
			p, err := w.RecentPayment(t.Context(), p.ID)
			w.must(err)
			return p
		}
		same(t, "first", poll(), w.read(p.ID))
		fresh := w.payment(w.key(0, 0))
		got, err := w.RecentPayment(t.Context(), fresh.ID)
		w.must(err)
		same(t, "just created", got, w.read(fresh.ID))
		_, err = w.raw().Exec("UPDATE payments SET description = 'written by another process'")
		w.must(err)
		if got := poll().Description; got != p.Description {
			t.Errorf("a poll reads anew: %q", got)
		}
		_, err = w.UpdatePayment(t.Context(), p.ID, func(p payment.Payment) (payment.Change,
			error,
		) {
			return p.Cancel(start)
		})
		w.must(err)
		if got := poll(); got.Status != payment.Cancelled || got.Description == p.Description {
			t.Errorf("after it was cancelled a poll says %s, %q", got.Status, got.Description)
		}
		_, err = w.RecentPayment(t.Context(), newID())
		wants(t, "unknown", err, payment.ErrUnknown)
	})
}

// Whoever has heard of another instance's change polls it changed.
func TestStore_RecentPayment_OfAnotherInstance(t *testing.T) {
	t.Parallel()
	url := migrated.URL(t)
	w := newWorld(t, mustOpen(t, url), url)
	other := mustOpen(t, url)
	heard := hear(t, other)
	p := w.started(w.key(1, 0))
	for id := next(heard, patience); id != p.ID; id = next(heard, patience) {
		if id == "none" {
			t.Fatal("the start was not heard of")
		}
	}
	_, err := other.RecentPayment(t.Context(), p.ID)
	w.must(err)
	_, err = w.UpdatePayment(t.Context(), p.ID, func(p payment.Payment) (payment.Change, error) {
		return p.Cancel(start)
	})
	w.must(err)
	if id := next(heard, patience); id != p.ID {
		t.Fatalf("heard of %q, not of the change", id)
	}
	changed, err := other.RecentPayment(t.Context(), p.ID)
	w.must(err)
	if changed.Status != payment.Cancelled {
		t.Errorf("a poll says %s after the change was heard of", changed.Status)
	}
}

// What was read before a change and arrives after it is not kept; nor is
// anything kept for longer than a second, or without bound.
func TestRecent(t *testing.T) {
	t.Parallel()
	now := time.Now()
	p := payment.Payment{ID: newID()}
	r := newRecent()
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
		q := payment.Payment{ID: newID()}
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
