package store_test

import (
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/store/storetest"
)

// What a decision must not change is refused, and nothing of it is written.
func TestStore_UpdatePayment_Refused(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		k := w.NewKey(5, 0)
		p, stranger := w.NewStarted(k), w.NewStarted(k)
		w.Update(stranger.ID, storetest.Observe(1, storetest.Transfer(stranger, "0xaa", money.USD, 1)))
		for name, spoil := range map[string]func(*payment.Change){
			"amount":   func(c *payment.Change) { c.Payment.Amount++ },
			"key":      func(c *payment.Change) { c.Payment.KeyID++ },
			"number":   func(c *payment.Change) { c.Payment.Number++ },
			"credits":  func(c *payment.Change) { c.Payment.Credited-- },
			"sequence": func(c *payment.Change) { c.Payment.Seq++ },
			"gap":      func(c *payment.Change) { c.Payment.Seq++; c.Events[0].Seq++ },
			"no route": func(c *payment.Change) { c.Payment.Routes = nil },
			"route": func(c *payment.Change) {
				r := storetest.RouteOf(chain.Polygon, 999)
				r.Network = chain.Polygon
				c.Payment.Routes = []payment.Route{r}
			},
			"another's deposit": func(c *payment.Change) {
				c.Deposits = []payment.Deposit{{
					Transfer: storetest.Transfer(stranger, "0xaa", money.USD, 1), State: payment.DepositFinal,
					SeenAt: storetest.Start,
				}}
			},
			"entry": func(c *payment.Change) {
				c.Entries = []ledger.Entry{ledger.Spend(1<<40, ledger.Credit, ledger.ReasonStart, "x", storetest.Start)}
			},
			"status": func(c *payment.Change) { c.Payment.EndedAt = time.Time{} },
		} {
			_, err := w.UpdatePayment(t.Context(), p.ID, func(q payment.Payment) (payment.Change, error) {
				c, err := q.Cancel(storetest.Start)
				spoil(&c)
				return c, err
			})
			if err == nil {
				t.Errorf("%s: stored", name)
			}
		}
		read := w.Stored(p.ID)
		storetest.Same(t, "the payment", read, p)
		w.checkHistory(read)
	})
}

// An address belongs to one payment.
func TestStore_UpdatePayment_AddressTaken(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		k := w.NewKey(5, 0)
		first, second := w.NewStarted(k), w.NewPayment(k)
		_, err := w.UpdatePayment(t.Context(), second.ID, func(p payment.Payment) (payment.Change, error) {
			return p.Start(
				payment.Choice{Network: chain.Polygon, Token: money.USDC}, first.Routes[0], time.Hour, storetest.Start,
			)
		})
		if !db.IsDuplicate(err) {
			t.Errorf("the address of another payment: %v", err)
		}
		read := w.Stored(second.ID)
		storetest.Same(t, "the payment", read, second)
	})
}

// A decision that panics takes down its caller, not the store.
func TestStore_UpdatePayment_Panic(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		p := w.NewPayment(w.NewKey(1, 0))
		func() {
			defer func() {
				if recover() == nil {
					t.Error("the panic was swallowed")
				}
			}()
			_, _ = w.UpdatePayment(t.Context(), p.ID, func(payment.Payment) (payment.Change, error) { panic("bug") })
		}()
		w.Update(p.ID, storetest.StartOn(chain.Polygon, money.USDC, storetest.Start))
	})
}
