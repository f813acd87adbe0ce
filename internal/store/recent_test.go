package store_test

import (
	"testing"

	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store/storetest"
)

// A poll gets what was read a moment ago, and a change at once.
func TestStore_RecentPayment(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		p := w.NewStarted(w.NewKey(100, 0))
		poll := func() payment.Payment {
			p, err := w.RecentPayment(t.Context(), p.ID)
			w.Must(err)
			return p
		}
		storetest.Same(t, "first", poll(), w.Stored(p.ID))
		fresh := w.NewPayment(w.NewKey(0, 0))
		got, err := w.RecentPayment(t.Context(), fresh.ID)
		w.Must(err)
		storetest.Same(t, "just created", got, w.Stored(fresh.ID))
		_, err = w.SQL().Exec("UPDATE payments SET description = 'written by another process'")
		w.Must(err)
		if got := poll().Description; got != p.Description {
			t.Errorf("a poll reads anew: %q", got)
		}
		_, err = w.UpdatePayment(t.Context(), p.ID, func(p payment.Payment) (payment.Change,
			error,
		) {
			return p.Cancel(storetest.Start)
		})
		w.Must(err)
		if got := poll(); got.Status != payment.Cancelled || got.Description == p.Description {
			t.Errorf("after it was cancelled a poll says %s, %q", got.Status, got.Description)
		}
		_, err = w.RecentPayment(t.Context(), storetest.NewID())
		storetest.WantError(t, "unknown", err, payment.ErrUnknown)
	})
}

// After news of another instance's change a poll returns the changed payment.
func TestStore_RecentPayment_OfAnotherInstance(t *testing.T) {
	t.Parallel()
	url := storetest.Migrated.URL(t)
	w := newWorld(t, storetest.Open(t, url), url)
	other := storetest.Open(t, url)
	heard := hear(t, other)
	p := w.NewStarted(w.NewKey(1, 0))
	for id := next(heard, patience); id != p.ID; id = next(heard, patience) {
		if id == "none" {
			t.Fatal("the start was not heard of")
		}
	}
	_, err := other.RecentPayment(t.Context(), p.ID)
	w.Must(err)
	_, err = w.UpdatePayment(t.Context(), p.ID, func(p payment.Payment) (payment.Change, error) {
		return p.Cancel(storetest.Start)
	})
	w.Must(err)
	if id := next(heard, patience); id != p.ID {
		t.Fatalf("heard of %q, not of the change", id)
	}
	changed, err := other.RecentPayment(t.Context(), p.ID)
	w.Must(err)
	if changed.Status != payment.Cancelled {
		t.Errorf("a poll says %s after the change was heard of", changed.Status)
	}
}
