package store_test

import (
	"errors"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/payment/watch"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/store/storetest"
)

var errUndecided = errors.New("undecided")

// TestStore_UpdatePayments: the changes of many payments are committed together, and one that is refused, whether by
// its decision or by the database, holds up no other.
func TestStore_UpdatePayments(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		k := w.NewKey(100, 0)
		heard := hear(t, w.Store)
		if w.ManyWriters() {
			next(heard, patience) // that it listens
		}
		started := storetest.StartOn(chain.Polygon, money.USDC, storetest.Start)
		var all []watch.Update
		for range 5 {
			all = append(all, watch.Update{ID: w.NewPayment(k).ID, Decide: started})
		}
		refused := func(payment.Payment) (payment.Change, error) { return payment.Change{}, errUndecided }
		all = append(all, watch.Update{ID: w.NewPayment(k).ID, Decide: refused},
			watch.Update{ID: storetest.NewID(), Decide: started})
		w.Run("OneTransaction", func(t *testing.T) {
			errs := w.UpdatePayments(t.Context(), all)
			checkUpdates(t, w, all, errs)
			if n := w.Count("SELECT count(DISTINCT xact) FROM routes"); w.ManyWriters() && n != 1 {
				t.Errorf("%d transactions, want one", n)
			}
			for range 5 {
				if id := next(heard, patience); id == "none" {
					t.Error("a change was not reported")
				}
			}
		})
		w.Run("OneSpoilsTheTransaction", func(t *testing.T) {
			taken := w.Stored(all[0].ID).Routes[0]
			again := func(p payment.Payment) (payment.Change, error) {
				return p.Start(
					payment.Choice{Network: chain.Polygon, Token: money.USDC}, taken, time.Hour, storetest.Start,
				)
			}
			spoils, good := w.NewPayment(k), w.NewPayment(k)
			errs := w.UpdatePayments(t.Context(), []watch.Update{
				{ID: spoils.ID, Decide: again}, {ID: good.ID, Decide: started},
			})
			if !db.IsDuplicate(errs[0]) || errs[1] != nil || w.Stored(good.ID).Status != payment.Started {
				t.Errorf("the address of another payment: %v; beside it: %v", errs[0], errs[1])
			}
		})
	})
}

// checkUpdates expects the first five to be stored, the sixth to be refused and the last to be unknown.
func checkUpdates(t *testing.T, w *world, all []watch.Update, errs []error) {
	t.Helper()
	if len(errs) != len(all) {
		t.Fatalf("%d answers to %d updates", len(errs), len(all))
	}
	for i, u := range all[:5] {
		if errs[i] != nil || w.Stored(u.ID).Status != payment.Started {
			t.Errorf("update %d: %v", i, errs[i])
		}
	}
	if !errors.Is(errs[5], errUndecided) || w.Stored(all[5].ID).Status != payment.Pending {
		t.Errorf("the refused one: %v", errs[5])
	}
	if !errors.Is(errs[6], payment.ErrUnknown) {
		t.Errorf("the unknown one: %v", errs[6])
	}
}
