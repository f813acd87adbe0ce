package store

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"time"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/payment/watch"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/store/table"
)

// Watches returns the addresses stored since the mark that must be watched on
// the networks given: those of payments that have not ended, or ended after
// endedAfter. It returns all that is committed and not below the mark, and a new
// mark below which nothing can appear any more; rows between the two are returned
// again.
func (s *Store) Watches(
	ctx context.Context, networks []chain.Network, since watch.Mark, endedAfter time.Time,
) ([]watch.Address, watch.Mark, error) {
	if len(networks) == 0 {
		return nil, since, nil
	}
	var watches []watch.Address
	next := since
	err := s.db.Snapshot(ctx, func(ctx context.Context, t tx) error {
		end, err := s.watchEnd(ctx, t)
		if err != nil {
			return err
		}
		next = end
		return s.watchQuery(t, networks, since, endedAfter).Scan(ctx, &watches)
	})
	if err != nil {
		return nil, since, fmt.Errorf("read watched addresses: %w", err)
	}
	return watches, next, nil
}

// watchEnd returns the new mark, which holds for the transaction's snapshot.
//
// On PostgreSQL transactions become visible in any order, so a row id is no
// mark: a row that was inserted before may be committed later. Each row carries
// the number of its transaction instead (routes.xact), and the mark is the
// oldest transaction that still runs: all below it have ended. SQLite has one
// writer, so row ids grow in the order of commits.
func (s *Store) watchEnd(ctx context.Context, t tx) (end watch.Mark, err error) {
	if s.db.Dialect().ManyWriters {
		var xact int64
		err = t.NewRaw("SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint").Scan(ctx, &xact)
		end.Xact = uint64(xact) //nolint:gosec // counts up from 0
		return end, err
	}
	err = t.NewRaw("SELECT coalesce(max(id), 0) FROM routes").Scan(ctx, &end.Row)
	return end, err
}

// storedSince is the condition that route r may have been stored since the mark.
func (s *Store) storedSince(t tx, since watch.Mark) *bun.RawQuery {
	if s.db.Dialect().ManyWriters {
		return t.NewRaw("r.xact >= ?", int64(since.Xact)) //nolint:gosec // as watchEnd gave it
	}
	return t.NewRaw("r.id > ?", since.Row)
}

// watchQuery starts from the payments on the first read, since most routes belong
// to payments that ended long ago, and from the routes afterwards, since few of
// them are new.
func (s *Store) watchQuery(t tx, networks []chain.Network, since watch.Mark, endedAfter time.Time) *bun.RawQuery {
	const columns = "SELECT p.public_id AS payment_id, r.network, r.address, r.raw, r.id AS id FROM "
	if since == (watch.Mark{}) {
		return t.NewRaw(columns+`payments AS p CROSS JOIN routes AS r WHERE p.ended_at IS NULL
			AND r.payment_id = p.id AND r.network IN (?0) UNION ALL
			`+columns+`payments AS p CROSS JOIN routes AS r WHERE p.ended_at > ?1 AND p.ended_at IS NOT NULL AND p.started_at IS NOT NULL
			AND r.payment_id = p.id AND r.network IN (?0) ORDER BY id`, bun.List(networks), endedAfter)
	}
	return t.NewRaw(columns+`routes AS r CROSS JOIN payments AS p WHERE ? AND p.id = r.payment_id AND r.network IN (?)
		AND (p.ended_at IS NULL OR p.ended_at > ?) ORDER BY r.id`, s.storedSince(t, since), bun.List(networks), endedAfter)
}

var cursors = db.NewTable[cursorRow]("cursors", `
	fixed:   network moves reread_to
	changes: scanned_number=Scanned.Number scanned_hash=Scanned.Hash scanned_time=Scanned.Time rechecked_number=Rechecked.Number
	         rechecked_hash=Rechecked.Hash rechecked_time=Rechecked.Time second_number=Second.Number second_time=Second.Time
	         behind_since updated_at pause_ms ended_number=Ended
	read:    restored_at`).Else(watch.ErrCursorMoved)

