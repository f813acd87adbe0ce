package settlement_test

import (
	"errors"
	"testing"

	"github.com/florinpay/florin/internal/backup"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment/watch"
	"github.com/florinpay/florin/internal/settlement"
	"github.com/florinpay/florin/internal/store/storetest"
)

// found is a confirmed sweep of the balances that was found on the chain.
func found(tx chain.TxHash, due ...settlement.DepositBalance) settlement.Sweep {
	s := confirmed(sweepOf(due...), 20)
	s.Tx = tx
	return s
}

// TestStore_RecordSweep: a sweep that the chain shows counts as if it had been planned here.
func TestStore_RecordSweep(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		k := w.NewKey(100, 0)
		p, q := w.paidIn(k, 12, 3_000_000, 4_000_000), w.paidIn(k, 12, 5_000_000)
		due := w.due()
		if len(due) != 2 || due[0].FirstBlock != 10 || due[1].FirstBlock != 10 {
			t.Fatalf("due: %+v", due)
		}
		if due[0].PaymentID != string(p.ID) {
			due[0], due[1] = due[1], due[0]
		}
		w.Must(w.RecordSweep(t.Context(), found("0x1", due[0]), storetest.Start))
		storetest.Same(t, "swept", swept(w.Stored(p.ID)), []bool{true, true})
		storetest.Same(t, "swept of the other", swept(w.Stored(q.ID)), []bool{false})
		t.Run("Again", func(t *testing.T) {
			err := w.RecordSweep(t.Context(), found("0x1", due[0]), storetest.Start)
			if !errors.Is(err, settlement.ErrRecorded) {
				t.Errorf("recorded twice: %v", err)
			}
		})
		t.Run("AnotherItem", func(t *testing.T) {
			w.Must(w.RecordSweep(t.Context(), found("0x1", due...), storetest.Start))
			storetest.Same(t, "swept of the other", swept(w.Stored(q.ID)), []bool{true})
			list, err := w.ConfirmedSince(t.Context(), chain.Polygon, storetest.Start)
			w.Must(err)
			if len(list) != 1 || len(list[0].Items) != 2 || len(list[0].Moved) != 2 {
				t.Errorf("the sweeps are %+v", list)
			}
			if n := w.Count("SELECT moved FROM sweeps"); n != 2 {
				t.Errorf("the sweep counts %d balances", n)
			}
			records, err := w.Records(t.Context(), chain.Polygon, []chain.Address{p.Routes[0].Address.Address})
			w.Must(err)
			if len(records) != 1 || records[0].Moved.String() != "7000000" || records[0].Marked.String() != "7000000" {
				t.Errorf("the records are %+v", records)
			}
		})
	})
}

// TestStore_RecordSweep_Refuses: what is not due, in flight, or no end.
func TestStore_RecordSweep_Refuses(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		w.paidIn(w.NewKey(100, 0), 12, 3_000_000)
		due := w.due()
		planned := w.planned(due...)
		if err := w.RecordSweep(
			t.Context(), found("0x1", due...), storetest.Start,
		); !errors.Is(err, settlement.ErrBusy) {
			t.Errorf("beside one in flight: %v", err)
		}
		w.Must(w.EndSweep(t.Context(), confirmed(planned, 20), storetest.Start))
		if err := w.RecordSweep(
			t.Context(), found("0x2", due...), storetest.Start,
		); !errors.Is(err, settlement.ErrBusy) {
			t.Errorf("what is swept already: %v", err)
		}
		more := found("0x3", due...)
		more.Moved = append(more.Moved, chain.Moved{Address: "0xother", Units: money.UnitsFromUint64(1)})
		for name, s := range map[string]settlement.Sweep{
			"NotItsOwn": more, "NoTx": found("", due...), "Planned": sweepOf(due...),
		} {
			if err := w.RecordSweep(t.Context(), s, storetest.Start); err == nil {
				t.Errorf("%s was recorded", name)
			}
		}
		if n := w.Count("SELECT count(*) FROM sweeps"); n != 1 {
			t.Errorf("%d sweeps are stored", n)
		}
	})
}

// TestStore_LostTime: it is known once the database was restored.
func TestStore_LostTime(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		at := chain.Head{Number: 1000, Hash: "0x1", Time: storetest.Start}
		c := watch.Cursor{Scanned: at, Rechecked: at, UpdatedAt: storetest.Start}
		w.Must(w.SaveCursor(t.Context(), chain.Polygon, c))
		if _, restored, err := w.LostTime(t.Context(), chain.Polygon); restored || err != nil {
			t.Errorf("restored: %v, %v", restored, err)
		}
		w.MustDo(w.Adopt(t.Context(), backup.Mark{}, storetest.Start))
		lost, restored, err := w.LostTime(t.Context(), chain.Polygon)
		if err != nil || !restored || lost.From != 1001 || lost.To < lost.From {
			t.Errorf("lost: %+v, %v, %v", lost, restored, err)
		}
	})
}
