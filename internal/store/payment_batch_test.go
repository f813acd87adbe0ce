package store_test

import (
	"errors"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store"
	"github.com/florinpay/florin/internal/store/storetest"
)

// TestStore_ChangeBatch: decisions of every kind in one batch are stored as
// they would be one by one, and the refused ones leave nothing.
func TestStore_ChangeBatch(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		rich, silent, poor := w.NewKey(100, 0), w.NewKey(100, 0), w.NewKey(2, 0)
		w.NewCustodian(rich, "https://shop.example/hook")
		var ops []*store.Decision
		keys := []merchant.Key{rich, silent, poor}
		for i := range 30 {
			p := w.NewPayment(keys[i%3])
			ops = append(
				ops, &store.Decision{ID: p.ID, Decide: storetest.StartOn(chain.Polygon, money.USDC, storetest.Start)},
			)
		}
		paid, native := w.NewStarted(rich), w.NewPayment(rich)
		ops = append(ops,
			&store.Decision{
				ID: paid.ID, Decide: storetest.Observe(200, storetest.Transfer(paid, "0xaa", paid.Amount, 150)),
			},
			&store.Decision{ID: native.ID, Decide: storetest.StartOn(chain.Solana, money.USDC, storetest.Start)},
			&store.Decision{ID: storetest.NewID(), Decide: storetest.StartOn(chain.Base, money.USDC, storetest.Start)})
		w.Must(w.ChangeBatch(t.Context(), ops))
		w.Run("Decisions", func(t *testing.T) {
			refused, completed := 0, 0
			for _, op := range ops {
				switch {
				case errors.Is(op.Err, ledger.ErrNoCredits):
					refused++
					p := w.Stored(op.ID)
					if p.Status != payment.Pending || len(p.Routes) != 0 || p.Seq != 1 {
						t.Errorf("a refused start has changed the payment: %+v", p)
					}
					continue
				case errors.Is(op.Err, payment.ErrUnknown):
					continue
				}
				w.Must(op.Err)
				p := w.Stored(op.ID)
				storetest.Same(t, "stored", p, op.Result)
				w.checkHistory(p)
				if p.Status == payment.Completed {
					completed++
				}
			}
			if refused != 8 || completed != 1 {
				t.Errorf("%d are refused and %d completed, want 8 and 1", refused, completed)
			}
		})
		w.Run("Feed", func(t *testing.T) {
			const public = `SELECT count(*) FROM events AS e JOIN payments AS p ON p.id = e.payment_id WHERE e.type IN
				(SELECT type FROM events JOIN feed USING (payment_id, seq))`
			if events, feed := w.Count(public), w.Count("SELECT count(*) FROM feed"); events != feed {
				t.Errorf("%d public events, %d in the feed", events, feed)
			}
			mine := w.Count("SELECT count(*) FROM feed AS f JOIN custodians AS c ON c.key_id = f.key_id")
			if n := w.Count("SELECT count(*) FROM deliveries"); n != mine || n == 0 {
				t.Errorf("%d deliveries of %d events", n, mine)
			}
		})
		w.Run("Ledger", func(t *testing.T) {
			w.CheckLedger()
			left, err := w.Balance(t.Context(), silent.ID)
			w.Must(err)
			if left.Credits != 90 {
				t.Errorf("ten starts of one key leave %d credits of 100", left.Credits)
			}
		})
	})
}

// TestStore_CreateBatch: payments of a batch that are stored already are marked,
// and the others get their numbers.
func TestStore_CreateBatch(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		k := w.NewKey(0, 0)
		known := w.NewPayment(k)
		var ops []*store.Creation
		for i := range 20 {
			r := storetest.Request(k)
			r.Amount += money.Micros(i)
			if i == 7 {
				r.ID = known.ID
			}
			ops = append(
				ops, &store.Creation{Change: payment.New(r, storetest.Start.Add(time.Duration(i)*time.Second))},
			)
		}
		w.Must(w.CreateBatch(t.Context(), ops))
		for i, op := range ops {
			if op.Exists != (i == 7) {
				t.Errorf("payment %d exists: %v", i, op.Exists)
			}
			if op.Exists {
				continue
			}
			p := w.Stored(op.Change.Payment.ID)
			if p.Number != op.Number || p.Amount != 12_500_000+money.Micros(i) ||
				!p.CreatedAt.Equal(storetest.Start.Add(time.Duration(i)*time.Second)) {
				t.Errorf("payment %d is stored as %+v", i, p)
			}
			events, err := w.Events(t.Context(), p.ID)
			w.Must(err)
			storetest.Same(t, "events", events, op.Change.Events)
		}
	})
}