// cursorRow is how far a network has been read.
type cursorRow struct {
	watch.Cursor

	Network chain.Network
	PauseMs int64
}

// Cursor returns how far the network was read; ok is false before the first SaveCursor.
func (s *Store) Cursor(ctx context.Context, n chain.Network) (c watch.Cursor, ok bool, err error) {
	rows, err := db.All[cursorRow](ctx, s.db.Reader(), "SELECT * FROM cursors WHERE network = ?", n)
	if err != nil || len(rows) == 0 {
		return watch.Cursor{}, false, db.Wrap(err, "cursor of %s", n)
	}
	c = rows[0].Cursor
	c.Pause = time.Duration(rows[0].PauseMs) * time.Millisecond
	return c, true, nil
}

// SaveCursor stores how far the network was read, for the one that leads, if nobody moved the cursor.
func (s *Store) SaveCursor(ctx context.Context, n chain.Network, c watch.Cursor) error {
	for _, h := range []chain.Head{c.Scanned, c.Rechecked, c.Second} {
		if _, err := table.BlockNumber(h); err != nil {
			return fmt.Errorf("save cursor of %s: %w", n, err)
		}
	}
	c.RereadTo, c.Ended = min(c.RereadTo, math.MaxInt64), min(c.Ended, math.MaxInt64)
	err := s.db.Write(ctx, func(ctx context.Context, t tx) error {
		if held, err := table.Holds(ctx, t, watch.LeaseName(n), c.Holder); err != nil || !held {
			return cmp.Or(err, error(watch.ErrNotLeading))
		}
		q := cursors.Into(t, cursors.OnConflict("network")+" WHERE cursors.moves = excluded.moves",
			cursorRow{c, n, c.Pause.Milliseconds()})
		return db.OneOf(ctx, cursors.Missing, q)
	})
	return db.Wrap(err, "save cursor of %s", n)
}

// MoveCursor sets the cursor of the network back to a block, which the network is then read on from, and writes the
// audit entry for every operator. Up to where it had been read before, every address there ever was is watched. Blocks
// below it that were not rechecked yet still are. Nobody may have moved the cursor since it was loaded.
func (s *Store) MoveCursor(
	ctx context.Context, n chain.Network, from watch.Cursor, to chain.Head, entry audit.Entry,
) error {
	number, err := table.BlockNumber(to)
	if err != nil {
		return fmt.Errorf("move cursor of %s: %w", n, err)
	}
	reread := int64(min(max(from.RereadTo, from.Scanned.Number), math.MaxInt64)) //nolint:gosec // bounded
	err = s.db.Write(ctx, func(ctx context.Context, t tx) error {
		err := db.One(ctx, t, cursors.Missing, `UPDATE cursors SET scanned_number = ?0, scanned_hash = ?1, scanned_time = ?2,
			rechecked_number = CASE WHEN rechecked_number < ?0 THEN rechecked_number ELSE ?0 END,
			rechecked_hash = CASE WHEN rechecked_number < ?0 THEN rechecked_hash ELSE ?1 END,
			rechecked_time = CASE WHEN rechecked_number < ?0 THEN rechecked_time ELSE ?2 END,
			second_number = CASE WHEN second_number < ?0 THEN second_number ELSE ?0 END,
			second_time = CASE WHEN second_number < ?0 THEN second_time ELSE ?2 END,
			moves = moves + 1, reread_to = ?3,
			ended_number = CASE WHEN ended_number < ?0 THEN ended_number ELSE ?0 END
			WHERE network = ?4 AND moves = ?5`,
			number, to.Hash, to.Time, reread, n, from.Moves)
		if err != nil {
			return err
		}
		return table.AuditOperators(ctx, t, entry)
	})
	return db.Wrap(err, "move cursor of %s", n)
}
