package store_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store"
	"github.com/florinpay/florin/internal/store/storetest"
)

func TestStore_UpdatePayment_Life(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		k := w.NewKey(5, 0)
		w.NewCustodian(k, "https://shop.example/hook")
		p := w.NewStarted(k)
		short := storetest.Transfer(p, "0xaa", 2_500_000, 10)
		moved := short
		moved.Block.Number, moved.Block.Hash = 12, "0xb12"
		rest := storetest.Transfer(p, "0xbb", 10_000_000, 13)
		for _, decide := range []func(payment.Payment) (payment.Change, error){
			storetest.Observe(5, short), // seen
			storetest.Observe(5),        // vanished
			storetest.Observe(5, moved), // back in another block
			storetest.StartOn(chain.Polygon, money.USDC, storetest.Start),
			storetest.Observe(12, moved),       // final, but short: more time
			storetest.Observe(12, moved, rest), // seen
			storetest.Observe(13, moved, rest), // enough
		} {
			after := w.Update(p.ID, decide)
			read := w.Stored(p.ID)
			storetest.Same(t, "read", read, after)
			p = after
		}
		if p.Status != payment.Completed || p.Hash != "0xbb" || len(p.Deposits) != 2 || !p.Deposits[0].Rechecked ||
			!p.Extended {
			t.Errorf("not completed as it should be: %+v", p)
		}
		if !p.CreatedAt.Equal(storetest.Start) || p.CreatedAt.Location() != time.UTC {
			t.Errorf("created at %v", p.CreatedAt)
		}
		w.checkHistory(p)
		if n := w.Count("SELECT count(*) FROM deliveries"); n != 1 {
			t.Errorf("%d deliveries, want 1", n)
		}
		w.CheckLedger()
	})
}

// checkHistory fails unless the events are numbered without gaps and each
// public one has its delivery.
func (w *world) checkHistory(p payment.Payment) {
	w.T.Helper()
	events, err := w.Events(w.T.Context(), p.ID)
	w.Must(err)
	for i, e := range events {
		if e.Seq != i+1 {
			w.T.Errorf("event %d has number %d", i+1, e.Seq)
		}
	}
	if p.Seq != len(events) {
		w.T.Errorf("%d events, the payment counts %d", len(events), p.Seq)
	}
}

func TestStore_UpdatePayment_Switch(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		k := w.NewKey(1, 0)
		p := w.NewStarted(k)
		for _, decide := range []func(payment.Payment) (payment.Change, error){
			storetest.StartOn(chain.Polygon, money.USDT, storetest.Start.Add(time.Second)),
			storetest.StartOn(chain.Solana, money.USDT, storetest.Start.Add(2*time.Second)),
			storetest.StartOn(chain.BEP20, money.USDC, storetest.Start.Add(3*time.Second)),
		} {
			p = w.Update(p.ID, decide)
		}
		first := storetest.Transfer(p, "0xaa", 1, 5)
		first.To = p.Routes[0].Address.Address
		second := first
		second.Ordinal++
		p = w.Update(p.ID, storetest.Observe(5, first, second))
		read := w.Stored(p.ID)
		storetest.Same(t, "read", read, p)
		if len(read.Deposits) != 2 {
			t.Errorf("deposits: %+v", read.Deposits)
		}
		if len(read.Routes) != 3 || read.Routes[0].Network != chain.Polygon || len(read.Routes[0].Tokens) != 2 {
			t.Errorf("routes: %+v", read.Routes)
		}
		w.WantBalance(k.ID, ledger.Balance{})
		w.checkHistory(p)
	})
}

func TestStore_UpdatePayment_Nothing(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		p := w.NewStarted(w.NewKey(1, 0))
		after := w.Update(p.ID, storetest.StartOn(chain.Polygon, money.USDC, storetest.Start.Add(time.Hour)))
		storetest.Same(t, "after the same choice", after, p)

		sad := errors.New("no")
		_, err := w.UpdatePayment(t.Context(), p.ID, func(q payment.Payment) (payment.Change, error) {
			c, _ := q.Cancel(storetest.Start)
			return c, sad
		})
		storetest.WantError(t, "the decision's own error", err, sad)
		read := w.Stored(p.ID)
		storetest.Same(t, "after a refusal", read, p)
	})
}

