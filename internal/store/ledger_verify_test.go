package store_test

import (
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store"
	"github.com/florinpay/florin/internal/store/storetest"
)

// wantVerified checks the ledger and expects a difference with the text, or none.
func (w *world) wantVerified(what string, now time.Time, text string) store.LedgerResult {
	w.T.Helper()
	r, err := w.VerifyNews(w.T.Context(), now)
	w.Must(err)
	switch {
	case text == "" && len(r.Differences) > 0:
		w.T.Errorf("%s: %q", what, r.Differences)
	case text != "" && (len(r.Differences) == 0 || !strings.Contains(strings.Join(r.Differences, "\n"), text)):
		w.T.Errorf("%s: %q, want %q", what, r.Differences, text)
	}
	return r
}

// What is proven is not read again, and what came since is.
func TestSince(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		k := w.NewKey(100, 5)
		w.NewStarted(k)
		if r := w.wantVerified("the beginning", storetest.Start, ""); r.Entries != 3 || !r.Since.IsZero() {
			t.Errorf("the beginning: %+v", r)
		}
		if r := w.wantVerified("no news", storetest.Start, ""); r.Entries != 0 || !r.Since.Equal(storetest.Start) {
			t.Errorf("no news: %+v", r)
		}
		p := w.NewStarted(k)
		if r := w.wantVerified("a start", storetest.Start, ""); r.Entries != 1 {
			t.Errorf("a start: %+v", r)
		}
		w.Update(p.ID, func(p payment.Payment) (payment.Change, error) {
			return p.MarkCompleted(payment.Actor{Name: "API key"}, storetest.Start)
		})
		w.wantVerified("a sale", storetest.Start, "")
		raw := w.SQL()
		wrong := func(text, change, mend string) {
			t.Helper()
			w.MustDo(raw.Exec(change))
			w.wantVerified(change, storetest.Start, text)
			w.MustDo(raw.Exec(mend))
			w.wantVerified(mend, storetest.Start, "")
		}
		wrong("has a balance of 100", "UPDATE balances SET balance = 100 WHERE balance = 98",
			"UPDATE balances SET balance = 98 WHERE balance = 100")
		wrong("1 held", "UPDATE balances SET held = 1 WHERE balance = 98", "UPDATE balances SET held = 0 WHERE held = 1")
		wrong("was started", "UPDATE payments SET public_id = '"+string(
			p.ID,
		)[:25]+"!' WHERE public_id = '"+string(p.ID)+"'",
			"UPDATE payments SET public_id = '"+string(p.ID)+"' WHERE public_id = '"+string(p.ID)[:25]+"!'")
		wrong("is recorded to have bought 7", "UPDATE payments SET kind = 'TOPUP', credited = 7 WHERE id = 1",
			"UPDATE payments SET kind = 'PAYMENT', credited = 0 WHERE id = 1")
		wrong("add up to 12.5 in 1", "UPDATE sales SET payments = 2", "UPDATE sales SET payments = 1")
	})
}

// An entry whose transaction ends after later ones were proven is not left out.
func TestSince_LateCommit(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		if !w.ManyWriters() {
			return // SQLite has one writer
		}
		k := w.NewKey(100, 5)
		w.wantVerified("the beginning", storetest.Start, "")
		late, err := w.SQL().BeginTx(t.Context(), nil)
		w.Must(err)
		defer func() { _ = late.Rollback() }()
		_, err = late.Exec(`INSERT INTO ledger_entries (ref, unit, from_account, to_account, count, reason, at)
			SELECT 'late', 'credit', 'issued', 'key:' || key_id, 7, 'grant', now() FROM balances WHERE unit = 'credit'`)
		w.Must(err)
		w.NewStarted(k)
		for range 2 {
			w.wantVerified("while it runs", storetest.Start, "")
		}
		w.Must(late.Commit())
		w.wantVerified("its balance was not raised", storetest.Start, "add up to 106")
	})
}

func TestStore_VerifyLedger(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		k := w.NewKey(100, 5)
		w.NewKey(0, 0)
		p := w.NewStarted(k)
		verify := func() (int64, []string) {
			t.Helper()
			n, differences, err := w.VerifyLedger(t.Context())
			w.Must(err)
			return n, differences
		}
		if n, differences := verify(); n != 3 || len(differences) != 0 {
			t.Errorf("a sound ledger: %d entries, %q", n, differences)
		}
		raw := w.SQL()
		wrong := func(what, text, mend string) {
			t.Helper()
			w.MustDo(raw.Exec(text))
			if _, differences := verify(); len(differences) != 1 || !strings.Contains(differences[0], what) {
				t.Errorf("%s: %q", what, differences)
			}
			w.MustDo(raw.Exec(mend))
		}
		wrong("has a balance of 100", "UPDATE balances SET balance = 100 WHERE balance = 99",
			"UPDATE balances SET balance = 99 WHERE balance = 100")
		wrong("was started", "UPDATE payments SET public_id = '"+string(p.ID)[:25]+"!' WHERE id = 1",
			"UPDATE payments SET public_id = '"+string(p.ID)+"' WHERE id = 1")
		wrong("is recorded to have bought 7", "UPDATE payments SET kind = 'TOPUP', credited = 7 WHERE id = 1",
			"UPDATE payments SET kind = 'PAYMENT', credited = 0 WHERE id = 1")
		w.Update(p.ID, func(p payment.Payment) (payment.Change, error) {
			return p.MarkCompleted(payment.Actor{Name: "API key"}, storetest.Start)
		})
		wrong("add up to 12.5 in 1", "UPDATE sales SET payments = 2", "UPDATE sales SET payments = 1")
		wrong("smallest units of", "UPDATE sales SET price = 7", "UPDATE sales SET price = 0")
		wrong("has sales of 13", "UPDATE sales SET volume = 13000000", "UPDATE sales SET volume = 12500000")
		wrong("add up to 0 in 0", "INSERT INTO sales SELECT key_id, day, quarter + 1, network, '', 1, 1, 0 FROM sales",
			"DELETE FROM sales WHERE volume = 1")
		if _, differences := verify(); len(differences) != 0 {
			t.Errorf("mended: %q", differences)
		}
	})
}
