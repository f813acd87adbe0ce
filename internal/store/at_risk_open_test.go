package store_test

import (
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store/storetest"
)

// Of very many open payments, only new ones are read for a while: a start is known at once, an end later.
func TestStore_AtRisk_ManyOpen(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		w.FewOpen(1)
		at := storetest.Start.Add(-time.Hour)
		k := w.NewKey(100, 0)
		addresses := func(when time.Time) int {
			list, err := w.OpenAddresses(t.Context(), chain.Polygon, when)
			w.Must(err)
			return len(list)
		}
		want := func(what string, when, started, expires time.Time, open int) {
			t.Helper()
			s, err := w.AtRisk(t.Context(), chain.Polygon, when, when)
			w.Must(err)
			if !s.StartedAt.Equal(started) || !s.AddedAt.Equal(started) || !s.ExpiresAt.Equal(expires) {
				t.Errorf("%s: %+v, want the start %s and the end %s", what, s, started, expires)
			}
			if n := addresses(when); n != open {
				t.Errorf("%s: %d addresses, want %d", what, n, open)
			}
		}
		first := w.NewStarted(k)
		w.NewStarted(k)
		want("two", at, storetest.Start, first.ExpiresAt, 2)

		cancel := func(p payment.Payment) {
			w.Update(p.ID, func(q payment.Payment) (payment.Change, error) {
				return q.Cancel(at.Add(-time.Hour))
			})
		}
		later := storetest.Start.Add(time.Second)
		third := w.NewPaymentAt(k, storetest.Start)
		w.Update(third.ID, storetest.StartOn(chain.Polygon, "USDC", later))
		want("a third", at, later, first.ExpiresAt, 3)
		want("and nothing new", at, later, first.ExpiresAt, 3)

		cancel(third)
		want("it ended, which is not known yet", at, later, first.ExpiresAt, 3)
		want("it ended", at.Add(time.Minute), storetest.Start, first.ExpiresAt, 2)
	})
}
