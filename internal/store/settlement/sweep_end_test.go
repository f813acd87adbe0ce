package settlement_test

import (
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/settlement"
	"github.com/florinpay/florin/internal/store/storetest"
)

// Flushing an address moves what is not final too, which is marked when it is;
// what comes later is due again, however much was moved before.
func TestStore_SweepMovesWhatIsNotFinal(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		p := w.paidIn(w.NewKey(100, 0), 10, 3_000_000, 4_000_000) // blocks 10 and 11
		s := confirmed(w.planned(w.due()...), 20)
		s.Moved[0].Units = money.UnitsFromUint64(7_500_000) // and half a dollar that is not recorded
		w.Must(w.EndSweep(t.Context(), s, storetest.Start))
		storetest.Same(t, "swept at first", swept(w.Stored(p.ID)), []bool{true, false})
		w.Must(w.SettleCovered(t.Context(), chain.Polygon, storetest.Start))
		storetest.Same(t, "swept before it is final", swept(w.Stored(p.ID)), []bool{true, false})

		p = w.takeIn(w.Stored(p.ID), 21, 21, 400_000)
		storetest.Same(t, "due", w.due()[0].Due, money.UnitsFromUint64(400_000))
		w.Must(w.SettleCovered(t.Context(), chain.Polygon, storetest.Start))
		storetest.Same(t, "swept when it is final", swept(w.Stored(p.ID)), []bool{true, true, false})
		storetest.Same(t, "due of what came later", w.due()[0].Due, money.UnitsFromUint64(400_000))

		w.Must(w.EndSweep(t.Context(), confirmed(w.planned(w.due()...), 30), storetest.Start))
		storetest.Same(t, "swept in the end", swept(w.Stored(p.ID)), []bool{true, true, true})
		records, err := w.Records(t.Context(), chain.Polygon, []chain.Address{p.Routes[0].Address.Address})
		w.Must(err)
		if len(records) != 1 || records[0].Moved.String() != "7900000" || records[0].Marked.String() != "7400000" ||
			!records[0].Found.IsZero() ||
			records[0].Early.String() != "7400000" || len(records[0].Deposits) != 3 {
			t.Errorf("the records are %+v", records)
		}
	})
}

// A deposit the sweep's block holds too is marked only if what was moved
// covers it: it may have come after the sweep.
func TestStore_SweepInTheSameBlock(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		p := w.paidIn(w.NewKey(100, 0), 11, 3_000_000, 4_000_000)
		s := confirmed(w.planned(w.due()...), 11)
		s.Moved[0].Units = money.UnitsFromUint64(3_000_000)
		w.Must(w.EndSweep(t.Context(), s, storetest.Start))
		storetest.Same(t, "swept", swept(w.Stored(p.ID)), []bool{true, false})
		storetest.Same(t, "due", w.due()[0].Due, money.UnitsFromUint64(4_000_000))
	})
}

// What was moved covers deposits in the order they came: a later one is not
// marked over the head of an earlier one that is not covered.
func TestStore_SweepCoversInOrder(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		p := w.paidIn(w.NewKey(100, 0), 12, 3_000_000, 9_000_000, 4_000_000)
		s := confirmed(w.planned(w.due()...), 12)
		s.Moved[0].Units = money.UnitsFromUint64(7_000_000)
		w.Must(w.EndSweep(t.Context(), s, storetest.Start))
		storetest.Same(t, "swept", swept(w.Stored(p.ID)), []bool{true, false, false})
		storetest.Same(t, "due", w.due()[0].Due, money.UnitsFromUint64(9_000_000))
	})
}

func TestStore_SweepFailures(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		k := w.NewKey(100, 0)
		frozen, fine := w.paidIn(k, 11, 9_000_000), w.paidIn(k, 11, 5_000_000)
		s := confirmed(w.planned(w.due()...), 20)
		s.Unmoved = []chain.Unmoved{{Address: s.Moved[0].Address, Contract: s.Moved[0].Contract, Reason: "frozen"}}
		s.Moved = s.Moved[1:]
		w.Must(w.EndSweep(t.Context(), s, storetest.Start))
		storetest.Same(t, "the frozen one", swept(w.Stored(frozen.ID)), []bool{false})
		storetest.Same(t, "the other one", swept(w.Stored(fine.ID)), []bool{true})
		q := settlement.Query{Now: storetest.Start, Limit: 10}
		for failures := 1; failures <= 3; failures++ {
			if due, err := w.DepositBalances(t.Context(), chain.Polygon, q); err != nil || len(due) != 0 {
				t.Fatalf("a balance that failed is due at once: %+v, %v", due, err)
			}
			q.Now = settlement.Block(failures, q.Now)
			due, err := w.DepositBalances(t.Context(), chain.Polygon, q)
			w.Must(err)
			if len(due) != 1 || due[0].Failures != failures {
				t.Fatalf("after its pause: %+v, want one balance with %d failures", due, failures)
			}
			again := w.planned(due...)
			again.State, again.EndedAt, again.Note = settlement.Failed, q.Now, "reverted"
			again.Attempts = nil
			w.Must(w.EndSweep(t.Context(), again, q.Now))
		}
		stranger := w.planned(mustBeDue(t, w, q.Now.Add(48*time.Hour))...)
		stranger = confirmed(stranger, 30)
		stranger.Moved[0].Address = "0x52908400098527886E0F7030069857D2E4169EE7"
		if err := w.EndSweep(t.Context(), stranger, storetest.Start); err == nil {
			t.Error("a sweep ended that moved what it did not take along")
		}
	})
}

// What a sweep took along is what is stored: the reported end cannot
// leave anything out of it, nor put in what was not there or less than nothing.
func TestStore_EndSweep_OfWhatIsStored(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		k := w.NewKey(100, 0)
		a, b := w.paidIn(k, 11, 9_000_000), w.paidIn(k, 11, 5_000_000)
		done := confirmed(w.planned(w.due()...), 20)
		stranger := done
		stranger.Unmoved = []chain.Unmoved{{
			Address:  "0x52908400098527886E0F7030069857D2E4169EE7",
			Contract: done.Moved[0].Contract, Reason: "frozen",
		}}
		debt := done
		debt.Moved = append([]chain.Moved(nil), done.Moved...)
		debt.Moved[0].Units = money.Units{}.Sub(money.UnitsFromUint64(1))
		other := done
		other.Moved = append([]chain.Moved(nil), done.Moved...)
		other.Moved[0].Contract = "0x52908400098527886E0F7030069857D2E4169EE7"
		for name, end := range map[string]settlement.Sweep{
			"a stranger left": stranger, "less than nothing moved": debt,
			"another token moved": other,
		} {
			if err := w.EndSweep(t.Context(), end, storetest.Start); err == nil {
				t.Errorf("ended with %s", name)
			}
		}
		done.Items, done.Attempts = done.Items[:1], nil
		w.Must(w.EndSweep(t.Context(), done, storetest.Start))
		storetest.Same(t, "swept", append(swept(w.Stored(a.ID)), swept(w.Stored(b.ID))...), []bool{true, true})
	})
}

func mustBeDue(t *testing.T, w *world, now time.Time) []settlement.DepositBalance {
	t.Helper()
	due, err := w.DepositBalances(t.Context(), chain.Polygon, settlement.Query{Now: now, Limit: 10})
	w.Must(err)
	return due
}
