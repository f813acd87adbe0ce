package table_test

import (
	"fmt"
	"testing"

	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/store/storetest"
)

func TestStore_PostLedgerEntries(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		k := w.NewKey(1, 1)
		spend := func(unit ledger.Unit, ref string) ledger.Entry {
			return ledger.Spend(k.ID, unit, ledger.ReasonOperation, ref, storetest.Start)
		}
		grant := func(unit ledger.Unit, n int64, ref string) ledger.Entry {
			return ledger.Grant(k.ID, unit, n, ledger.ReasonGrant, ref, storetest.Start)
		}
		for _, step := range []struct {
			name    string
			entries []ledger.Entry
			err     error
			want    ledger.Balance
		}{
			{"nothing", nil, nil, ledger.Balance{Credits: 1, Queries: 1}},
			{"one of each", []ledger.Entry{spend(ledger.Credit, "a"), spend(ledger.Query, "a")}, nil, ledger.Balance{}},
			{
				"the same again",
				[]ledger.Entry{spend(ledger.Credit, "a"), spend(ledger.Query, "a")},
				nil,
				ledger.Balance{},
			},
			{"no credits", []ledger.Entry{spend(ledger.Credit, "b")}, ledger.ErrNoCredits, ledger.Balance{}},
			{
				"no queries",
				[]ledger.Entry{grant(ledger.Credit, 5, "c"), spend(ledger.Query, "c2")},
				ledger.ErrNoQueries,
				ledger.Balance{},
			},
			{
				"spent before it is granted",
				[]ledger.Entry{spend(ledger.Credit, "d"), grant(ledger.Credit, 5, "d2")},
				ledger.ErrNoCredits,
				ledger.Balance{},
			},
			{
				"granted, then spent",
				[]ledger.Entry{grant(ledger.Credit, 5, "e"), spend(ledger.Credit, "e2")},
				nil,
				ledger.Balance{Credits: 4},
			},
			{
				"twice in one",
				[]ledger.Entry{spend(ledger.Credit, "f"), spend(ledger.Credit, "f")},
				nil,
				ledger.Balance{Credits: 3},
			},
		} {
			w.Run(step.name, func(t *testing.T) {
				got, err := w.Post(k.ID, step.entries)
				storetest.WantError(t, step.name, err, step.err)
				if err == nil {
					storetest.Same(t, step.name, got, step.want)
				}
				read, err := w.Balance(t.Context(), k.ID)
				w.Must(err)
				storetest.Same(t, "balance after "+step.name, read, step.want)
				w.CheckLedger()
			})
		}
		w.Run("UnknownKey", func(t *testing.T) {
			_, err := w.Post(1<<40, []ledger.Entry{
				ledger.Grant(1<<40, ledger.Credit, 1, ledger.ReasonGrant, "x", storetest.Start),
			})
			storetest.WantError(t, "unknown key", err, merchant.ErrUnknownKey)
		})
		w.Run("Refused", func(t *testing.T) {
			for name, e := range map[string]ledger.Entry{
				"another count": grant(ledger.Credit, 6, "e"), "none": grant(ledger.Credit, 0, "g"),
				"negative":     grant(ledger.Credit, -1, "h"),
				"no reference": grant(ledger.Credit, 1, ""),
			} {
				if _, err := w.Post(k.ID, []ledger.Entry{e}); err == nil {
					t.Errorf("%s: posted", name)
				}
			}
			w.CheckLedger()
		})
	})
}

// Entries between two keys in both directions at once end without a deadlock,
// and nothing is made or lost.
func TestStore_PostLedgerEntries_BothWays(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		a, b := w.NewKey(100, 100), w.NewKey(100, 100)
		for _, err := range storetest.AtOnce(60, func(i int) error {
			from, to := a.ID, b.ID
			if i%2 == 1 {
				from, to = to, from
			}
			var entries []ledger.Entry
			for _, unit := range []ledger.Unit{ledger.Query, ledger.Credit} {
				entries = append(entries, ledger.Entry{
					Ref: fmt.Sprint("move", i), From: ledger.Key(from), To: ledger.Key(to), Unit: unit, Count: 1,
					Reason: ledger.ReasonGrant, At: storetest.Start,
				})
			}
			_, err := w.Post(from, entries)
			return err
		}) {
			w.Must(err)
		}
		for _, k := range []merchant.Key{a, b} {
			w.WantBalance(k.ID, ledger.Balance{Credits: 100, Queries: 100})
		}
		w.CheckLedger()
	})
}

// One purchase that is reported many times at once is posted once.
func TestStore_PostLedgerEntries_OnceAtOnce(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		k := w.NewKey(0, 0)
		for _, err := range storetest.AtOnce(40, func(int) error {
			_, err := w.Post(k.ID, []ledger.Entry{
				ledger.Grant(k.ID, ledger.Query, 7, ledger.ReasonRecharge, "recharge:1", storetest.Start),
			})
			return err
		}) {
			w.Must(err)
		}
		w.WantBalance(k.ID, ledger.Balance{Queries: 7})
	})
}

// The database refuses to change or delete ledger entries and events, and refuses negative balances.
func TestStore_AppendOnly(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		k := w.NewKey(5, 0)
		w.NewStarted(k)
		db := w.SQL()
		statements := []string{
			"UPDATE ledger_entries SET count = count + 1",
			"DELETE FROM ledger_entries",
			"UPDATE events SET type = 'payment.completed'",
			"DELETE FROM events",
			"UPDATE balances SET balance = -1",
			"UPDATE payments SET status = 'COMPLETED'",
		}
		if w.ManyWriters() {
			statements = append(statements, "TRUNCATE ledger_entries", "TRUNCATE events CASCADE")
		}
		for _, text := range statements {
			if _, err := db.Exec(text); err == nil {
				t.Errorf("%s: done", text)
			}
		}
		if n := w.Count("SELECT count(*) FROM events"); n != 2 {
			t.Errorf("%d events, want 2", n)
		}
		w.CheckLedger()
	})
}
