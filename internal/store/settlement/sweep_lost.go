package settlement

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/settlement"
	"github.com/florinpay/florin/internal/store/db"
)

// LostTime returns the blocks in which sweeps may have been made that a restored database does not know; ok is false if
// it was never restored. Its first block is the one after the cursor of the backup.
func (s *Store) LostTime(ctx context.Context, n chain.Network) (lost settlement.LostTime, ok bool, err error) {
	var rows []struct{ RestoredNumber, RereadTo int64 }
	err = s.db.Reader().NewRaw("SELECT restored_number, reread_to FROM cursors WHERE network = ? AND restored_number > 0",
		string(n)).Scan(ctx, &rows)
	if err != nil {
		return lost, false, fmt.Errorf("lost time of %s: %w", n, err)
	}
	if len(rows) == 0 {
		return lost, false, nil
	}
	return settlement.LostTime{From: uint64(rows[0].RestoredNumber), To: uint64(rows[0].RereadTo)}, true, nil
}

// RecordSweep stores a confirmed sweep that was found on the chain. Of a transaction that is stored already it adds the
// items that are not; it fails with settlement.ErrRecorded if there are none, and with settlement.ErrBusy if a sweep in
// flight has claimed an address.
func (s *Store) RecordSweep(ctx context.Context, w settlement.Sweep, now time.Time) error {
	if w.State != settlement.Confirmed || w.Tx == "" || len(w.Items) == 0 || len(w.Attempts) > 0 {
		return fmt.Errorf("record sweep %s: it is no confirmed sweep", w.ID)
	}
	err := s.db.Write(ctx, func(ctx context.Context, t db.Tx) error {
		var known []int64
		err := t.NewRaw("SELECT id FROM sweeps WHERE network = ? AND tx_hash = ?"+t.ForUpdate(),
			string(w.Network), string(w.Tx)).Scan(ctx, &known)
		if err != nil {
			return err
		}
		if len(known) > 0 {
			return addMoved(ctx, t, known[0], w, now)
		}
		id, err := insertSweep(ctx, t, w)
		if err != nil {
			return err
		}
		return finishSweep(ctx, t, id, w, now)
	})
	if err != nil {
		return fmt.Errorf("record sweep %s: %w", w.ID, err)
	}
	return nil
}

// addMoved adds the items that the stored sweep lacks, with what it moved of them.
func addMoved(ctx context.Context, t db.Tx, id int64, w settlement.Sweep, now time.Time) error {
	var stored []itemRow
	if err := t.NewSelect().Model(&stored).Where("sweep_id = ?", id).Scan(ctx); err != nil {
		return err
	}
	has := func(address, contract chain.Address) bool {
		return slices.ContainsFunc(stored, func(r itemRow) bool {
			return r.Address == db.Packed(address) && r.Contract == db.Packed(contract)
		})
	}
	w.Items = slices.DeleteFunc(slices.Clone(w.Items), func(i chain.SweepItem) bool {
		return has(i.Address.Address, i.Asset.Contract)
	})
	w.Moved = slices.DeleteFunc(slices.Clone(w.Moved), func(m chain.Moved) bool { return has(m.Address, m.Contract) })
	if len(w.Items) == 0 {
		return settlement.ErrRecorded
	}
	if err := checkMoved(w); err != nil {
		return err
	}
	if err := insertItems(ctx, t, id, w); err != nil {
		return err
	}
	_, err := t.NewRaw("UPDATE sweeps SET moved = moved + ? WHERE id = ?", int64(len(w.Moved)), id).Exec(ctx)
	if err != nil {
		return err
	}
	if err := endItems(ctx, t, id, w); err != nil {
		return err
	}
	b, err := lockBalances(ctx, t, id, w)
	if err != nil {
		return err
	}
	return b.settle(ctx, t, w, now)
}

// finishSweep stores the end of a sweep with its effects on balances and deposits.
func finishSweep(ctx context.Context, t db.Tx, id int64, w settlement.Sweep, now time.Time) error {
	if err := checkMoved(w); err != nil {
		return err
	}
	b, err := lockBalances(ctx, t, id, w)
	if err != nil {
		return err
	}
	if w, err = b.withFlushed(w); err != nil {
		return err
	}
	if err := endRow(ctx, t, id, w); err != nil {
		return err
	}
	return b.settle(ctx, t, w, now)
}
