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
	"github.com/florinpay/florin/internal/payment/watch"
	"github.com/florinpay/florin/internal/store"
	"github.com/florinpay/florin/internal/store/db"
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
