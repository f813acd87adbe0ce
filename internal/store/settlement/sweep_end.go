package settlement

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/settlement"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/store/table"
)

// EndSweep stores the end of a sweep, releases its balances, adds what it moved,
// marks the covered deposits as swept, and blocks the balances it could not
// move. Ending it again changes nothing.
func (s *Store) EndSweep(ctx context.Context, w settlement.Sweep, now time.Time) error {
	if w.State.InFlight() {
		return fmt.Errorf("end sweep %s: %s is no end", w.ID, w.State)
	}
	err := s.db.Write(ctx, func(ctx context.Context, t db.Tx) error {
		row, err := lockSweep(ctx, t, w.ID)
		if err != nil || !row.State.InFlight() {
			return err
		}
		// Its items are those that are stored, whatever the caller passes.
		stored, _, err := readSweep(ctx, t, "s.id = ?", row.Number)
		if err != nil {
			return err
		}
		w.Items, w.Attempts = stored.Items, stored.Attempts
		return finishSweep(ctx, t, row.Number, w, now)
	})
	return db.Wrap(err, "end sweep %s", w.ID)
}

// checkMoved refuses an end that names an item the sweep did not contain.
func checkMoved(w settlement.Sweep) error {
	carried := make(map[balanceKey]bool, len(w.Items))
	for _, i := range w.Items {
		carried[keyOfItem(i)] = true
	}
	for _, m := range w.Moved {
		if !carried[balanceKey{m.Address, m.Contract}] || m.Units.Big().Sign() < 0 {
			return fmt.Errorf("it moved %s of %q from %s, which it did not take along", m.Units, m.Contract, m.Address)
		}
	}
	for _, u := range w.Unmoved {
		if !carried[balanceKey{u.Address, u.Contract}] {
			return fmt.Errorf("it left %q on %s, which it did not take along", u.Contract, u.Address)
		}
	}
	return nil
}

func keyOfItem(i chain.SweepItem) balanceKey {
	return balanceKey{i.Address.Address, i.Asset.Contract}
}

var updateSweep = sweeps.Update("id")

func endRow(ctx context.Context, t db.Tx, id int64, w settlement.Sweep) error {
	if _, err := table.BlockNumber(w.Block); err != nil {
		return err
	}
	row := sweepRow{Sweep: w, Count: len(w.Moved)}
	row.Note = db.Shown(w.Note)
	if err := t.Run(ctx, updateSweep.With(sweeps.Changes(&row, id)...)); err != nil {
		return err
	}
	return endItems(ctx, t, id, w)
}

// endItems stores what became of each item.
func endItems(ctx context.Context, t db.Tx, id int64, w settlement.Sweep) error {
	for _, m := range w.Moved {
		if err := endItem(ctx, t, id, m.Address, m.Contract, m.Units.String(), ""); err != nil {
			return err
		}
	}
	for _, u := range w.Unmoved {
		if err := endItem(ctx, t, id, u.Address, u.Contract, nil, u.Reason); err != nil {
			return err
		}
	}
	return nil
}

func endItem(ctx context.Context, t db.Tx, id int64, a, contract chain.Address, moved any, reason string) error {
	_, err := t.NewRaw("UPDATE sweep_items SET moved = ?, reason = ? WHERE sweep_id = ? AND address = ? AND contract = ?",
		moved, db.Shown(reason), id, db.Packed(a), db.Packed(contract)).Exec(ctx)
	return err
}

// balances is the locked balances of a sweep, with what is needed to change them.
type balances struct {
	network  chain.Network
	rows     map[balanceKey]*balanceRow
	payments map[string]int64 // of the items, by txnid
	deposits map[balanceKey][]lyingRow
	rescued  map[balanceKey]bool
}

func newBalances(n chain.Network, rows []balanceRow) *balances {
	b := &balances{
		network: n, rows: make(map[balanceKey]*balanceRow), deposits: make(map[balanceKey][]lyingRow),
		rescued: make(map[balanceKey]bool),
	}
	for _, r := range rows {
		b.rows[balanceKey{r.Address, r.Contract}] = &r
	}
	return b
}

// lockBalances locks the balances of a stored sweep, which ends and releases what it has claimed, and reads their
// deposits.
func lockBalances(ctx context.Context, t db.Tx, id int64, w settlement.Sweep) (*balances, error) {
	if err := release(ctx, t, id); err != nil {
		return nil, err
	}
	rows, err := db.All[balanceRow](ctx, t, `SELECT * FROM deposit_balances WHERE network = ? AND (address, contract) IN
		(SELECT address, contract FROM sweep_items WHERE sweep_id = ?) ORDER BY address, contract`+t.ForUpdate(), w.Network, id)
	if err != nil {
		return nil, err
	}
	b := newBalances(w.Network, rows)
	if b.payments, err = paymentsOf(ctx, t, w.Items); err != nil {
		return nil, err
	}
	return b, b.readDeposits(ctx, t)
}

// lyingRow is a deposit as the marking of balances needs it.
type lyingRow struct {
	settlement.CoveredDeposit

	ID        int64
	ToAddress chain.Address
	Contract  chain.Address
}

