package store

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store/db"
)

// Unsettled lists payments with a deposit in the network's blocks from..to that
// is not rechecked at finality and has not vanished, by ID.
func (s *Store) Unsettled(ctx context.Context, n chain.Network, from, to uint64) ([]payment.ID, error) {
	first, last := min(from, math.MaxInt64), min(to, math.MaxInt64)
	return s.ids(ctx, "unsettled payments", s.reader().NewRaw(
		"SELECT p.public_id FROM payments AS p WHERE p.id IN (SELECT payment_id FROM deposits "+
			"WHERE network = ? AND block_number BETWEEN ? AND ? AND NOT hardened AND state <> 'VANISHED') ORDER BY p.public_id",
		string(n), first, last))
}

// byIDAlone is the public id where it only orders rows that another index finds:
// as an expression, it keeps a planner from walking through all ids.
const byIDAlone = "p.public_id || ''"

// Due lists payments that have not ended and whose time had run out at now, by
// ID after the one given, at most limit.
func (s *Store) Due(ctx context.Context, now time.Time, after payment.ID, limit int) ([]payment.ID, error) {
	return s.ids(ctx, "payments that are due", s.reader().NewRaw(
		"SELECT p.public_id FROM payments AS p WHERE p.ended_at IS NULL AND p.expires_at <= ? "+
			"AND "+byIDAlone+" > ? ORDER BY "+byIDAlone+" LIMIT ?",
		db.At(now), string(after), limit))
}

// Running lists started payments with a route on the network that expire after
// the time given, by ID after the one given, at most limit.
func (s *Store) Running(ctx context.Context, n chain.Network, expireAfter time.Time, after payment.ID, limit int) ([]payment.ID, error) {
	return s.ids(ctx, "running payments", s.reader().NewRaw(
		"SELECT p.public_id FROM payments AS p WHERE p.ended_at IS NULL AND p.status = ? AND p.expires_at > ? AND "+byIDAlone+" > ? "+
			"AND EXISTS (SELECT 1 FROM routes AS r WHERE r.payment_id = p.id AND r.network = ?) ORDER BY "+byIDAlone+" LIMIT ?",
		string(payment.Started), db.At(expireAfter), string(after), string(n), limit))
}

func (s *Store) ids(ctx context.Context, what string, q *bun.RawQuery) ([]payment.ID, error) {
	var texts []string
	if err := q.Scan(ctx, &texts); err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	list := make([]payment.ID, len(texts))
	for i, text := range texts {
		list[i] = payment.ID(text)
	}
	return list, nil
}
