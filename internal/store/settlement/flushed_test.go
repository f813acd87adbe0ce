package settlement_test

import (
	"errors"
	"fmt"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/settlement"
	"github.com/florinpay/florin/internal/store/storetest"
)

// emptied is a sweep that found less on the address than was expected: what is left there.
func emptied(s settlement.Sweep, block uint64, left money.Micros) settlement.Sweep {
	s = confirmed(s, block)
	for _, m := range s.Moved {
		m.Units = money.UnitsFromUint64(uint64(left))
		s.Left = append(s.Left, m)
	}
	s.Moved = nil
	return s
}

// foundIn observes transfers in blocks of which those up to finalized cannot be replaced any more.
func (w *world) foundIn(id payment.ID, finalized uint64, transfers ...chain.Transfer) payment.Payment {
	w.T.Helper()
	_ = w.Update(id, func(p payment.Payment) (payment.Change, error) {
		for _, d := range p.Deposits {
			transfers = append(transfers, d.Transfer)
		}
		return p.Observe(payment.View{
			Network: chain.Polygon, From: 1, To: 100, Final: chain.Head{Number: 100},
			Finalized: chain.Head{Number: finalized}, Transfers: transfers,
		}, storetest.Start)
	})
	return w.Stored(id)
}

// A deposit is credited and swept before its block is finalized. Then the chain replaces the block: what was swept was
// other money, which is marked once it is final, and nothing is due of it. The deposit is not swept any more, and is
// due if it comes back.
func TestStore_SweptVanishes(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		p := w.NewStarted(w.NewKey(100, 0))
		first := storetest.Transfer(p, "0x1", 4_000_000, 10)
		p = w.foundIn(p.ID, 0, first)
		w.Must(w.EndSweep(t.Context(), confirmed(w.planned(w.due()...), 20), storetest.Start))
		storetest.Same(t, "swept", swept(w.Stored(p.ID)), []bool{true})

		changed, err := w.UpdatePayment(t.Context(), p.ID, storetest.Observe(
			100, storetest.Transfer(p, "0x2", 1_000_000, 10), storetest.Transfer(p, "0x3", 3_000_000, 11)))
		w.Must(err)
		storetest.Same(t, "read back", w.Stored(p.ID), changed)
		storetest.Same(t, "swept when it vanished", swept(changed), []bool{false, false, false})
		w.Must(w.SettleCovered(t.Context(), chain.Polygon, storetest.Start))
		storetest.Same(t, "what was swept", swept(w.Stored(p.ID)), []bool{false, true, true})
		storetest.Same(t, "due", len(w.due()), 0)

		first.Block.Number = 101
		w.foundIn(p.ID, 0, first)
		storetest.Same(t, "due when it is back", w.due()[0].Due, money.UnitsFromUint64(4_000_000))
	})
}

// Or the transaction pays another amount in the block that replaces it.
func TestStore_SweptChanges(t *testing.T) {
	for name, c := range map[string]struct {
		units, block, other uint64
		swept               []bool
		due                 uint64
	}{
		"Less": {1_000_000, 10, 3_000_000, []bool{true, true}, 0},
		"More": {9_000_000, 30, 4_000_000, []bool{false, true}, 9_000_000},
	} {
		t.Run(name, func(t *testing.T) {
			onEach(t, func(t *testing.T, w *world) {
				p := w.NewStarted(w.NewKey(100, 0))
				first := storetest.Transfer(p, "0x1", 4_000_000, 10)
				p = w.foundIn(p.ID, 0, first)
				w.Must(w.EndSweep(t.Context(), confirmed(w.planned(w.due()...), 20), storetest.Start))

				other := storetest.Transfer(p, "0x2", money.Micros(c.other), 11)
				first.Units, first.Block.Number = money.UnitsFromUint64(c.units), c.block
				changed := w.Update(p.ID, storetest.Observe(100, first, other))
				storetest.Same(t, "read back", w.Stored(p.ID), changed)
				w.Must(w.SettleCovered(t.Context(), chain.Polygon, storetest.Start))
				storetest.Same(t, "what was swept", swept(w.Stored(p.ID)), c.swept)
				var due money.Units
				for _, b := range w.due() {
					due = due.Add(b.Due)
				}
				storetest.Same(t, "due", due.String(), strconv.FormatUint(c.due, 10))
			})
		})
	}
}

