package store_test

import (
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store/storetest"
)

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
