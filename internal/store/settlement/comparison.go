package settlement

import (
	"context"
	"fmt"
	"math"
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
	ended := db.At(endedAfter)
	if payment == 0 {
		var first struct{ Open, Ended int64 }
		// id + 0 keeps the planner from looking for the first among all payments.
		err := s.db.Reader().NewRaw("SELECT coalesce((SELECT min(id + 0) FROM payments WHERE ended_at IS NULL), 0) AS open, "+
			"coalesce((SELECT min(id + 0) FROM payments WHERE ended_at > ? AND ended_at IS NOT NULL AND started_at IS NOT NULL), 0) "+
			"AS ended", ended).Scan(ctx, &first)
		if err != nil {
			return nil, fmt.Errorf("first address to compare: %w", err)
		}
		if payment = min(first.Open, first.Ended) - 1; first.Open == 0 || first.Ended == 0 {
			payment = max(first.Open, first.Ended) - 1
		}
	}
	return s.shownIn(ctx, "(SELECT id FROM payments WHERE id > ? AND started_at IS NOT NULL "+
		"AND (ended_at IS NULL OR ended_at > ?) ORDER BY id LIMIT ?) AS placed JOIN payments AS p ON p.id = placed.id "+
		"JOIN routes AS r ON r.payment_id = p.id ORDER BY r.payment_id, r.network", payment, ended, payments)
}

// Comparison returns the last daily comparison of the network; ok is false before the first.
func (s *Store) Comparison(ctx context.Context, n chain.Network) (c settlement.Comparison, ok bool, err error) {
	var rows []struct {
		StartedAt, EndedAt, BeforeAt db.Instant
		PaymentID, Done, Found       int64
		ListedID                     int64
	}
	err = s.db.Reader().NewRaw("SELECT started_at, ended_at, before_at, payment_id, done, found, listed_id FROM comparisons "+
		"WHERE network = ?", string(n)).Scan(ctx, &rows)
	if err != nil || len(rows) == 0 {
		return settlement.Comparison{}, false, db.Wrap(err, "daily comparison of "+string(n))
	}
	r := rows[0]
	return settlement.Comparison{
		Network: n, Listed: r.ListedID, StartedAt: r.StartedAt.Time, EndedAt: r.EndedAt.Time, Before: r.BeforeAt.Time,
		Place: settlement.ReconcilePlace{
			Last: settlement.DepositAddress{Payment: r.PaymentID}, Done: int(r.Done), Found: int(r.Found),
		},
	}, true, nil
}

// SaveComparison stores how far it is, with the differences that are not stored yet.
func (s *Store) SaveComparison(ctx context.Context, c settlement.Comparison, found []settlement.OpenDifference) error {
	err := s.db.Write(ctx, func(ctx context.Context, t db.Tx) error {
		for _, d := range found {
			_, err := t.NewRaw("INSERT INTO balance_differences (network, address, contract, txnid, text, advice, unrecorded, since, "+
				"block_number, rereads, next_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?) ON CONFLICT (network, address, contract) DO NOTHING",
				string(d.Network), db.Packed(d.Address), db.Packed(d.Contract), d.PaymentID, d.Text, d.Advice,
				d.Unrecorded, db.At(d.Since), blockNumber(d.Block), db.At(d.NextAt)).Exec(ctx)
			if err != nil {
				return err
			}
		}
		_, err := t.NewRaw("INSERT INTO comparisons (network, started_at, ended_at, before_at, payment_id, done, found, listed_id) "+
			"VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (network) DO UPDATE SET started_at = excluded.started_at, "+
			"ended_at = excluded.ended_at, before_at = excluded.before_at, payment_id = excluded.payment_id, "+
			"done = excluded.done, found = excluded.found, listed_id = excluded.listed_id",
			string(c.Network), db.At(c.StartedAt), db.At(c.EndedAt), db.At(c.Before), c.Place.Last.Payment,
			int64(c.Place.Done), int64(c.Place.Found), c.Listed).Exec(ctx)
		return err
	})
	return db.Wrap(err, "save how far the daily comparison is")
}

// OpenDifferences lists those of the network that are due, the longest due first.
func (s *Store) OpenDifferences(
	ctx context.Context, n chain.Network, due time.Time, limit int,
) ([]settlement.OpenDifference, error) {
	var rows []struct {
		Address, Contract                 db.Packed
		Txnid, Text, Advice               string
		Unrecorded                        bool
		Since, ProvenAt, RereadAt, NextAt db.Instant
		BlockNumber, Rereads              int64
	}
	err := s.db.Reader().NewRaw("SELECT address, contract, txnid, text, advice, unrecorded, since, proven_at, reread_at, next_at, "+
		"block_number, rereads FROM balance_differences WHERE network = ? AND next_at <= ? ORDER BY next_at, address, contract LIMIT ?",
		string(n), db.At(due), limit).Scan(ctx, &rows)
	if err != nil {
		return nil, fmt.Errorf("open differences of %s: %w", n, err)
	}
	list := make([]settlement.OpenDifference, len(rows))
	for i, r := range rows {
		list[i] = settlement.OpenDifference{
			Difference: settlement.Difference{
				Network: n, Address: chain.Address(r.Address), Contract: chain.Address(r.Contract), PaymentID: r.Txnid,
				Text: r.Text, Advice: r.Advice, Unrecorded: r.Unrecorded,
			},
			Since: r.Since.Time, ProvenAt: r.ProvenAt.Time, RereadAt: r.RereadAt.Time, NextAt: r.NextAt.Time,
			Block: uint64(max(r.BlockNumber, 0)), Rereads: int(r.Rereads),
		}
	}
	return list, nil
}

// SaveDifference stores what has become of a difference.
func (s *Store) SaveDifference(ctx context.Context, d settlement.OpenDifference) error {
	_, err := db.WriteOne(ctx, s.db, "UPDATE balance_differences SET text = ?, advice = ?, unrecorded = ?, block_number = ?, "+
		"proven_at = ?, reread_at = ?, next_at = ?, rereads = ? WHERE network = ? AND address = ? AND contract = ?",
		d.Text, d.Advice, d.Unrecorded, blockNumber(d.Block), db.At(d.ProvenAt), db.At(d.RereadAt), db.At(d.NextAt),
		int64(d.Rereads), string(d.Network), db.Packed(d.Address), db.Packed(d.Contract))
	return db.Wrap(err, "save a difference")
}

// EndDifference records that a difference is gone.
func (s *Store) EndDifference(ctx context.Context, d settlement.OpenDifference) error {
	_, err := db.WriteOne(ctx, s.db, "DELETE FROM balance_differences WHERE network = ? AND address = ? AND contract = ?",
		string(d.Network), db.Packed(d.Address), db.Packed(d.Contract))
	return db.Wrap(err, "end a difference")
}

func blockNumber(n uint64) int64 { return int64(min(n, math.MaxInt64)) } //nolint:gosec // bounded
