package store

import (
	"context"
	"time"

	"github.com/florinpay/florin/internal/backup"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/store/db"
)

// Mark returns how far the database has come.
func (s *Store) Mark(ctx context.Context) (m backup.Mark, err error) {
	err = s.db.Reader().NewRaw("SELECT installation, generation, ticks FROM instance").Scan(ctx, &m)
	return m, db.Wrap(err, "read how far the database has come")
}

// Tick counts how long the database has been served, and returns how far it has come.
func (s *Store) Tick(ctx context.Context) (m backup.Mark, err error) {
	err = s.db.Write(ctx, func(ctx context.Context, t tx) error {
		return t.NewRaw("UPDATE instance SET ticks = ticks + 1 RETURNING installation, generation, ticks").Scan(ctx, &m)
	})
	return m, db.Wrap(err, "count how far the database has come")
}

// Replaying lists the networks that were restored and are not read to their ends yet.
func (s *Store) Replaying(ctx context.Context) (list []chain.Network, err error) {
	err = s.db.Reader().NewRaw("SELECT network FROM cursors WHERE replaying ORDER BY network").Scan(ctx, &list)
	return list, db.Wrap(err, "read which networks are replaying")
}

// EndReplay ends the replay of a network, unless a payment of before the restore is still to expire, which its merchant
// may know from the time that is lost. It reports whether the replay has ended.
func (s *Store) EndReplay(ctx context.Context, n chain.Network, now time.Time) (ended bool, err error) {
	ended, err = db.WriteOne(ctx, s.db, `UPDATE cursors SET replaying = FALSE WHERE network = ? AND NOT EXISTS
		(SELECT 1 FROM payments WHERE ended_at IS NULL AND expires_at <= ? AND seq >= ?)`,
		string(n), now, backup.SequenceBase(1))
	return ended, db.Wrap(err, "end the replay")
}

// Served reports whether a server is connected to a PostgreSQL database. What the database holds of servers tells
// nothing: it may be a copy of one that is served elsewhere. An SQLite file is another's alone (CheckClosed).
func (s *Store) Served(ctx context.Context) (is bool, err error) {
	if !s.db.Dialect().ManyWriters {
		return false, nil
	}
	err = s.db.Reader().NewRaw(`SELECT EXISTS (SELECT 1 FROM pg_stat_activity WHERE datname = current_database()
		AND application_name = ?)`, db.Listener).Scan(ctx, &is)
	return is, db.Wrap(err, "look for a server on the database")
}
