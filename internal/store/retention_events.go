package store

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/backup"
	"github.com/florinpay/florin/internal/retention"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/store/table"
)

// finished are the payments of which nothing is open: they ended, their last event is old, no webhook of theirs is
// missing, all their money is final and settled, and no merchant has to look at them.
const finishedPayments = `SELECT p.id FROM payments AS p WHERE p.id IN (?0) AND p.ended_at < ?1 AND p.attention = '' AND NOT p.held
	AND NOT EXISTS (SELECT 1 FROM events AS e WHERE e.payment_id = p.id AND e.at >= ?1)
	AND NOT EXISTS (SELECT 1 FROM deliveries AS d WHERE d.payment_id = p.id AND d.state NOT IN ('DELIVERED', 'OVERTAKEN'))
	AND NOT EXISTS (SELECT 1 FROM deposits AS d WHERE d.payment_id = p.id AND d.state <> 'VANISHED'
	AND (NOT d.rechecked OR d.swept_at IS NULL AND ` + table.Listed + `)) ORDER BY p.id`

// events drops all events of finished payments, with their deliveries, and notes which positions of GET /events are
// gone.
func (s *Retained) events(ctx context.Context, before time.Time, after int64) (retention.Batch, error) {
	ids, old, err := s.page(ctx, before, after,
		"SELECT payment_id FROM events WHERE payment_id > ? ORDER BY payment_id, seq LIMIT ?",
		"SELECT count(*) FROM payments WHERE id IN (?) AND created_at < ?")
	if err != nil || !old {
		return retention.Batch{Done: true}, err
	}
	b := retention.Batch{Through: ids[len(ids)-1]}
	err = s.db.Write(ctx, func(ctx context.Context, t db.Tx) error {
		done, err := s.finished(ctx, t, ids, before)
		b.Dropped = int64(len(done))
		if err != nil || len(done) == 0 {
			return err
		}
		if err := notePositions(ctx, t, done); err != nil {
			return err
		}
		if err := dropDeliveries(ctx, t, "SELECT id FROM deliveries WHERE payment_id IN (?)", done); err != nil {
			return err
		}
		if _, err := t.NewRaw("DELETE FROM feed WHERE payment_id IN (?)", bun.List(done)).Exec(ctx); err != nil {
			return err
		}
		return permitted(ctx, t, "drop events", before, func() error {
			_, err := t.NewRaw("DELETE FROM events WHERE payment_id IN (?)", bun.List(done)).Exec(ctx)
			return err
		})
	})
	return b, err
}

// finished locks those of the payments that nobody else changes, and returns those of them that are finished. What is
// read of them after that does not change any more.
func (s *Retained) finished(ctx context.Context, t db.Tx, ids []int64, before time.Time) ([]int64, error) {
	var locked, done []int64
	err := t.NewRaw("SELECT id FROM payments WHERE id IN (?) AND ended_at < ? ORDER BY id"+s.db.Dialect().SkipLocked,
		bun.List(ids), before).Scan(ctx, &locked)
	if err != nil || len(locked) == 0 {
		return nil, err
	}
	err = t.NewRaw(finishedPayments, bun.List(locked), before).Scan(ctx, &done)
	return done, err
}

// notePositions notes the last position that is dropped of each key, so that the next event comes after it, and a
// reader that is before it learns that it has missed something. Events that nobody has read have no position yet: they
// take the next one of their key together. The keys are locked, as they are where positions are given.
func notePositions(ctx context.Context, t db.Tx, payments []int64) error {
	var keys []int64
	err := t.NewRaw(`SELECT id FROM api_keys
		WHERE id IN (SELECT key_id FROM feed WHERE payment_id IN (?)) ORDER BY id`+t.ForUpdate(), bun.List(payments)).Scan(ctx, &keys)
	if err != nil || len(keys) == 0 {
		return err
	}
	var rows []struct {
		KeyID    int64
		Position int64
		Unplaced bool
	}
	err = t.NewRaw(`SELECT key_id, coalesce(max(position), 0) AS position, count(*) > count(position) AS unplaced FROM feed
		WHERE payment_id IN (?) GROUP BY key_id ORDER BY key_id`, bun.List(payments)).Scan(ctx, &rows)
	if err != nil {
		return err
	}
	for _, r := range rows {
		if r.Unplaced {
			if r.Position, err = nextPosition(ctx, t, r.KeyID); err != nil {
				return err
			}
		}
		_, err := t.NewRaw(`INSERT INTO feed_dropped (key_id, position) VALUES (?, ?) ON CONFLICT (key_id) DO UPDATE
			SET position = excluded.position WHERE feed_dropped.position < excluded.position`, r.KeyID, r.Position).Exec(ctx)
		if err != nil {
			return err
		}
	}
	return nil
}

// nextPosition is the position that the next event of the key would get.
func nextPosition(ctx context.Context, t db.Tx, keyID int64) (int64, error) {
	var placed, dropped, generation int64
	err := t.NewRaw(`SELECT coalesce((SELECT max(position) FROM feed WHERE key_id = ?0), 0),
		coalesce((SELECT position FROM feed_dropped WHERE key_id = ?0), 0), (SELECT generation FROM instance)`, keyID).
		Scan(ctx, &placed, &dropped, &generation)
	return max(placed, dropped, backup.PositionBase(generation)) + 1, err
}
