package settlement

import (
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/settlement"
	"github.com/florinpay/florin/internal/store/db"
)

// InFlight returns the network's sweeps in flight, the oldest first.
func (s *Store) InFlight(ctx context.Context, n chain.Network) (list []settlement.Sweep, err error) {
	err = s.db.Snapshot(ctx, func(ctx context.Context, t db.Tx) error {
		list, err = readSweeps(ctx, t, "s.network = ? AND s.ended_at IS NULL", string(n))
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("sweeps of %s in flight: %w", n, err)
	}
	return list, nil
}

// Sweep returns the sweep of the id, or settlement.ErrUnknown.
func (s *Store) Sweep(ctx context.Context, id settlement.ID) (w settlement.Sweep, err error) {
	err = s.db.Snapshot(ctx, func(ctx context.Context, t db.Tx) (err error) {
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
func readSweep(ctx context.Context, t db.Tx, where string, arg any) (settlement.Sweep, bool, error) {
	list, err := readSweeps(ctx, t, where, arg)
	if err != nil || len(list) == 0 {
		return settlement.Sweep{}, false, err
	}
	return list[0], true, nil
}

// readSweeps reads the sweeps that the condition selects, whole, the oldest first.
func readSweeps(ctx context.Context, t db.Tx, where string, arg any) ([]settlement.Sweep, error) {
	var rows []sweepRow
	if err := t.NewSelect().Model(&rows).Where(where, arg).Order("s.id").Scan(ctx); err != nil || len(rows) == 0 {
		return nil, err
	}
	ids := make([]int64, len(rows))
	for i, r := range rows {
		ids[i] = r.ID
	}
	var items []itemRow
	err := t.NewSelect().Model(&items).Where("sweep_id IN (?)", bun.List(ids)).Order("id").Scan(ctx)
	if err != nil {
		return nil, err
	}
	if err := addRoutes(ctx, t, ids, items); err != nil {
		return nil, err
	}
	var attempts []attemptRow
	err = t.NewSelect().Model(&attempts).Where("sweep_id IN (?)", bun.List(ids)).Order("sweep_id", "n").Scan(ctx)
	if err != nil {
		return nil, err
	}
	itemsOf, attemptsOf := make(map[int64][]itemRow), make(map[int64][]attemptRow)
	for _, i := range items {
		itemsOf[i.SweepID] = append(itemsOf[i.SweepID], i)
	}
	for _, a := range attempts {
		attemptsOf[a.SweepID] = append(attemptsOf[a.SweepID], a)
	}
	list := make([]settlement.Sweep, len(rows))
	for i, r := range rows {
		if list[i], err = r.sweep(itemsOf[r.ID], attemptsOf[r.ID]); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// PlanSweep stores a planned sweep and claims its addresses. It fails with
// settlement.ErrBusy if another sweep in flight has claimed one, or moved its
// money while this one was planned, so that it must be planned anew.
func (s *Store) PlanSweep(ctx context.Context, w settlement.Sweep) error {
	if w.State != settlement.Planned || len(w.Items) == 0 || len(w.Attempts) > 0 {
		return fmt.Errorf("plan sweep %s: it is not planned", w.ID)
	}
	err := s.db.Write(ctx, func(ctx context.Context, t db.Tx) error {
		_, err := insertSweep(ctx, t, w)
		return err
	})
	if err != nil {
		return fmt.Errorf("plan sweep %s: %w", w.ID, err)
	}
	return nil
}

// insertSweep inserts a planned sweep with its items and returns its row.
func insertSweep(ctx context.Context, t db.Tx, w settlement.Sweep) (int64, error) {
	row := sweepRow{
		PublicID: string(w.ID), Network: string(w.Network), State: string(settlement.Planned),
		CreatedAt: db.At(w.CreatedAt), Paid: "0",
	}
	if _, err := t.NewInsert().Model(&row).Exec(ctx); err != nil {
		return 0, err
	}
	return row.ID, insertItems(ctx, t, row.ID, w)
}

// insertItems inserts the items of a sweep and claims their addresses. It fails with settlement.ErrBusy if another
// sweep in flight has one, or if one is not due.
func insertItems(ctx context.Context, t db.Tx, id int64, w settlement.Sweep) error {
	// First the claims: a sweep that is ending has let go of its addresses only with what it moved.
	if err := claim(ctx, t, id, w); err != nil {
		return err
	}
	payments, err := paymentsOf(ctx, t, w.Items)
	if err != nil {
		return err
	}
	items := make([]itemRow, len(w.Items))
	for i, item := range w.Items {
		items[i] = rowOfItem(id, payments[item.PaymentID], item)
	}
	if err := stillDue(ctx, t, w.Network, items); err != nil {
		return err
	}
	if err := omitRoutes(ctx, t, w.Network, items); err != nil {
		return err
	}
	_, err = t.NewInsert().Model(&items).Exec(ctx)
	return err
}

// lockSweep locks the sweep and returns its row, or settlement.ErrUnknown.
func lockSweep(ctx context.Context, t db.Tx, id settlement.ID) (sweepRow, error) {
	var rows []sweepRow
	if err := t.NewRaw("SELECT * FROM sweeps WHERE public_id = ?"+t.ForUpdate(), string(id)).Scan(ctx, &rows); err != nil {
		return sweepRow{}, err
	}
	if len(rows) == 0 {
		return sweepRow{}, settlement.ErrUnknown
	}
	return rows[0], nil
}

// AddAttempt stores a signed attempt of a sweep in flight and reserves its nonce. It
// fails with settlement.ErrBusy if another instance has stored that attempt or ended
// the sweep, or if another sweep in flight has the nonce.
func (s *Store) AddAttempt(ctx context.Context, id settlement.ID, a chain.Attempt) error {
	err := s.db.Write(ctx, func(ctx context.Context, t db.Tx) error {
		w, err := lockSweep(ctx, t, id)
		if err != nil {
			return err
		}
		var last int64
		if err := t.NewRaw("SELECT coalesce(max(n), 0) FROM sweep_attempts WHERE sweep_id = ?", w.ID).Scan(ctx,
			&last); err != nil {
			return err
		}
		if !settlement.State(w.State).InFlight() || last != int64(a.N)-1 {
			return settlement.ErrBusy
		}
		row, err := rowOfAttempt(w.ID, a)
		if err != nil {
			return err
		}
		if err := reserve(ctx, t, w, a); err != nil {
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
	err := s.db.Write(ctx, func(ctx context.Context, t db.Tx) error {
		w, err := lockSweep(ctx, t, id)
		if err != nil || !settlement.State(w.State).InFlight() {
			return err
		}
		_, err = t.NewRaw("UPDATE sweep_attempts SET sent_at = ? WHERE sweep_id = ? AND n = ?", db.At(when), w.ID,
			int64(n)).Exec(ctx)
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
	err := s.db.Reader().NewSelect().Model(&rows).Column("paid", "moved", "ended_at").
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
