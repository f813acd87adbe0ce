package store

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/settlement"
	"github.com/florinpay/florin/internal/store/db"
)

var _ settlement.Store = (*Store)(nil)

// InFlight returns the network's sweep in flight; ok is false if there is none.
func (s *Store) InFlight(ctx context.Context, n chain.Network) (w settlement.Sweep, ok bool, err error) {
	err = s.db.Snapshot(ctx, func(ctx context.Context, t tx) error {
		w, ok, err = readSweep(ctx, t, "s.network = ? AND s.ended_at IS NULL", string(n))
		return err
	})
	if err != nil {
		return settlement.Sweep{}, false, fmt.Errorf("sweep of %s in flight: %w", n, err)
	}
	return w, ok, nil
}

// Sweep returns the sweep of the id, or settlement.ErrUnknown.
func (s *Store) Sweep(ctx context.Context, id settlement.ID) (w settlement.Sweep, err error) {
	err = s.db.Snapshot(ctx, func(ctx context.Context, t tx) (err error) {
		var ok bool
		w, ok, err = readSweep(ctx, t, "s.public_id = ?", string(id))
		if err == nil && !ok {
			return settlement.ErrUnknown
		}
		return err
	})
	if err != nil {
		return settlement.Sweep{}, fmt.Errorf("sweep %s: %w", id, err)
	}
	return w, nil
}

// readSweep reads the sweep that the condition selects, whole.
func readSweep(ctx context.Context, t tx, where string, arg any) (settlement.Sweep, bool, error) {
	var rows []sweepRow
	if err := t.NewSelect().Model(&rows).Where(where, arg).Scan(ctx); err != nil || len(rows) == 0 {
		return settlement.Sweep{}, false, err
	}
	var items []itemRow
	err := t.NewSelect().Model(&items).ColumnExpr("i.*").ColumnExpr("p.public_id AS public_id").
		Join("JOIN payments AS p ON p.id = i.payment_id").Where("i.sweep_id = ?", rows[0].ID).Order("i.id").Scan(ctx)
	if err != nil {
		return settlement.Sweep{}, false, err
	}
	var attempts []attemptRow
	if err := t.NewSelect().Model(&attempts).Where("sweep_id = ?", rows[0].ID).Order("n").Scan(ctx); err != nil {
		return settlement.Sweep{}, false, err
	}
	w, err := rows[0].sweep(items, attempts)
	return w, err == nil, err
}

// PlanSweep stores a planned sweep and claims its balances. It fails with
// settlement.ErrBusy if another sweep of the network is in flight, or was while
// this one was planned, so that it must be planned anew.
func (s *Store) PlanSweep(ctx context.Context, w settlement.Sweep) error {
	if w.State != settlement.Planned || len(w.Items) == 0 || len(w.Attempts) > 0 {
		return fmt.Errorf("plan sweep %s: it is not planned", w.ID)
	}
	err := s.db.Write(ctx, func(ctx context.Context, t tx) error {
		row := sweepRow{PublicID: string(w.ID), Network: string(w.Network), State: string(settlement.Planned), CreatedAt: db.At(w.CreatedAt), Paid: "0"}
		if _, err := t.NewInsert().Model(&row).Exec(ctx); err != nil {
			if db.IsDuplicate(err) {
				return settlement.ErrBusy
			}
			return err
		}
		items := make([]itemRow, len(w.Items))
		for i, item := range w.Items {
			items[i] = rowOfItem(row.ID, item)
		}
		if err := stillDue(ctx, t, w); err != nil {
			return err
		}
		_, err := t.NewInsert().Model(&items).Exec(ctx)
		return err
	})
	if err != nil {
		return fmt.Errorf("plan sweep %s: %w", w.ID, err)
	}
	return nil
}

// stillDue checks, now that the sweep holds the network, that each balance has a
// deposit to sweep: another instance may have swept it since the balances were
// read. A rescue may move money that is no deposit.
func stillDue(ctx context.Context, t tx, w settlement.Sweep) error {
	for _, i := range w.Items {
		if i.Rescue {
			continue
		}
		var due bool
		err := t.NewRaw("SELECT EXISTS (SELECT 1 FROM deposits WHERE payment_id = ? AND network = ? AND to_address = ? AND contract = ? "+
			"AND state = 'FINAL' AND swept_at IS NULL)",
			i.Number, string(w.Network), string(i.Address.Address), string(i.Asset.Contract)).Scan(ctx, &due)
		if err != nil {
			return err
		}
		if !due {
			return settlement.ErrBusy
		}
	}
	return nil
}

