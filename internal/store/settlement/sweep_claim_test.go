package settlement_test

import (
	"testing"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/settlement"
	"github.com/florinpay/florin/internal/store/storetest"
)

// Several sweeps are in flight, each with addresses and a nonce of its own.
func TestStore_SweepsInFlight(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		k := w.NewKey(100, 0)
		w.paidIn(k, 11, 3_000_000)
		one := w.planned(w.due()...)
		w.paidIn(k, 12, 4_000_000)
		two := w.planned(w.due()...)
		signed := func(nonce uint64) chain.Attempt {
			a := attempt(1)
			a.Nonce, a.From = nonce, "0xgas"
			return a
		}
		w.Must(w.AddAttempt(t.Context(), one.ID, signed(7)))
		w.Run("Order", func(t *testing.T) {
			list, err := w.InFlight(t.Context(), chain.Polygon)
			w.Must(err)
			if len(list) != 2 || list[0].ID != one.ID || list[1].ID != two.ID || len(list[0].Attempts) != 1 ||
				len(list[1].Attempts) != 0 || len(list[1].Items) != 1 {
				t.Errorf("in flight are %+v", list)
			}
		})
		w.Run("OneAddress", func(t *testing.T) {
			again := settlement.Sweep{
				ID: newSweepID(), Network: chain.Polygon, State: settlement.Planned, CreatedAt: storetest.Start,
				Items: []chain.SweepItem{two.Items[0]},
			}
			again.Items[0].Asset.Contract, again.Items[0].Rescue = "0xother", true
			storetest.WantError(t, "another token of the address", w.PlanSweep(t.Context(), again), settlement.ErrBusy)
		})
		w.Run("OneNonce", func(t *testing.T) {
			storetest.WantError(
				t, "the nonce of another sweep", w.AddAttempt(t.Context(), two.ID, signed(7)), settlement.ErrBusy,
			)
			stored, err := w.Sweep(t.Context(), two.ID)
			w.Must(err)
			storetest.Same(t, "the state of the refused one", stored.State, settlement.Planned)
			other := signed(7)
			other.From = "0xnew"
			w.Must(w.AddAttempt(t.Context(), two.ID, other))
			bump := signed(7)
			bump.N = 2
			w.Must(w.AddAttempt(t.Context(), one.ID, bump))
		})
		w.Run("Release", func(t *testing.T) {
			w.Must(w.EndSweep(t.Context(), confirmed(one, 20), storetest.Start))
			w.Must(w.EndSweep(t.Context(), confirmed(two, 20), storetest.Start))
			for _, table := range []string{"sweep_claims", "sweep_nonces"} {
				storetest.Same(t, table, w.Count("SELECT count(*) FROM "+table), int64(0))
			}
		})
	})
}