// lastBlock is the last block that a deposit d holds money of.
const lastBlock = "CASE WHEN d.folded > 0 THEN d.folded_through ELSE d.block_number END"

// readDeposits reads the deposits of the payments in the order in which they are
// covered. Folded ones come last: one that grew since the sweep is not covered, and
// must not keep others from being marked.
func (b *balances) readDeposits(ctx context.Context, t db.Tx) error {
	payments := slices.Collect(maps.Values(b.payments))
	for _, r := range b.rows {
		payments = append(payments, r.PaymentID)
	}
	slices.Sort(payments)
	if payments = slices.Compact(payments); len(payments) == 0 {
		return nil
	}
	rows, err := db.All[lyingRow](ctx, t, `SELECT id, to_address, contract, units, state = 'FINAL' AS final, rechecked, block_number AS block,
		`+lastBlock+` AS through, swept_at IS NOT NULL AS swept FROM deposits AS d WHERE network = ? AND payment_id IN (?)
		AND state <> 'VANISHED' ORDER BY CASE WHEN folded > 0 THEN 1 ELSE 0 END, id`+t.ForUpdate(), b.network, bun.List(payments))
	for _, d := range rows {
		key := balanceKey{d.ToAddress, d.Contract}
		b.deposits[key] = append(b.deposits[key], d)
	}
	return err
}

// withFlushed is settlement.Sweep.WithFlushed by what is recorded: what certainly stood on each address at the block.
func (b *balances) withFlushed(w settlement.Sweep) settlement.Sweep {
	return w.WithFlushed(func(i chain.SweepItem) money.Units {
		key := keyOfItem(i)
		var c settlement.Covering
		if r, ok := b.rows[key]; ok {
			c = r.Covering
		}
		return c.Standing(coveredOf(b.deposits[key]), w.Block.Number)
	})
}

// settle applies the end of a sweep to its balances, and marks what it covered.
func (b *balances) settle(ctx context.Context, t db.Tx, w settlement.Sweep, now time.Time) error {
	for _, i := range w.Items {
		id, known := b.payments[i.PaymentID]
		if !known {
			continue // a payment of a lost database has no deposits, and no balance
		}
		if err := b.take(w, i, id, now); err != nil {
			return err
		}
	}
	if err := b.mark(ctx, t, now); err != nil {
		return err
	}
	return b.save(ctx, t)
}

// take applies the end of a sweep to the balance of an item, which is of the
// payment.
func (b *balances) take(w settlement.Sweep, i chain.SweepItem, paymentID int64, now time.Time) error {
	key := keyOfItem(i)
	r, ok := b.rows[key]
	if !ok {
		r = &balanceRow{Network: b.network, Address: key.address, Contract: key.contract, PaymentID: paymentID}
		b.rows[key] = r
	}
	b.rescued[key] = i.Rescue
	before := settlement.Progress{
		Moved: r.Moved, Through: r.Through, Failures: r.Failures, BlockedUntil: r.BlockedUntil, Reason: r.Reason,
	}
	after := w.After(i, before, now)
	if _, err := table.BlockNumber(chain.Head{Number: after.Through}); err != nil {
		return err
	}
	r.Moved, r.Through, r.Failures = after.Moved, after.Through, after.Failures
	r.BlockedUntil, r.Reason = after.BlockedUntil, db.Shown(after.Reason)
	return nil
}

// mark marks final deposits as swept, as far as what was moved covers them.
func (b *balances) mark(ctx context.Context, t db.Tx, now time.Time) error {
	var swept []int64
	for key, r := range b.rows {
		swept = append(swept, r.cover(b.deposits[key], b.rescued[key])...)
	}
	if len(swept) == 0 {
		return nil
	}
	slices.Sort(swept)
	_, err := t.NewRaw("UPDATE deposits SET swept_at = ? WHERE id IN (?) AND swept_at IS NULL", now, bun.List(swept)).Exec(ctx)
	return err
}

// cover applies the covering rule and returns the deposits it newly marks.
func (r *balanceRow) cover(deposits []lyingRow, rescued bool) []int64 {
	after, marked := r.Cover(coveredOf(deposits), rescued)
	ids := make([]int64, len(marked))
	for i, index := range marked {
		ids[i] = deposits[index].ID
	}
	r.Marked, r.Found, r.More = after.Marked, after.Found, after.Ahead()
	return ids
}

func coveredOf(deposits []lyingRow) []settlement.CoveredDeposit {
	list := make([]settlement.CoveredDeposit, len(deposits))
	for i, d := range deposits {
		list[i] = d.CoveredDeposit
	}
	return list
}

// save writes the balances.
func (b *balances) save(ctx context.Context, t db.Tx) error {
	rows := make([]balanceRow, 0, len(b.rows))
	for _, r := range b.rows {
		rows = append(rows, *r)
	}
	if len(rows) == 0 {
		return nil
	}
	slices.SortFunc(rows, func(a, b balanceRow) int {
		return cmp.Or(cmp.Compare(a.Address, b.Address), cmp.Compare(a.Contract, b.Contract))
	})
	_, err := depositBalances.Into(t, depositBalances.OnConflict("network, address, contract"), rows...).Exec(ctx)
	return err
}
