package store_test

import (
	"fmt"
	"testing"
	"time"

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
		if w.ManyWriters() {
			w.pollsAnew(poll)
		} else {
			w.pollsFromMemory(p.Description, poll)
		}
		w.Update(p.ID, func(p payment.Payment) (payment.Change, error) {
			return p.Cancel(storetest.Start)
		})
		if got := poll(); got.Status != payment.Cancelled || got.Description == p.Description {
			t.Errorf("after it was cancelled a poll says %s, %q", got.Status, got.Description)
		}
		_, err = w.RecentPayment(t.Context(), storetest.NewID())
		storetest.WantError(t, "unknown", err, payment.ErrUnknown)
	})
}

// pollsAnew writes to the payment as another instance does, whose client may ask here at once.
func (w *world) pollsAnew(poll func() payment.Payment) {
	w.T.Helper()
	for i := range 5 {
		want := fmt.Sprintf("written by another instance %d", i)
		w.MustDo(w.SQL().Exec("UPDATE payments SET description = $1", want))
		if got := poll().Description; got != want {
			w.T.Fatalf("a poll says %q after %q was written", got, want)
		}
	}
}

// pollsFromMemory writes to the payment as another process does, without notice, and checks that a poll within a second
// answers what it was before. On a busy machine the second may pass, so it tries some times.
func (w *world) pollsFromMemory(before string, poll func() payment.Payment) {
	w.T.Helper()
	const tries = 50
	for i := range tries {
		w.MustDo(w.SQL().Exec("UPDATE payments SET description = $1", before))
		time.Sleep(time.Second)
		begun := time.Now()
		if got := poll().Description; got != before {
			w.T.Fatalf("after a second a poll still says %q", got)
		}
		w.MustDo(w.SQL().Exec("UPDATE payments SET description = $1", fmt.Sprintf("written by another process %d", i)))
		got := poll().Description
		if time.Since(begun) >= time.Second {
			continue
		}
		if got != before {
			w.T.Errorf("a poll reads anew: %q", got)
		}
		return
	}
	w.T.Errorf("in %d tries two polls were never within a second", tries)
}
