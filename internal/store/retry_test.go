package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/store/storetest"
)

// A transaction that loses against another is repeated, whole.
func TestStore_Retry(t *testing.T) {
	t.Parallel()
	for _, state := range []string{"40001", "40P01"} {
		t.Run(state, func(t *testing.T) {
			t.Parallel()
			url := storetest.PostgreSQL(t)
			w := newWorld(t, storetest.Open(t, url), url)
			k := w.NewKey(1, 0)
			p := w.NewPayment(k)
			for _, table := range []string{"events", "ledger_entries", "leases"} {
				w.inject(3, state, table)
				switch table {
				case "events":
					w.NewPayment(k)
				case "ledger_entries":
					runs := 0
					start := storetest.StartOn(chain.Polygon, money.USDC, storetest.Start)
					w.Update(p.ID, func(p payment.Payment) (payment.Change, error) {
						runs++
						return start(p)
					})
					if runs != 4 {
						t.Errorf("decided %d times, want 4", runs)
					}
				case "leases":
					w.MustDo(w.Store.Lease(t.Context(), "x", "a", storetest.Start, storetest.Start.Add(time.Minute)))
				}
			}
			w.checkHistory(w.Stored(p.ID))
			w.WantBalance(k.ID, ledger.Balance{})
		})
	}
}

// inject makes the database itself fail the first n inserts into the table.
func (w *world) inject(n int, state, table string) {
	w.T.Helper()
	db := w.SQL()
	for _, text := range []string{
		"DROP SEQUENCE IF EXISTS tries", "CREATE SEQUENCE tries",
		`CREATE OR REPLACE FUNCTION fail_first() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF nextval('tries') <=
			` + string(rune('0'+n)) + ` THEN RAISE EXCEPTION 'injected' USING ERRCODE = '` + state + `'; END IF; RETURN NEW; END $$`,
		"CREATE TRIGGER fail_first BEFORE INSERT ON " + table + " FOR EACH ROW EXECUTE FUNCTION fail_first()",
	} {
		w.MustDo(db.Exec(text))
	}
}

// It gives up in time when the other never ends, and nothing is written.
func TestStore_Retry_GivesUp(t *testing.T) {
	t.Parallel()
	url := storetest.PostgreSQL(t)
	w := newWorld(t, storetest.Open(t, url), url)
	p := w.NewPayment(w.NewKey(1, 0))
	raw := w.SQL()
	for _, text := range []string{
		"CREATE FUNCTION fail_always() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'injected' USING ERRCODE = '40001'; END $$",
		"CREATE TRIGGER fail_always BEFORE INSERT ON routes FOR EACH ROW EXECUTE FUNCTION fail_always()",
	} {
		w.MustDo(raw.Exec(text))
	}
	begun := time.Now()
	_, err := w.UpdatePayment(t.Context(), p.ID, storetest.StartOn(chain.Polygon, money.USDC, storetest.Start))
	if !db.IsConflict(err) {
		t.Errorf("gave up with %v", err)
	}
	if took := time.Since(begun); took > time.Minute {
		t.Errorf("gave up after %v", took)
	}
	storetest.Same(t, "the payment", w.Stored(p.ID), p)
	w.WantBalance(p.KeyID, ledger.Balance{Credits: 1})

	short, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	_, err = w.UpdatePayment(short, p.ID, storetest.StartOn(chain.Polygon, money.USDC, storetest.Start))
	storetest.WantError(t, "a caller with little time", err, context.DeadlineExceeded)
}
