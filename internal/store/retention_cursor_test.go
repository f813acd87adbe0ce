package store_test

import (
	"errors"
	"testing"

	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store/storetest"
)

// A reader of GET /events who has missed what was dropped is refused; one who has read it goes on, and no position is
// given twice.
func TestStore_DropBatch_Cursor(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		k := w.NewKey(500, 0)
		read := func(after string) ([]payment.Event, string, error) {
			t.Helper()
			return w.PublicEvents(t.Context(), k.ID, after, 100)
		}
		for range 4 {
			w.cancelled(k, storetest.Start, "DELIVERED")
		}
		first, middle, err := w.PublicEvents(t.Context(), k.ID, "", 2)
		w.Must(err)
		storetest.Same(t, "events of the first page", len(first), 2)
		_, end, err := read(middle)
		w.Must(err)
		w.dropOld(keepPolicy, muchLater)

		if _, _, err := read(middle); !errors.Is(err, payment.ErrEventsDropped) {
			t.Errorf("after what was dropped: %v", err)
		}
		if list, next, err := read(end); err != nil || len(list) != 0 || next != end {
			t.Errorf("at the end: %d events, %q, %v", len(list), next, err)
		}
		if list, next, err := read(""); err != nil || len(list) != 0 || next != "" {
			t.Errorf("from the beginning: %d events, %q, %v", len(list), next, err)
		}
		fresh := w.cancelled(k, muchLater, "DELIVERED")
		list, next, err := read(end)
		if err != nil || len(list) != 1 || list[0].PaymentID != fresh.ID || next == end {
			t.Errorf("a new event: %v, %q, %v", list, next, err)
		}
		if _, _, err := read(middle); !errors.Is(err, payment.ErrEventsDropped) {
			t.Errorf("after what was dropped, with a new event: %v", err)
		}

		// Events that were never read are missed, too.
		unread := w.cancelled(k, muchLater, "DELIVERED")
		w.dropOld(keepPolicy, muchLater.Add(500*day))
		w.counts("the unread event", 0, "SELECT count(*) FROM feed"+ofPayment(unread))
		if _, _, err := read(next); !errors.Is(err, payment.ErrEventsDropped) {
			t.Errorf("after an unread event that was dropped: %v", err)
		}
		last := w.cancelled(k, muchLater.Add(500*day), "DELIVERED")
		if list, _, err := read(""); err != nil || len(list) != 1 || list[0].PaymentID != last.ID {
			t.Errorf("what is left: %v, %v", list, err)
		}
	})
}