func TestStore_UpdatePayment_NoCredits(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		p := w.NewPayment(w.NewKey(0, 0))
		_, err := w.UpdatePayment(t.Context(), p.ID, storetest.StartOn(chain.Polygon, money.USDC, storetest.Start))
		storetest.WantError(t, "start without credits", err, ledger.ErrNoCredits)
		_, err = w.UpdatePayment(t.Context(), p.ID, func(q payment.Payment) (payment.Change, error) {
			return q.MarkCompleted(payment.Actor{Name: "API key"}, storetest.Start)
		})
		storetest.WantError(t, "complete without queries", err, ledger.ErrNoQueries)
		read := w.Stored(p.ID)
		storetest.Same(t, "the payment", read, p)
	})
}

func TestStore_UpdatePayment_TopUp(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		k := w.NewKey(0, 0)
		r := storetest.Request(k)
		r.Kind, r.Credits, r.Amount, r.Terms = payment.KindTopUp, 20, money.USD, payment.Terms{}
		p, err := w.CreatePayment(t.Context(), payment.New(r, storetest.Start))
		w.Must(err)
		p = w.Update(p.ID, storetest.StartOn(chain.Polygon, money.USDC, storetest.Start))
		tx := storetest.Transfer(p, "0xcc", money.USD, 3)
		for range 3 {
			w.Update(p.ID, storetest.Observe(3, tx))
		}
		w.WantBalance(k.ID, ledger.Balance{Credits: 20})
		w.CheckLedger()
	})
}

// Money that comes to a top-up after it was completed buys credits too: once, though many observe it on two stores,
// and the balance, the ledger check and the list of top-ups agree.
func TestStore_UpdatePayment_TopUpInParts(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		other := storetest.Open(t, w.URL)
		k := w.NewKey(0, 0)
		r := storetest.Request(k)
		r.Kind, r.Credits, r.Amount, r.Terms = payment.KindTopUp, 400, 20*money.USD, payment.Terms{}
		p, err := w.CreatePayment(t.Context(), payment.New(r, storetest.Start))
		w.Must(err)
		p = w.Update(p.ID, storetest.StartOn(chain.Polygon, money.USDC, storetest.Start))
		w.Update(p.ID, func(p payment.Payment) (payment.Change, error) {
			return p.Cancel(storetest.Start)
		})
		var parts []chain.Transfer
		for i, part := range []struct{ amount, credits money.Micros }{
			{50_000, 1}, {20 * money.USD, 401}, {49_999, 401}, {1, 402},
		} {
			parts = append(parts, storetest.Transfer(p, fmt.Sprintf("0xa%d", i), part.amount, uint64(i+1)))
			for _, err := range storetest.AtOnce(20, func(n int) error {
				s := []*store.Store{w.Store, other}[n%2]
				_, err := s.UpdatePayment(t.Context(), p.ID, storetest.Observe(uint64(i+1), parts...))
				return err
			}) {
				w.Must(err)
			}
			b, err := other.Merchant().Balance(t.Context(), k.ID)
			w.Must(err)
			storetest.Same(t, "balance", b, ledger.Balance{Credits: int64(part.credits)})
		}
		w.CheckLedger()
		list, err := w.TopUps(t.Context(), 0, 2)
		w.Must(err)
		if len(list) != 1 || list[0].Credits != 400 || list[0].Credited != 402 || list[0].Status != payment.Completed {
			t.Errorf("top-ups: %+v", list)
		}
		entries, err := w.Entries(t.Context(), k.ID, 0, 10)
		w.Must(err)
		for _, e := range entries {
			if id, ok := ledger.PaymentOf(e.Ref); !ok || id != string(p.ID) {
				t.Errorf("entry %s is of payment %q", e.Ref, id)
			}
		}
		if _, differences, err := w.VerifyLedger(t.Context()); err != nil || len(differences) != 0 ||
			len(entries) != 3 {
			t.Errorf("%d entries, differences %q, %v", len(entries), differences, err)
		}
	})
}