// Or the deposit vanishes while the first sweep of its address is being stored.
func TestStore_SweptVanishesMeanwhile(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		p := w.NewStarted(w.NewKey(100, 0))
		p = w.foundIn(p.ID, 0, storetest.Transfer(p, "0x1", 4_000_000, 10))
		s := confirmed(w.planned(w.due()...), 20)
		holder, err := w.SQL().Begin()
		w.Must(err)
		defer func() { _ = holder.Rollback() }()                       // after its commit this does nothing
		_, err = holder.Exec("UPDATE sweep_items SET reason = 'held'") // the sweep has marked nothing yet
		w.Must(err)
		waits := func(n int64) {
			for end := time.Now().Add(30 * time.Second); w.ManyWriters() && n > w.Count(`SELECT count(*)
				FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`); {
				if time.Now().After(end) {
					t.Fatalf("fewer than %d transactions wait; the test shows nothing", n)
				}
				time.Sleep(time.Millisecond)
			}
		}
		var ended, vanished error
		var both sync.WaitGroup
		both.Go(func() { ended = w.EndSweep(t.Context(), s, storetest.Start) })
		waits(1)
		both.Go(func() {
			other := storetest.Transfer(p, "0x2", 4_000_000, 11)
			_, vanished = w.UpdatePayment(t.Context(), p.ID, storetest.Observe(100, other))
		})
		waits(2)
		w.Must(holder.Commit())
		both.Wait()
		w.Must(errors.Join(ended, vanished))
		w.Must(w.SettleCovered(t.Context(), chain.Polygon, storetest.Start))
		storetest.Same(t, "what was swept", swept(w.Stored(p.ID)), []bool{false, true})
		storetest.Same(t, "due", len(w.due()), 0)
	})
}

// A sweep that finds nothing on an address: what was deposited in finalized blocks has been flushed by another account,
// so it is at the merchant. A deposit of any other block may vanish with the block, and is not counted as moved.
func TestStore_SweepFindsNothing(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		p := w.NewStarted(w.NewKey(100, 0))
		p = w.foundIn(p.ID, 0, storetest.Transfer(p, "0x1", 3_000_000, 10), storetest.Transfer(p, "0x2", 4_000_000, 11))
		at := p.Routes[0].Address.Address
		w.Must(w.EndSweep(t.Context(), emptied(w.planned(w.due()...), 20, 0), storetest.Start))
		storetest.Same(t, "swept of what may vanish", swept(w.Stored(p.ID)), []bool{false, false})
		moved, err := w.SweptFrom(t.Context(), p.Deposits[0].Transfer.Asset, []chain.Address{at})
		w.Must(err)
		storetest.Same(t, "moved of what may vanish", moved[at].String(), "0")

		w.foundIn(p.ID, 11)
		due := mustBeDue(t, w, settlement.Block(1, storetest.Start))
		storetest.Same(t, "due again", due[0].Due, money.UnitsFromUint64(7_000_000))
		w.Must(w.EndSweep(t.Context(), emptied(w.planned(due...), 30, 4_000_000), storetest.Start))
		storetest.Same(t, "swept of what stood there", swept(w.Stored(p.ID)), []bool{true, false})
		storetest.Same(t, "due of what lies there", w.due()[0].Due, money.UnitsFromUint64(4_000_000))

		w.foundIn(p.ID, 40, storetest.Transfer(p, "0x3", 5_000_000, 40))
		w.Must(w.EndSweep(t.Context(), emptied(w.planned(w.due()...), 39, 0), storetest.Start))
		storetest.Same(t, "swept before the last one came", swept(w.Stored(p.ID)), []bool{true, true, false})
	})
}

// A sweep takes along what was never recorded, such as a transfer that an endpoint hid. What came after it and has left
// by a sweep that a restored database does not know is swept all the same.
func TestStore_SweepFindsNothing_UnrecordedBefore(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		p := w.NewStarted(w.NewKey(100, 0))
		p = w.foundIn(p.ID, 10, storetest.Transfer(p, "0x1", 3_000_000, 10))
		first := confirmed(w.planned(w.due()...), 11)
		first.Moved[0].Units = money.UnitsFromUint64(9_000_000)
		w.Must(w.EndSweep(t.Context(), first, storetest.Start))

		w.foundIn(p.ID, 20, storetest.Transfer(p, "0x2", 4_000_000, 20))
		w.Must(w.EndSweep(t.Context(), emptied(w.planned(w.due()...), 30, 0), storetest.Start))
		storetest.Same(t, "swept", swept(w.Stored(p.ID)), []bool{true, true})
		if due := w.due(); len(due) > 0 {
			t.Errorf("%+v is due on an address from which all is swept", due)
		}
	})
}

// Small transfers that were folded into one deposit are swept when a sweep came after the last of them: one that came
// between them did not move those that came later, however the address is found then.
func TestStore_SweepFindsNothing_FoldedLater(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		p := w.NewStarted(w.NewKey(100, 0))
		list := []chain.Transfer{storetest.Transfer(p, "0x1", 3_000_000, 10)}
		for i := range payment.FoldFrom {
			list = append(list, storetest.Transfer(p, fmt.Sprintf("0x2%d", i), 1_000, 10))
		}
		p = w.foundIn(p.ID, 10, list...)
		w.foundIn(p.ID, 40, storetest.Transfer(p, "0x3", 2_000, 25))
		w.Must(w.EndSweep(t.Context(), emptied(w.planned(w.due()...), 20, 0), storetest.Start))
		p = w.Stored(p.ID)
		var swept money.Units
		for _, d := range p.Deposits {
			if d.Swept {
				swept = swept.Add(d.Transfer.Units)
			}
			if d.Folded() && d.Swept {
				t.Errorf("folded %s are swept, and some came later", d.Transfer.Units)
			}
		}
		storetest.Same(t, "swept", swept, money.UnitsFromUint64(3_000_000+(payment.FoldFrom-1)*1_000))
	})
}
