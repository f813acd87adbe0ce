package store

import (
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/backup"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/store/table"
)

// Adopt gives a restored database the next generation, which is above that of the mark as well: see package backup for
// what follows from it. No server may be running. Adopting twice is fine.
func (s *Store) Adopt(ctx context.Context, mark backup.Mark, now time.Time) (a backup.Adopted, err error) {
	err = s.db.Write(ctx, func(ctx context.Context, t tx) error {
		a = backup.Adopted{}
		var before int64
		if err := t.NewRaw("SELECT generation FROM instance").Scan(ctx, &before); err != nil {
			return err
		}
		next, err := backup.NextGeneration(max(before, mark.Generation), now)
		if err != nil {
			return err
		}
		a.Generation = next
		var newest struct{ At instant }
		if err := t.NewRaw("SELECT max(created_at) AS at FROM payments").Scan(ctx, &newest); err != nil {
			return err
		}
		a.Newest = newest.At.Time
		if err := moveCursorsOn(ctx, t, now); err != nil {
			return err
		}
		for _, step := range adoption(&a, s.home(), now) {
			res, err := t.NewRaw(step.text, step.args...).Exec(ctx)
			if err != nil {
				return err
			}
			n, err := res.RowsAffected()
			if err != nil {
				return err
			}
			if step.count != nil {
				*step.count = n
			}
		}
		return table.AuditOperators(ctx, t, audit.Entry{
			At: now, Actor: "florin restore", Action: audit.ActionRestore,
			Subject: fmt.Sprintf("generation %d", next), Detail: fmt.Sprintf("the generation before was %d", before),
		})
	})
	return a, db.Wrap(err, "adopt the database")
}

// adoptionStep is a statement of Adopt, and where the number of its rows goes.
type adoptionStep struct {
	count *int64
	text  string
	args  []any
}

func adoption(a *backup.Adopted, home bun.Safe, now time.Time) []adoptionStep {
	base, at := backup.SequenceBase(a.Generation), db.At(now)
	return []adoptionStep{
		{nil, "UPDATE instance SET generation = ?, home = ?, backed_up_at = NULL", []any{a.Generation, home}},
		// Ids of events have the sequence in them.
		{
			&a.Payments, "UPDATE payments SET resolved = CASE WHEN resolved = seq THEN ? ELSE resolved END, seq = ? WHERE seq < ?",
			[]any{base, base, base},
		},
		// A write that was not answered may have been answered since: it would make the same id again.
		{
			&a.Writes, "DELETE FROM idempotency WHERE finished_at IS NULL " +
				"AND NOT EXISTS (SELECT 1 FROM payments AS p WHERE p.public_id = subject)", nil,
		},
		{
			&a.Deliveries,
			"UPDATE deliveries SET replayed = TRUE, holder = NULL, due_at = ? WHERE state = 'WAITING'",
			[]any{at},
		},
		{nil, "DELETE FROM leases WHERE TRUE", nil},
		{nil, "DELETE FROM sealers WHERE TRUE", nil}, // the programs of then
		{nil, "DELETE FROM reconciliations WHERE TRUE", nil},
		// What follows may have been revoked or used in the time that is lost.
		{&a.Sessions, "UPDATE sessions SET revoked_at = ? WHERE revoked_at IS NULL AND expires_at > ?", []any{at, at}},
		{nil, "UPDATE password_resets SET used_at = ? WHERE used_at IS NULL", []any{at}},
		{nil, "DELETE FROM passkey_challenges WHERE TRUE", nil},
		{nil, "UPDATE invitations SET used_at = ? WHERE used_at IS NULL", []any{at}},
		{&a.Invitations, "UPDATE team_invitations SET ended_at = ? WHERE ended_at IS NULL", []any{at}},
		{&a.Changes, "UPDATE waiting_changes SET state = 'STOPPED', ended_at = ? WHERE state = 'WAITING'", []any{at}},
	}
}

// moveCursorsOn leaves each network where it was read to, and has every address there ever was read up to now. A server
// that still runs stores no cursor any more.
func moveCursorsOn(ctx context.Context, t tx, now time.Time) error {
	var cursors []cursorRow
	if err := t.NewSelect().Model(&cursors).Scan(ctx); err != nil {
		return err
	}
	for _, c := range cursors {
		then := c.ScannedTime.Time
		if then.IsZero() {
			then = c.UpdatedAt.Time
		}
		to := max(c.RereadTo, backup.RereadTo(c.ScannedNumber, then, now))
		_, err := t.NewRaw("UPDATE cursors SET moves = moves + 1, reread_to = ?, restored_at = ?, replaying = TRUE, "+
			"restored_number = CASE WHEN replaying THEN restored_number ELSE scanned_number + 1 END WHERE network = ?",
			to, db.At(now), c.Network).Exec(ctx)
		if err != nil {
			return err
		}
	}
	return nil
}

// home is the expression that says where the database is. A physical copy of a PostgreSQL server says the same.
func (s *Store) home() bun.Safe { return bun.Safe(s.db.Dialect().Home) }

// ServeHere makes this the place where the database is served, or fails with backup.ErrMoved if it was served elsewhere
// and not adopted since.
func (s *Store) ServeHere(ctx context.Context) error {
	var here bool
	err := s.db.Write(ctx, func(ctx context.Context, t tx) error {
		return t.NewRaw("UPDATE instance SET home = CASE WHEN home = '' THEN ? ELSE home END RETURNING home = ?",
			s.home(), s.home()).Scan(ctx, &here)
	})
	if err == nil && !here {
		err = backup.ErrMoved
	}
	return db.Wrap(err, "look where the database was served")
}

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
	ended, err = db.WriteOne(ctx, s.db, "UPDATE cursors SET replaying = FALSE WHERE network = ? AND NOT EXISTS "+
		"(SELECT 1 FROM payments WHERE ended_at IS NULL AND expires_at <= ? AND seq >= ?)",
		string(n), db.At(now), backup.SequenceBase(1))
	return ended, db.Wrap(err, "end the replay")
}

// Led reports whether a server holds a lease, so that it runs, or has ended without giving it back.
func (s *Store) Led(ctx context.Context, now time.Time) (is bool, err error) {
	err = s.db.Reader().NewRaw("SELECT EXISTS (SELECT 1 FROM leases WHERE until > ?)", db.At(now)).Scan(ctx, &is)
	return is, db.Wrap(err, "look for a server on the database")
}
