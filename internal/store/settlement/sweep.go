package settlement

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/settlement"
	"github.com/florinpay/florin/internal/store/db"
)

// InFlight returns the network's sweeps in flight, the oldest first.
func (s *Store) InFlight(ctx context.Context, n chain.Network) (list []settlement.Sweep, err error) {
	err = s.db.Snapshot(ctx, func(ctx context.Context, t db.Tx) error {
		list, err = readSweeps(ctx, t, "s.network = ? AND s.ended_at IS NULL", n)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("sweeps of %s in flight: %w", n, err)
	}
	return list, nil
}

// Sweep returns the sweep of the id.
func (s *Store) Sweep(ctx context.Context, id settlement.ID) (w settlement.Sweep, err error) {
	err = s.db.Snapshot(ctx, func(ctx context.Context, t db.Tx) (err error) {
		var ok bool
		w, ok, err = readSweep(ctx, t, "s.public_id = ?", id)
		if err == nil && !ok {
			return sweeps.Missing
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
	rows, err := db.All[sweepRow](ctx, t, "SELECT * FROM sweeps AS s WHERE "+where+" ORDER BY s.id", arg)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	ids, byID := make([]int64, len(rows)), make(map[int64]*sweepRow, len(rows))
	for i := range rows {
		ids[i], byID[rows[i].Number] = rows[i].Number, &rows[i]
	}
	items, err := readItems(ctx, t, ids)
	if err != nil {
		return nil, err
	}
	attempts, err := db.All[attemptRow](ctx, t, "SELECT * FROM sweep_attempts WHERE sweep_id IN (?) ORDER BY sweep_id, n", bun.List(ids))
	if err != nil {
		return nil, err
	}
	for _, i := range items {
		byID[i.SweepID].add(i)
	}
	for _, a := range attempts {
		w := byID[a.SweepID]
		w.Attempts = append(w.Attempts, a.Attempt)
	}
	list := make([]settlement.Sweep, len(rows))
	for i := range rows {
		list[i] = rows[i].Sweep
	}
	return list, nil
}

// PlanSweep stores a planned sweep and claims its addresses, or fails as settlement.Store
// says.
func (s *Store) PlanSweep(ctx context.Context, w settlement.Sweep) error {
	if w.State != settlement.Planned || len(w.Items) == 0 || len(w.Attempts) > 0 {
		return fmt.Errorf("plan sweep %s: it is not planned", w.ID)
	}
	err := s.db.Write(ctx, func(ctx context.Context, t db.Tx) error {
		_, err := insertSweep(ctx, t, w)
		return err
	})
	return db.Wrap(err, "plan sweep %s", w.ID)
}

// insertSweep inserts a planned sweep with its items and returns its row.
func insertSweep(ctx context.Context, t db.Tx, w settlement.Sweep) (int64, error) {
	row := sweepRow{Sweep: settlement.Sweep{
		ID: w.ID, Network: w.Network, State: settlement.Planned, CreatedAt: w.CreatedAt,
	}}
	if err := sweeps.Into(t, " RETURNING id", row).Scan(ctx, &row.Number); err != nil {
		return 0, err
	}
	return row.Number, insertItems(ctx, t, row.Number, w)
}

// insertItems inserts the items of a sweep and claims their addresses, which are due and in no other
// sweep in flight.
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
		number, known := payments[item.PaymentID]
		item.Asset.Symbol = db.Shown(item.Asset.Symbol)
		items[i] = itemRow{SweepItem: item, SweepID: id, Payment: sql.NullInt64{Int64: number, Valid: known}}
	}
	if err := stillDue(ctx, t, w.Network, items); err != nil {
		return err
	}
	if err := omitRoutes(ctx, t, w.Network, items); err != nil {
		return err
	}
	_, err = sweepItems.Into(t, "", items...).Exec(ctx)
	return err
}

// lockSweep locks the sweep and returns its row.
func lockSweep(ctx context.Context, t db.Tx, id settlement.ID) (sweepRow, error) {
	return sweeps.First(ctx, t, "SELECT * FROM sweeps WHERE public_id = ?"+t.ForUpdate(), id)
}

// AddAttempt stores a signed attempt of a sweep in flight and reserves its nonce,
// or fails as settlement.Store says.
func (s *Store) AddAttempt(ctx context.Context, id settlement.ID, a chain.Attempt) error {
	err := s.db.Write(ctx, func(ctx context.Context, t db.Tx) error {
		w, err := lockSweep(ctx, t, id)
		if err != nil {
			return err
		}
		last, err := db.First[int](ctx, t, nil, "SELECT coalesce(max(n), 0) FROM sweep_attempts WHERE sweep_id = ?", w.Number)
		if err != nil {
			return err
		}
		if !w.State.InFlight() || last != a.N-1 {
			return settlement.ErrBusy
		}
		if err := checkAttempt(a); err != nil {
			return err
		}
		if err := reserve(ctx, t, w, a); err != nil {
			return err
		}
		if _, err := sweepAttempts.Into(t, "", attemptRow{a, w.Number}).Exec(ctx); err != nil {
			return err
		}
		_, err = t.NewRaw("UPDATE sweeps SET state = ? WHERE id = ? AND state = ?", settlement.Signed, w.Number, settlement.Planned).Exec(ctx)
		return err
	})
	return db.Wrap(err, "attempt %d of sweep %s", a.N, id)
}

// MarkSent records that attempt n was given to the network. For a sweep that
// has ended meanwhile it changes nothing.
func (s *Store) MarkSent(ctx context.Context, id settlement.ID, n int, when time.Time) error {
	err := s.db.Write(ctx, func(ctx context.Context, t db.Tx) error {
		w, err := lockSweep(ctx, t, id)
		if err != nil || !w.State.InFlight() {
			return err
		}
		_, err = t.NewRaw("UPDATE sweep_attempts SET sent_at = ? WHERE sweep_id = ? AND n = ?", when, w.Number, n).Exec(ctx)
		if err != nil {
			return err
		}
		_, err = t.NewRaw("UPDATE sweeps SET state = ? WHERE id = ?", settlement.Sent, w.Number).Exec(ctx)
		return err
	})
	return db.Wrap(err, "mark attempt %d of sweep %s as sent", n, id)
}

// Spent sums what the network's sweeps that ended since then cost.
func (s *Store) Spent(ctx context.Context, n chain.Network, since time.Time) (settlement.Spending, error) {
	rows, err := db.All[sweepRow](ctx, s.db.Reader(), `SELECT paid, moved, ended_at FROM sweeps
		WHERE network = ? AND ended_at >= ? AND paid <> '0' ORDER BY ended_at`, n, db.From(since))
	if err != nil {
		return settlement.Spending{}, fmt.Errorf("what sweeps of %s cost: %w", n, err)
	}
	var sum settlement.Spending
	for _, r := range rows {
		sum.Paid = sum.Paid.Add(r.Paid)
		sum.Sweeps++
		sum.Items += r.Count
	}
	if len(rows) > 0 {
		sum.Since = rows[0].EndedAt
	}
	return sum, nil
}
