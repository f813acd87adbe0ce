package merchant_test

import (
	"testing"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/store/storetest"
)

// Entries and their audit entry are posted together or not at all.
func TestStore_PostEntries(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		k := w.NewKey(5, 0)
		entry := audit.Entry{UserID: k.UserID, At: storetest.Start, Actor: "op@example.com", Action: audit.ActionGrant}
		audited := func() int {
			list, err := w.AuditLog(t.Context(), k.UserID, k.UserID, 0, 10)
			w.Must(err)
			n := 0
			for _, a := range list {
				if a.Action == audit.ActionGrant {
					n++
				}
			}
			return n
		}
		grant := ledger.Grant(k.ID, ledger.Credit, 100, ledger.ReasonGrant, "grant:1", storetest.Start)
		left, err := w.PostEntries(t.Context(), k.ID, []ledger.Entry{grant},
			audit.Record{Entries: []audit.Entry{entry}})
		if err != nil || left.Credits != 105 || audited() != 1 {
			t.Errorf("PostEntries = %+v, %v with %d audit entries; want 105 credits and 1", left, err, audited())
		}
		spend := ledger.Spend(k.ID, ledger.Query, ledger.ReasonOperation, "x", storetest.Start)
		_, err = w.PostEntries(t.Context(), k.ID, []ledger.Entry{spend}, audit.Record{Entries: []audit.Entry{entry}})
		storetest.WantError(t, "an entry that is not covered", err, ledger.ErrNoQueries)
		if n := audited(); n != 1 {
			t.Errorf("a refused posting left %d audit entries, want 1", n)
		}
	})
}

// Of the keys that a user creates at the same time, one is the first.
func TestStore_CreateKeyWithin_Earlier(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		k := w.NewKey(0, 0)
		seen := make(chan int64, 100)
		errs := make(chan error, 3)
		for i := range 3 {
			go func() {
				next := merchant.Key{
					Permissions: merchant.AllPermissions(),
					PublicID:    "01JD000000000000000000000" + string(rune('A'+i)), UserID: k.UserID,
					Hash: storetest.HashOf(string(rune('A' + i))), CreatedAt: storetest.Start,
				}
				_, err := w.CreateKeyWithin(t.Context(), next, func(_, earlier int64) []ledger.Entry {
					seen <- earlier
					return nil
				}, nil, audit.Record{})
				errs <- err
			}()
		}
		counts := map[int64]bool{}
		for range 3 {
			w.Must(<-errs)
		}
		close(seen)
		for n := range seen {
			counts[n] = true
		}
		if !counts[1] || !counts[2] || !counts[3] {
			t.Errorf("the keys were given %v earlier ones, want 1, 2 and 3", counts)
		}
	})
}