// lockSweep locks the sweep and returns its row, or settlement.ErrUnknown.
func lockSweep(ctx context.Context, t tx, id settlement.ID) (sweepRow, error) {
	var rows []sweepRow
	if err := t.NewRaw("SELECT * FROM sweeps WHERE public_id = ?"+t.ForUpdate(), string(id)).Scan(ctx, &rows); err != nil {
		return sweepRow{}, err
	}
	if len(rows) == 0 {
		return sweepRow{}, settlement.ErrUnknown
	}
	return rows[0], nil
}

// AddAttempt stores a signed attempt of a sweep in flight. It fails with
// settlement.ErrBusy if another instance has stored that attempt or ended the sweep.
func (s *Store) AddAttempt(ctx context.Context, id settlement.ID, a chain.Attempt) error {
	err := s.db.Write(ctx, func(ctx context.Context, t tx) error {
		w, err := lockSweep(ctx, t, id)
		if err != nil {
			return err
		}
		var last int64
		if err := t.NewRaw("SELECT coalesce(max(n), 0) FROM sweep_attempts WHERE sweep_id = ?", w.ID).Scan(ctx, &last); err != nil {
			return err
		}
		if !settlement.State(w.State).InFlight() || last != int64(a.N)-1 {
			return settlement.ErrBusy
		}
		row, err := rowOfAttempt(w.ID, a)
		if err != nil {
			return err
		}
		if _, err := t.NewInsert().Model(&row).Exec(ctx); err != nil {
			return err
		}
		_, err = t.NewRaw("UPDATE sweeps SET state = ? WHERE id = ? AND state = ?",
			string(settlement.Signed), w.ID, string(settlement.Planned)).Exec(ctx)
		return err
	})
	if err != nil {
		return fmt.Errorf("attempt %d of sweep %s: %w", a.N, id, err)
	}
	return nil
}

// MarkSent records that attempt n was given to the network. For a sweep that
// has ended meanwhile it changes nothing.
func (s *Store) MarkSent(ctx context.Context, id settlement.ID, n int, when time.Time) error {
	err := s.db.Write(ctx, func(ctx context.Context, t tx) error {
		w, err := lockSweep(ctx, t, id)
		if err != nil || !settlement.State(w.State).InFlight() {
			return err
		}
		_, err = t.NewRaw("UPDATE sweep_attempts SET sent_at = ? WHERE sweep_id = ? AND n = ?", db.At(when), w.ID, int64(n)).Exec(ctx)
		if err != nil {
			return err
		}
		_, err = t.NewRaw("UPDATE sweeps SET state = ? WHERE id = ?", string(settlement.Sent), w.ID).Exec(ctx)
		return err
	})
	if err != nil {
		return fmt.Errorf("mark attempt %d of sweep %s as sent: %w", n, id, err)
	}
	return nil
}

// Spent sums what the network's sweeps that ended since then cost.
func (s *Store) Spent(ctx context.Context, n chain.Network, since time.Time) (settlement.Spending, error) {
	var rows []sweepRow
	err := s.reader().NewSelect().Model(&rows).Column("paid", "moved", "ended_at").
		Where("network = ? AND ended_at >= ? AND paid <> '0'", string(n), db.From(since)).Order("ended_at").Scan(ctx)
	if err != nil {
		return settlement.Spending{}, fmt.Errorf("what sweeps of %s cost: %w", n, err)
	}
	var sum settlement.Spending
	for _, r := range rows {
		paid, err := money.ParseUnits(r.Paid)
		if err != nil {
			return settlement.Spending{}, fmt.Errorf("what sweeps of %s cost: %w", n, err)
		}
		sum.Paid = sum.Paid.Add(paid)
		sum.Sweeps++
		sum.Items += int(r.Moved)
	}
	if len(rows) > 0 {
		sum.Since = rows[0].EndedAt.Time
	}
	return sum, nil
}

// number checks a block number for its column.
func number(block uint64) (int64, error) {
	if block > math.MaxInt64 {
		return 0, fmt.Errorf("block number %d is out of range", block)
	}
	return int64(block), nil
}
