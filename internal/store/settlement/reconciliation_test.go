package settlement_test

import (
	"testing"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/settlement"
	"github.com/florinpay/florin/internal/store/storetest"
)

// How far a comparison is outlives the program, until it has come to its end.
func TestStore_Reconciliation(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		want := func(what string, want settlement.Reconciliation, wantOK bool) {
			t.Helper()
			got, ok, err := w.Reconciliation(t.Context())
			w.Must(err)
			if ok != wantOK {
				t.Errorf("%s: stored: %v", what, ok)
			}
			storetest.Same(t, what, got, want)
		}
		want("none", settlement.Reconciliation{}, false)
		r := settlement.Reconciliation{
			StartedAt: storetest.Start, Networks: "BASE,POLYGON",
			Place: settlement.ReconcilePlace{
				Last: settlement.DepositAddress{Payment: 7, Network: chain.Base}, Done: 300, Found: 1,
			},
		}
		for range 2 {
			w.Must(w.SaveReconciliation(t.Context(), r))
			want("saved", r, true)
			r.Place.Last.Payment, r.Place.Done = 9, 600
		}
		w.Must(w.EndReconciliation(t.Context()))
		want("ended", settlement.Reconciliation{}, false)
	})
}
