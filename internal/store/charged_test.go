package store_test

import (
	"errors"
	"testing"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store/storetest"
)

// A read that fails is not charged: when the read fails after the debit, the
// debit is undone with it, and the same entries can be booked once it works.
func TestStore_ChargedReadFails(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		k := w.NewKey(5, 0)
		p := w.NewPayment(k)
		entries := func(ref string) []ledger.Entry {
			return []ledger.Entry{ledger.Spend(k.ID, ledger.Credit, ledger.ReasonOperation, ref, storetest.Start)}
		}
		reads := map[string]func() error{
			"list": func() error {
				list, _, _, err := w.ChargedPayments(
					t.Context(), payment.Filter{KeyID: k.ID, Limit: 10}, entries("list"),
				)
				if err == nil && len(list) != 1 {
					return errors.New("the payment is not in the list")
				}
				return err
			},
			"one": func() error {
				return errorOf(w.ChargedPayment(t.Context(), k.ID, p.ID, entries("one")))
			},
		}
		left := func() int64 {
			b, err := w.Balance(t.Context(), k.ID)
			w.Must(err)
			return b.Credits
		}
		raw := w.SQL()
		for name, read := range reads {
			before := left()
			w.MustDo(raw.ExecContext(t.Context(), "ALTER TABLE deposits RENAME TO deposits_away"))
			if err := read(); err == nil || fault.Of(err) != nil {
				t.Errorf("%s without its table: %v, want a failure of ours", name, err)
			}
			w.MustDo(raw.ExecContext(t.Context(), "ALTER TABLE deposits_away RENAME TO deposits"))
			if after := left(); after != before {
				t.Errorf("%s failed, and left %d of %d credits", name, after, before)
			}
			w.Must(read())
			if after := left(); after != before-1 {
				t.Errorf("%s succeeded, and left %d of %d credits", name, after, before)
			}
			w.CheckLedger()
		}
	})
}
