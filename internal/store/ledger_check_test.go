package store_test

import (
	"strings"
	"testing"
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
			t.Errorf("a sound book: %d entries, %q", n, differences)
		}
		raw := w.SQL()
		wrong := func(what, text, mend string) {
			t.Helper()
			_, err := raw.Exec(text)
			w.Must(err)
			if _, differences := verify(); len(differences) != 1 || !strings.Contains(differences[0], what) {
				t.Errorf("%s: %q", what, differences)
			}
			_, err = raw.Exec(mend)
			w.Must(err)
		}
		wrong("has a balance of 100", "UPDATE balances SET balance = 100 WHERE balance = 99",
			"UPDATE balances SET balance = 99 WHERE balance = 100")
		wrong("was started", "UPDATE payments SET public_id = '"+string(p.ID)[:25]+"!' WHERE id = 1",
			"UPDATE payments SET public_id = '"+string(p.ID)+"' WHERE id = 1")
		wrong("is recorded to have bought 7", "UPDATE payments SET kind = 'TOPUP', credited = 7 WHERE id = 1",
			"UPDATE payments SET kind = 'PAYMENT', credited = 0 WHERE id = 1")
		if _, differences := verify(); len(differences) != 0 {
			t.Errorf("mended: %q", differences)
		}
	})
}
