package store_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store/report"
	"github.com/florinpay/florin/internal/store/storetest"
)

// lineOf is what an export writes of a payment.
func lineOf(p payment.Payment) string {
	r, _ := p.Route()
	return fmt.Sprint(
		p.ID, p.Number, p.KeyID, p.Kind, p.Amount, p.Status, p.Choice, p.CreatedAt, p.StartedAt, p.EndedAt, p.Hash,
		p.ByHand, p.Reference, p.Description, p.CustomerEmail, p.Received().Micros(), r.Address.Address, r.Settlement,
	)
}

// An export reads a part of each payment, and writes the same as if it had read the whole.
func TestStore_ExportPayments(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		k, other := w.NewKey(500, 500), w.NewKey(500, 500)
		want := w.populate(k)
		for i := range 24 { // every second one is another's
			if p := w.NewStarted([]merchant.Key{other, k}[i%2]); p.KeyID == k.ID {
				want = append(want, p)
			}
		}
		slices.SortStableFunc(want, func(a, b payment.Payment) int {
			return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(b.Number, a.Number))
		})
		q := report.Query{Keys: []int64{k.ID}, Limit: 7}
		received := 0
		for {
			page, err := w.ExportPayments(t.Context(), q)
			w.Must(err)
			list, err := page.Read(t.Context())
			w.Must(err)
			for i, p := range list {
				if got, whole := lineOf(p.Payment), lineOf(want[i]); got != whole {
					t.Errorf("an export has %s, want %s", got, whole)
				}
				if !p.Received().IsZero() {
					received++
				}
			}
			want = want[len(list):]
			if q.After = page.Next; q.After == (report.Place{}) {
				break
			}
		}
		if len(want) > 0 || received < 3 {
			t.Errorf("%d payments are missing, %d have money", len(want), received)
		}
	})
}

// An export of what was paid goes by when, page by page.
func TestStore_ExportPaid(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		k := w.NewKey(500, 500)
		var want []payment.ID
		for i := range 5 {
			p := w.NewPaymentAt(k, storetest.Start)
			if i == 4 {
				continue // it is not paid
			}
			w.Update(p.ID, func(p payment.Payment) (payment.Change, error) {
				return p.MarkCompleted(payment.Actor{Name: "API key"}, storetest.Start.Add(-time.Duration(i)*time.Hour))
			})
			if i > 0 {
				want = append(want, p.ID) // the first is paid at the end of the span, which is not part of it
			}
		}
		q := report.Query{
			Keys: []int64{k.ID}, Paid: true, Limit: 2,
			From: storetest.Start.Add(-3 * time.Hour), Until: storetest.Start,
		}
		var got []payment.ID
		for {
			page, err := w.ExportPayments(t.Context(), q)
			w.Must(err)
			list, err := page.Read(t.Context())
			w.Must(err)
			for _, p := range list {
				got = append(got, p.ID)
			}
			if q.After = page.Next; q.After == (report.Place{}) {
				break
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("paid were %v, want %v", got, want)
		}
	})
}
