package store

import (
	"errors"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
)

// TestStore_ChangeBatch: decisions of every kind in one batch are stored as
// they would be one by one, and the refused ones leave nothing.
func TestStore_ChangeBatch(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		rich, silent, poor := w.key(100, 0), w.key(100, 0), w.key(2, 0)
		w.custodian(rich, "https://shop.example/hook")
		var ops []*changeOp
		keys := []merchant.Key{rich, silent, poor}
		for i := range 30 {
			p := w.payment(keys[i%3])
			ops = append(ops, &changeOp{id: p.ID, decide: startOn(chain.Polygon, money.USDC, start)})
		}
		paid, native := w.started(rich), w.payment(rich)
		ops = append(ops,
			&changeOp{id: paid.ID, decide: observe(200, transfer(paid, "0xaa", paid.Amount, 150))},
			&changeOp{id: native.ID, decide: startOn(chain.Solana, money.USDC, start)},
			&changeOp{id: newID(), decide: startOn(chain.Base, money.USDC, start)})
		w.must(w.changeBatch(t.Context(), ops))
		refused, completed := 0, 0
		for _, op := range ops {
			switch {
			case errors.Is(op.err, ledger.ErrNoCredits):
				refused++
				p, err := w.Payment(t.Context(), op.id)
				w.must(err)
				if p.Status != payment.Pending || len(p.Routes) != 0 || p.Seq != 1 {
					t.Errorf("a refused start has changed the payment: %+v", p)
				}
				continue
			case errors.Is(op.err, payment.ErrUnknown):
				continue
			}
			w.must(op.err)
			p, err := w.Payment(t.Context(), op.id)
			w.must(err)
			same(t, "stored", p, op.result)
			w.checkHistory(p)
			if p.Status == payment.Completed {
				completed++
			}
		}
		if refused != 8 || completed != 1 {
			t.Errorf("%d are refused and %d completed, want 8 and 1", refused, completed)
		}
		const public = "SELECT count(*) FROM events AS e JOIN payments AS p ON p.id = e.payment_id WHERE e.type IN " +
			"(SELECT type FROM events JOIN feed USING (payment_id, seq))"
		if events, feed := w.count(public), w.count("SELECT count(*) FROM feed"); events != feed {
			t.Errorf("%d public events, %d in the feed", events, feed)
		}
		mine := w.count("SELECT count(*) FROM feed AS f JOIN custodians AS c ON c.key_id = f.key_id")
		if n := w.count("SELECT count(*) FROM deliveries"); n != mine || n == 0 {
			t.Errorf("%d deliveries of %d events", n, mine)
		}
		w.balanced()
		left, err := w.Balance(t.Context(), silent.ID)
		w.must(err)
		if left.Credits != 90 {
			t.Errorf("ten starts of one key leave %d credits of 100", left.Credits)
		}
	})
}

// TestStore_CreateBatch: payments of a batch that are stored already are marked,
// and the others get their numbers.
func TestStore_CreateBatch(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		k := w.key(0, 0)
		known := w.payment(k)
		var ops []*createOp
		for i := range 20 {
			r := request(k)
			r.Amount += money.Micros(i)
			if i == 7 {
				r.ID = known.ID
			}
			op, err := newCreateOp(payment.New(r, start.Add(time.Duration(i)*time.Second)))
			w.must(err)
			ops = append(ops, op)
		}
		w.must(w.createBatch(t.Context(), ops))
		for i, op := range ops {
			if op.exists != (i == 7) {
				t.Errorf("payment %d exists: %v", i, op.exists)
			}
			if op.exists {
				continue
			}
			p, err := w.Payment(t.Context(), payment.ID(op.row.PublicID))
			w.must(err)
			if p.Number != op.row.ID || p.Amount != 12_500_000+money.Micros(i) ||
				!p.CreatedAt.Equal(start.Add(time.Duration(i)*time.Second)) {
				t.Errorf("payment %d is stored as %+v", i, p)
			}
			events, err := w.Events(t.Context(), p.ID)
			w.must(err)
			same(t, "events", events, op.events)
		}
	})
}
