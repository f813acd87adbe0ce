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
	rows, err := db.All[settlement.LostTime](ctx, s.db.Reader(),
		`SELECT restored_number AS "from", reread_to AS "to" FROM cursors WHERE network = ? AND restored_number > 0`, n)
	if err != nil || len(rows) == 0 {
		return lost, false, db.Wrap(err, "lost time of %s", n)
	}
	return rows[0], true, nil
}

// RecordSweep stores a confirmed sweep that was found on the chain. Of a transaction that is stored already it adds the
// items that are not, or fails as settlement.RecordStore says.
func (s *Store) RecordSweep(ctx context.Context, w settlement.Sweep, now time.Time) error {
	if w.State != settlement.Confirmed || w.Tx == "" || len(w.Items) == 0 || len(w.Attempts) > 0 {
		return fmt.Errorf("record sweep %s: it is no confirmed sweep", w.ID)
	}
	err := s.db.Write(ctx, func(ctx context.Context, t db.Tx) error {
		known, err := db.All[int64](ctx, t, "SELECT id FROM sweeps WHERE network = ? AND tx_hash = ?"+t.ForUpdate(), w.Network, w.Tx)
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
	return db.Wrap(err, "record sweep %s", w.ID)
}

// addMoved adds the items that the stored sweep lacks, with what it moved of them.
func addMoved(ctx context.Context, t db.Tx, id int64, w settlement.Sweep, now time.Time) error {
	stored, err := db.All[itemRow](ctx, t, "SELECT * FROM sweep_items WHERE sweep_id = ?", id)
	if err != nil {
		return err
	}
	has := func(address, contract chain.Address) bool {
		return slices.ContainsFunc(stored, func(r itemRow) bool { return r.key() == balanceKey{address, contract} })
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
	if _, err = t.NewRaw("UPDATE sweeps SET moved = moved + ? WHERE id = ?", len(w.Moved), id).Exec(ctx); err != nil {
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
	w = b.withFlushed(w)
	if err := endRow(ctx, t, id, w); err != nil {
		return err
	}
	return b.settle(ctx, t, w, now)
}