// Of 200 starts at once on a key with 50 credits exactly 50 succeed.
func TestStore_UpdatePayment_CreditsRunOut(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		k := w.NewKey(50, 0)
		payments := make([]payment.Payment, 200)
		for i := range payments {
			payments[i] = w.NewPayment(k)
		}
		succeeded := 0
		for i, err := range storetest.AtOnce(len(payments), func(i int) error {
			_, err := w.UpdatePayment(
				t.Context(), payments[i].ID, storetest.StartOn(chain.Polygon, money.USDC, storetest.Start),
			)
			return err
		}) {
			if err == nil {
				succeeded++
			} else {
				storetest.WantError(t, "start", err, ledger.ErrNoCredits)
			}
			read, readErr := w.Payment(t.Context(), payments[i].ID)
			w.Must(readErr)
			if started := read.Status == payment.Started; started != (err == nil) {
				t.Errorf("payment %d is %s after %v", i, read.Status, err)
			}
		}
		if succeeded != 50 {
			t.Errorf("%d starts succeeded, want 50", succeeded)
		}
		w.WantBalance(k.ID, ledger.Balance{})
		w.CheckLedger()
	})
}

// Many see the same money at once, on two stores: it counts once.
func TestStore_UpdatePayment_Observers(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		other := storetest.Open(t, w.URL)
		k := w.NewKey(1, 0)
		w.NewCustodian(k, "https://shop.example/hook")
		p := w.NewStarted(k)
		tx := storetest.Transfer(p, "0xaa", 12_500_000, 10)
		for _, err := range storetest.AtOnce(60, func(i int) error {
			s := w.Store
			if i%2 == 1 {
				s = other
			}
			_, err := s.UpdatePayment(t.Context(), p.ID, storetest.Observe(uint64(9+i%3), tx))
			return err
		}) {
			w.Must(err)
		}
		read, err := other.Payment(t.Context(), p.ID)
		w.Must(err)
		if read.Status != payment.Completed || len(read.Deposits) != 1 {
			t.Errorf("after all: %+v", read)
		}
		w.checkHistory(read)
		if n := w.Count("SELECT count(*) FROM events WHERE type = 'payment.completed'"); n != 1 {
			t.Errorf("completed %d times", n)
		}
		if n := w.Count("SELECT count(*) FROM deliveries"); n != 1 {
			t.Errorf("%d deliveries, want 1", n)
		}
	})
}

// A payment that another client has locked does not delay other payments, and is changed when the lock is released.
func TestStore_UpdatePayment_LockedOutside(t *testing.T) {
	t.Parallel()
	url := storetest.PostgreSQL(t)
	w := newWorld(t, storetest.Open(t, url), url)
	k := w.NewKey(100, 0)
	stuck, others := w.NewPayment(k), make([]payment.Payment, 20)
	for i := range others {
		others[i] = w.NewPayment(k)
	}
	outside, err := w.SQL().Begin()
	w.Must(err)
	defer func() { _ = outside.Rollback() }()
	w.MustDo(outside.Exec("SELECT 1 FROM payments WHERE public_id = '" + string(stuck.ID) + "' FOR UPDATE"))

	waiting := make(chan error, 1)
	go func() {
		_, err := w.UpdatePayment(t.Context(), stuck.ID, storetest.StartOn(chain.Polygon, money.USDC, storetest.Start))
		waiting <- err
	}()
	for _, err := range storetest.AtOnce(len(others), func(i int) error {
		_, err := w.UpdatePayment(
			t.Context(), others[i].ID, storetest.StartOn(chain.Polygon, money.USDC, storetest.Start),
		)
		return err
	}) {
		w.Must(err)
	}
	select {
	case err := <-waiting:
		t.Fatalf("the locked payment was changed: %v", err)
	default:
	}
	w.Must(outside.Rollback())
	w.Must(<-waiting)
	w.checkHistory(w.Stored(stuck.ID))
}
