package store

import (
	"fmt"
	"testing"

	"github.com/florinpay/florin/internal/account"
	"github.com/florinpay/florin/internal/credit"
)

func TestStore_Book(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		k := w.key(1, 1)
		spend := func(unit credit.Unit, ref string) credit.Entry {
			return credit.Spend(k.ID, unit, credit.ReasonOperation, ref, start)
		}
		grant := func(unit credit.Unit, n int64, ref string) credit.Entry {
			return credit.Grant(k.ID, unit, n, credit.ReasonGrant, ref, start)
		}
		for _, step := range []struct {
			name    string
			entries []credit.Entry
			err     error
			want    credit.Balance
		}{
			{"nothing", nil, nil, credit.Balance{Credits: 1, Queries: 1}},
			{"one of each", []credit.Entry{spend(credit.Credit, "a"), spend(credit.Query, "a")}, nil, credit.Balance{}},
			{"the same again", []credit.Entry{spend(credit.Credit, "a"), spend(credit.Query, "a")}, nil, credit.Balance{}},
			{"no credits", []credit.Entry{spend(credit.Credit, "b")}, credit.ErrNoCredits, credit.Balance{}},
			{"no queries", []credit.Entry{grant(credit.Credit, 5, "c"), spend(credit.Query, "c2")}, credit.ErrNoQueries, credit.Balance{}},
			{"spent before it is granted", []credit.Entry{spend(credit.Credit, "d"), grant(credit.Credit, 5, "d2")}, credit.ErrNoCredits, credit.Balance{}},
			{"granted, then spent", []credit.Entry{grant(credit.Credit, 5, "e"), spend(credit.Credit, "e2")}, nil, credit.Balance{Credits: 4}},
			{"twice in one", []credit.Entry{spend(credit.Credit, "f"), spend(credit.Credit, "f")}, nil, credit.Balance{Credits: 3}},
		} {
			got, err := w.Book(t.Context(), k.ID, step.entries)
			wants(t, step.name, err, step.err)
			if err == nil {
				same(t, step.name, got, step.want)
			}
			read, err := w.Balance(t.Context(), k.ID)
			w.must(err)
			same(t, "balance after "+step.name, read, step.want)
			w.balanced()
		}
		_, err := w.Book(t.Context(), 1<<40, []credit.Entry{credit.Grant(1<<40, credit.Credit, 1, credit.ReasonGrant, "x", start)})
		wants(t, "unknown key", err, account.ErrUnknownKey)
		for name, e := range map[string]credit.Entry{
			"another count": grant(credit.Credit, 6, "e"), "none": grant(credit.Credit, 0, "g"), "negative": grant(credit.Credit, -1, "h"),
			"no reference": grant(credit.Credit, 1, ""),
		} {
			if _, err := w.Book(t.Context(), k.ID, []credit.Entry{e}); err == nil {
				t.Errorf("%s: booked", name)
			}
		}
		w.balanced()
	})
}

// Entries between two keys in both directions at once end without a deadlock,
// and nothing is made or lost.
func TestStore_Book_BothWays(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		a, b := w.key(100, 100), w.key(100, 100)
		for _, err := range together(60, func(i int) error {
			from, to := a.ID, b.ID
			if i%2 == 1 {
				from, to = to, from
			}
			var entries []credit.Entry
			for _, unit := range []credit.Unit{credit.Query, credit.Credit} {
				entries = append(entries, credit.Entry{
					Ref: fmt.Sprint("move", i), From: credit.Key(from), To: credit.Key(to), Unit: unit, Count: 1, Reason: credit.ReasonGrant, At: start,
				})
			}
			_, err := w.Book(t.Context(), from, entries)
			return err
		}) {
			w.must(err)
		}
		for _, k := range []account.Key{a, b} {
			got, err := w.Balance(t.Context(), k.ID)
			w.must(err)
			same(t, "balance", got, credit.Balance{Credits: 100, Queries: 100})
		}
		w.balanced()
	})
}

// One purchase that is reported many times at once is booked once.
func TestStore_Book_OnceAtOnce(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		k := w.key(0, 0)
		for _, err := range together(40, func(int) error {
			_, err := w.Book(t.Context(), k.ID, []credit.Entry{credit.Grant(k.ID, credit.Query, 7, credit.ReasonRecharge, "recharge:1", start)})
			return err
		}) {
			w.must(err)
		}
		got, err := w.Balance(t.Context(), k.ID)
		w.must(err)
		same(t, "balance", got, credit.Balance{Queries: 7})
	})
}

// The book and the history refuse to be rewritten, whoever asks; balances
// refuse to be negative.
func TestStore_AppendOnly(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		k := w.key(5, 0)
		w.started(k)
		db := w.raw()
		statements := []string{
			"UPDATE ledger_entries SET count = count + 1",
			"DELETE FROM ledger_entries",
			"UPDATE events SET type = 'payment.completed'",
			"DELETE FROM events",
			"UPDATE balances SET balance = -1",
			"UPDATE payments SET status = 'COMPLETED'",
		}
		if w.dialect().manyWriters {
			statements = append(statements, "TRUNCATE ledger_entries", "TRUNCATE events CASCADE")
		}
		for _, text := range statements {
			if _, err := db.Exec(text); err == nil {
				t.Errorf("%s: done", text)
			}
		}
		if n := w.count("SELECT count(*) FROM events"); n != 2 {
			t.Errorf("%d events, want 2", n)
		}
		w.balanced()
	})
}
