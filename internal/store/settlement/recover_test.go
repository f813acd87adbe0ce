package settlement_test

import (
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/settlement"
	"github.com/florinpay/florin/internal/store/storetest"
)

// TestStore_SweepOfUnknownPayment: the money of a payment that the database has lost is swept by its txnid, beside that
// of a payment it knows.
func TestStore_SweepOfUnknownPayment(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		known := w.paidIn(w.NewKey(100, 0), 11, 3_000_000)
		due := w.due()
		lost := due[0]
		lost.PaymentID = string(storetest.NewID())
		lost.Address = chain.AddressOf(chain.Polygon, append([]byte{0xee}, lost.Address.Raw[1:]...))
		s := sweepOf(due[0], lost)
		storetest.WantError(t, "a sweep that is no rescue", w.PlanSweep(t.Context(), s), settlement.ErrBusy)
		for i := range s.Items {
			s.Items[i].Rescue = true
		}
		w.Must(w.PlanSweep(t.Context(), s))
		stored, err := w.Sweep(t.Context(), s.ID)
		w.Must(err)
		storetest.Same(t, "the items", stored.Items, s.Items)
		w.Must(w.AddAttempt(t.Context(), s.ID, attempt(1)))
		w.Must(w.EndSweep(t.Context(), confirmed(s, 12), storetest.Start.Add(time.Minute)))
		stored, err = w.Sweep(t.Context(), s.ID)
		w.Must(err)
		if len(stored.Moved) != 2 || stored.Moved[1].Units.Cmp(money.UnitsFromUint64(3_000_000)) != 0 {
			t.Errorf("it moved %v", stored.Moved)
		}
		storetest.Same(t, "the known payment's deposits are swept", swept(w.Stored(known.ID)), []bool{true})
		if n := w.Count("SELECT count(*) FROM deposit_balances"); n != 1 {
			t.Errorf("there are %d balances, want the known payment's", n)
		}
	})
}
