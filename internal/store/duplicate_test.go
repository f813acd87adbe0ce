package store_test

import (
	"slices"
	"testing"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/payment/watch"
	"github.com/florinpay/florin/internal/store/storetest"
)

// order stores a started payment of the key with a reference.
func (w *world) order(k merchant.Key, reference string, change ...func(*payment.Request)) payment.Payment {
	w.T.Helper()
	r := storetest.Request(k)
	r.Details.Reference = reference
	for _, c := range change {
		c(&r)
	}
	p, err := w.CreatePayment(w.T.Context(), payment.New(r, storetest.Start))
	w.Must(err)
	p = w.Update(p.ID, storetest.StartOn(chain.Polygon, money.USDC, storetest.Start))
	return p
}

// paying is the update that completes the payment.
func paying(p payment.Payment) watch.Update {
	return watch.Update{ID: p.ID, Decide: storetest.Observe(100, storetest.Transfer(p, "0x"+string(p.ID), p.Amount, 7))}
}

// TestStore_PaidTwice: of payments of one reference that are paid, each but the first is a duplicate of it, and in the
// feed; whether they are paid one after the other, together, or by two instances at once.
func TestStore_PaidTwice(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		k := w.NewKey(100, 0)
		w.NewCustodian(k, "")
		repeat := func(on string) {
			w.MustDo(w.SQL().ExecContext(t.Context(), "UPDATE custodians SET repeats = "+on))
		}
		pay := func(all ...payment.Payment) (of []payment.ID) {
			var updates []watch.Update
			for _, p := range all {
				updates = append(updates, paying(p))
			}
			for i, err := range w.UpdatePayments(t.Context(), updates) {
				w.Must(err)
				of = append(of, w.Stored(all[i].ID).DuplicateOf)
			}
			return of
		}
		repeat("false")
		a, b, c, d := w.order(k, "A 7"), w.order(k, "A 7"), w.order(k, "A 7"), w.order(k, "a 7")
		storetest.Same(t, "one after the other", slices.Concat(pay(a), pay(b), pay(c), pay(d)), []payment.ID{"", a.ID, a.ID, ""})
		if got := w.Stored(b.ID); got.Attention()[0] != payment.ReasonDuplicate {
			t.Errorf("it needs its merchant for %v", got.Attention())
		}
		x, y := w.order(k, "B"), w.order(k, "B")
		if of := pay(x, y); of[0] != y.ID && of[1] != x.ID || (of[0] == "") == (of[1] == "") {
			t.Errorf("together: %v of %s and %s", of, x.ID, y.ID)
		}
		other := w.NewKey(10, 0)
		w.NewCustodian(other, "")
		repeat("false")
		link := w.order(k, "B", func(r *payment.Request) { r.LinkID = 7 })
		storetest.Same(t, "of another shop, none, of a link",
			pay(w.order(other, "A 7"), w.order(k, ""), w.order(k, ""), link), []payment.ID{"", "", "", ""})
		repeat("true")
		storetest.Same(t, "where they repeat", pay(w.order(k, "B")), []payment.ID{""})
		repeat("false")
		many := make([]payment.Payment, 6)
		for i := range many {
			many[i] = w.order(k, "C")
		}
		storetest.AtOnce(len(many), func(i int) error {
			return errorOf(w.UpdatePayment(t.Context(), many[i].ID, paying(many[i]).Decide))
		})
		if n := w.Count("SELECT count(*) FROM payments WHERE reference = 'C' AND duplicate_of <> ''"); n != 5 {
			t.Errorf("%d of 6 that were paid at once are duplicates", n)
		}
		if n := w.Count(`SELECT count(*) FROM feed AS f JOIN events AS e ON e.payment_id = f.payment_id AND e.seq = f.seq
			WHERE e.type = 'payment.duplicate'`); n != 2+1+5 {
			t.Errorf("the feed has %d", n)
		}
	})
}
