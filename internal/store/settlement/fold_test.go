package settlement_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/settlement"
	"github.com/florinpay/florin/internal/store/storetest"
)

// specks returns the decision that takes in a block with n small transfers, each in a transaction of its own.
func specks(p payment.Payment, block uint64, n int, amount money.Micros) func(payment.Payment) (payment.Change, error) {
	head := chain.Head{Number: block}
	v := payment.View{Network: chain.Polygon, From: block, To: block, Final: head, Finalized: head}
	for i := range n {
		v.Transfers = append(
			v.Transfers, storetest.Transfer(p, fmt.Sprintf("0xspeck-%s-%d-%d", p.ID, block, i), amount, block),
		)
	}
	return func(p payment.Payment) (payment.Change, error) { return p.Observe(v, storetest.Start.Add(time.Minute)) }
}

// Small transfers by the thousand are few rows, which are read back as they were written.
func TestStore_Folded(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		p := w.NewStarted(w.NewKey(5, 0))
		for block := uint64(1); block <= 4; block++ {
			for range 2 {
				changed := w.Update(p.ID, specks(p, block, 500, 7))
				storetest.Same(t, "read back", w.Stored(p.ID), changed)
			}
		}
		read := w.Stored(p.ID)
		if n := len(read.Deposits); n != payment.FoldFrom+1 || read.Received().Micros() != 4*500*7 {
			t.Errorf("%d deposits of %s", n, read.Received().Micros())
		}
		if n := w.Count("SELECT count(*) FROM events"); n > payment.FoldFrom+10 {
			t.Errorf("%d events", n)
		}
	})
}

// A folded deposit grows while a sweep is under way. What the sweep moved is not due again, what came later is, and the
// money beside it is marked as swept.
func TestStore_FoldedSwept(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		p := w.NewStarted(w.NewKey(5, 0))
		take := func(block uint64, n int) {
			t.Helper()
			w.Update(p.ID, specks(p, block, n, 5_000))
		}
		due := func(want money.Micros) []settlement.DepositBalance {
			t.Helper()
			list := w.due()
			if len(list) != 1 || list[0].Due.Cmp(want.Units(6)) != 0 {
				t.Fatalf("due is %+v, want %s", list, want)
			}
			return list
		}
		take(1, 216)
		w.Update(p.ID, storetest.Observe(10, storetest.Transfer(p, "0xmoney", 3*money.USD, 10)))
		s := w.planned(due(4_080_000)...)
		take(20, 100) // before the sweep is included
		take(30, 100) // after it
		done := confirmed(s, 25)
		done.Moved[0].Units = money.Micros(4_580_000).Units(6) // with what came in block 20
		w.Must(w.EndSweep(t.Context(), done, storetest.Start.Add(time.Minute)))
		for _, d := range w.Stored(p.ID).Deposits {
			if d.Swept == d.Folded() {
				t.Errorf("%s of %d transfers is swept: %t", d.Transfer.Tx, d.Count, d.Swept)
			}
		}
		s = w.planned(due(500_000)...)
		w.Must(w.EndSweep(t.Context(), confirmed(s, 40), storetest.Start.Add(2*time.Minute)))
		if list := w.due(); len(list) != 0 {
			t.Errorf("still due: %+v", list)
		}
		take(50, 10)
		list := w.Stored(p.ID).Deposits
		if last := list[len(list)-1]; last.Swept || last.Count != 10 || !list[payment.FoldFrom].Swept {
			t.Errorf("after the sweep: %+v", last)
		}
		due(50_000)
		records, err := w.Records(t.Context(), chain.Polygon, []chain.Address{p.Routes[0].Address.Address})
		w.Must(err)
		if len(records) != 1 || len(records[0].Deposits) != payment.FoldFrom+1 {
			t.Errorf("%d transactions can be looked up on the chain", len(records[0].Deposits))
		}
	})
}

// A sweep that ends between the reading of a folded deposit and its growth wins: nothing is added to what is swept.
func TestStore_FoldedSweptMeanwhile(t *testing.T) {
	t.Parallel()
	url := storetest.PostgreSQL(t)
	w := storetest.New(t, storetest.Open(t, url), url)
	p := w.NewStarted(w.NewKey(5, 0))
	w.Update(p.ID, specks(p, 1, 100, 7))
	raw, grow, once := w.SQL(), specks(p, 2, 100, 7), true
	_, err := w.UpdatePayment(t.Context(), p.ID, func(p payment.Payment) (payment.Change, error) {
		if once {
			once = false
			w.MustDo(raw.Exec("UPDATE deposits SET swept_at = now() WHERE folded > 0"))
		}
		return grow(p)
	})
	w.Must(err) // decided again, on what the sweep has left
	if n := w.Count("SELECT folded FROM deposits WHERE folded > 0 AND swept_at IS NOT NULL"); n != 100-payment.FoldFrom {
		t.Errorf("what is swept has grown to %d transfers", n)
	}
	if got := w.Stored(p.ID).Received().Micros(); got != 200*7 {
		t.Errorf("received %s", got)
	}
}
