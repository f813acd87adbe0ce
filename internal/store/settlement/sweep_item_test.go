package settlement_test

import (
	"slices"
	"testing"

	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store/storetest"
)

// An item does not repeat what the route of its payment says, and is read whole.
func TestStore_PlanSweep_Items(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		k := w.NewKey(10, 0)
		w.paidIn(k, 100, 12_500_000)
		w.paidIn(k, 100, 7_000_000)
		s := w.planned(w.due()...)
		storetest.Same(t, "items that repeat a route",
			w.Count("SELECT count(*) FROM sweep_items WHERE txnid <> '' OR length(raw) > 0 OR length(settlement) > 0"), int64(0))
		read, err := w.Sweep(t.Context(), s.ID)
		w.Must(err)
		storetest.Same(t, "items", read.Items, s.Items)
		list, err := w.Reports().SweepsOf(t.Context(), w.Stored(payment.ID(s.Items[0].PaymentID)).Number)
		w.Must(err)
		if len(list) != 1 || list[0].Settlement != s.Items[0].Settlement {
			t.Errorf("sweeps of the payment are %+v", list)
		}
		twice := sweepOf(w.due()...)
		twice.Items = append(slices.Clone(s.Items), s.Items[0])
		if err := w.PlanSweep(t.Context(), twice); err == nil {
			t.Error("a balance is in a sweep twice")
		}
	})
}
