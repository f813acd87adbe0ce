package main

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/settlement"
	"github.com/florinpay/florin/internal/store"
	"github.com/florinpay/florin/internal/store/storetest"
	"github.com/florinpay/florin/internal/testkit"
)

// TestReconcile_Begin: only a comparison of the same networks is gone on with, and only where that is wanted.
func TestReconcile_Begin(t *testing.T) {
	t.Parallel()
	s, err := store.Open(t.Context(), storetest.SQLite(t), storetest.Sealer(1),
		store.Options{Log: slog.New(slog.DiscardHandler)})
	testkit.Must(t, err)
	t.Cleanup(func() { _ = s.Close() })
	of := func(list ...chain.Network) (all []settlement.ReconciledNetwork) {
		for _, n := range list {
			all = append(all, settlement.ReconciledNetwork{Profile: chain.Profile{Network: n}})
		}
		return all
	}
	want := func(what string, resume bool, networks []settlement.ReconciledNetwork, done int, refusal string) {
		t.Helper()
		run, err := reconcile{Resume: resume}.begin(t.Context(), s, networks)
		switch {
		case refusal != "" && (err == nil || !strings.Contains(err.Error(), refusal)):
			t.Errorf("%s: %v, want %q", what, err, refusal)
		case refusal == "" && (err != nil || run.Place.Done != done):
			t.Errorf("%s: %+v, %v, want %d done", what, run, err, done)
		}
	}
	want("nothing stopped", true, of(chain.Base), 0, "no comparison was stopped")
	want("new", false, of(chain.Base), 0, "")
	err = s.Settlement().SaveReconciliation(t.Context(), settlement.Reconciliation{
		StartedAt: time.Now(), Networks: "BASE,POLYGON",
		Place: settlement.ReconcilePlace{Last: settlement.DepositAddress{Payment: 4, Network: chain.Base}, Done: 300},
	})
	testkit.Must(t, err)
	want("gone on with", true, of(chain.Polygon, chain.Base), 300, "")
	want("begun again", false, of(chain.Polygon, chain.Base), 0, "")
	want("other networks", true, of(chain.Base), 0, "networks BASE,POLYGON, and now there are BASE")
}
