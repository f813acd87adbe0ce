package settlement

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/settlement"
	"github.com/florinpay/florin/internal/store/db"
)

// ReceivingAfter lists the addresses of payments after the one given that have not ended, or ended after endedAfter, by
// payment: those of so many payments. What ended long before the first of them is passed over by two indexes.
func (s *Store) ReceivingAfter(
	ctx context.Context, payment int64, endedAfter time.Time, payments int,
) ([]settlement.DepositAddress, error) {
	if payment == 0 {
		var first struct{ Open, Ended int64 }
		// id + 0 keeps the planner from looking for the first among all payments.
		err := s.db.Reader().NewRaw(`SELECT coalesce((SELECT min(id + 0) FROM payments WHERE ended_at IS NULL), 0) AS open,
			coalesce((SELECT min(id + 0) FROM payments WHERE ended_at > ? AND ended_at IS NOT NULL AND started_at IS NOT NULL), 0)
			AS ended`, endedAfter).Scan(ctx, &first)
		if err != nil {
			return nil, fmt.Errorf("first address to compare: %w", err)
		}
		if payment = min(first.Open, first.Ended) - 1; first.Open == 0 || first.Ended == 0 {
			payment = max(first.Open, first.Ended) - 1
		}
	}
	return s.shownIn(ctx, `(SELECT id FROM payments WHERE id > ? AND started_at IS NOT NULL
		AND (ended_at IS NULL OR ended_at > ?) ORDER BY id LIMIT ?) AS placed JOIN payments AS p ON p.id = placed.id
		JOIN routes AS r ON r.payment_id = p.id ORDER BY r.payment_id, r.network`, payment, endedAfter, payments)
}

// Comparison returns the last daily comparison of the network; ok is false before the first.
func (s *Store) Comparison(ctx context.Context, n chain.Network) (c settlement.Comparison, ok bool, err error) {
	rows, err := db.All[settlement.Comparison](ctx, s.db.Reader(), "SELECT * FROM comparisons WHERE network = ?", n)
	if err != nil || len(rows) == 0 {
		return settlement.Comparison{}, false, db.Wrap(err, "daily comparison of %s", n)
	}
	return rows[0], true, nil
}

// SaveComparison stores how far it is, with the differences that are not stored yet.
func (s *Store) SaveComparison(ctx context.Context, c settlement.Comparison, found []settlement.OpenDifference) error {
	err := s.db.Write(ctx, func(ctx context.Context, t db.Tx) error {
		if len(found) > 0 {
			found := slices.Clone(found)
			for i, d := range found {
				found[i].Block = min(d.Block, math.MaxInt64)
			}
			_, err := differences.Into(t, " ON CONFLICT (network, address, contract) DO NOTHING", found...).Exec(ctx)
			if err != nil {
				return err
			}
		}
		_, err := comparisons.Into(t, comparisons.OnConflict("network"), c).Exec(ctx)
		return err
	})
	return db.Wrap(err, "save how far the daily comparison is")
}

// OpenDifferences lists those of the network that are due, the longest due first.
func (s *Store) OpenDifferences(
	ctx context.Context, n chain.Network, due time.Time, limit int,
) ([]settlement.OpenDifference, error) {
	list, err := db.All[settlement.OpenDifference](ctx, s.db.Reader(), `SELECT * FROM balance_differences
		WHERE network = ? AND next_at <= ? ORDER BY next_at, address, contract LIMIT ?`, n, due, limit)
	return list, db.Wrap(err, "open differences of %s", n)
}

// SaveDifference stores what has become of a difference, and forgets one that is gone.
func (s *Store) SaveDifference(ctx context.Context, d settlement.OpenDifference) error {
	if d.Text == "" {
		_, err := db.WriteOne(ctx, s.db,
			"DELETE FROM balance_differences WHERE network = ? AND address = ? AND contract = ?",
			d.Network, db.Packed(d.Address), db.Packed(d.Contract))
		return db.Wrap(err, "end a difference")
	}
	_, err := db.WriteOne(ctx, s.db, `UPDATE balance_differences SET text = ?, advice = ?, unrecorded = ?, block_number = ?,
		proven_at = ?, reread_at = ?, next_at = ?, rereads = ? WHERE network = ? AND address = ? AND contract = ?`,
		d.Text, d.Advice, d.Unrecorded, int64(min(d.Block, math.MaxInt64)), d.ProvenAt, d.RereadAt, d.NextAt, //nolint:gosec // bounded
		d.Rereads, d.Network, db.Packed(d.Address), db.Packed(d.Contract))
	return db.Wrap(err, "save a difference")
}
