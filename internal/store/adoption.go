package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/backup"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/mail"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/store/table"
)

// Adopt gives a restored database the next generation, which is above that of the mark as well, so that what was
// numbered in the time that is lost is not numbered again, and ends what may have been revoked since: see package
// backup. No server may be running. Adopting twice is fine.
func (s *Store) Adopt(ctx context.Context, mark backup.Mark, now time.Time) (a backup.Adopted, err error) {
	line, err := s.timeline(ctx)
	if err != nil {
		return a, err
	}
	err = s.db.Write(db.Unhurried(ctx), func(ctx context.Context, t db.Tx) error {
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
		var newest struct{ At time.Time }
		if err := t.NewRaw("SELECT max(created_at) AS at FROM payments").Scan(ctx, &newest); err != nil {
			return err
		}
		a.Newest = newest.At
		if err := moveCursorsOn(ctx, t, now); err != nil {
			return err
		}
		for _, x := range adoptionSteps(&a, s.home(), line, now) {
			res, err := t.NewRaw(x.text, x.args...).Exec(ctx)
			if err != nil {
				return err
			}
			n, err := res.RowsAffected()
			if err != nil {
				return err
			}
			if x.count != nil {
				*x.count = n
			}
		}
		return table.AuditOperators(ctx, t, audit.Entry{
			At: now, Actor: "florin restore", Action: audit.ActionRestore,
			Subject: mail.T("generation {{.N}}", "N", next).Kept(),
			Detail:  mail.T("the generation before was {{.N}}", "N", before).Kept(),
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

func adoptionSteps(a *backup.Adopted, home bun.Safe, line string, now time.Time) []adoptionStep {
	base, at := backup.SequenceBase(a.Generation), now
	return []adoptionStep{
		{
			nil, "UPDATE instance SET generation = ?, home = ?, timeline = ?, backed_up_at = NULL",
			[]any{a.Generation, home, line},
		},
		// Ids of events have the sequence in them.
		{
			&a.Payments, "UPDATE payments SET resolved = CASE WHEN resolved = seq THEN ? ELSE resolved END, seq = ? WHERE seq < ?",
			[]any{base, base, base},
		},
		// A write that was not answered may have been answered since: it would make the same id again.
		{
			&a.Writes, `DELETE FROM idempotency WHERE finished_at IS NULL
				AND NOT EXISTS (SELECT 1 FROM payments AS p WHERE p.public_id = subject)`, nil,
		},
		{
			&a.Deliveries,
			"UPDATE deliveries SET replayed = TRUE, holder = NULL, due_at = ? WHERE state = 'WAITING'",
			[]any{at},
		},
		{nil, "DELETE FROM leases WHERE TRUE", nil},
		{nil, "DELETE FROM reconciliations WHERE TRUE", nil},
		{nil, "DELETE FROM comparisons WHERE TRUE", nil},
		{nil, "DELETE FROM balance_differences WHERE TRUE", nil},
		// What follows may have been revoked or used in the time that is lost.
		{&a.Sessions, "UPDATE sessions SET revoked_at = ? WHERE revoked_at IS NULL AND expires_at > ?", []any{at, at}},
		{nil, "UPDATE password_resets SET used_at = ? WHERE used_at IS NULL", []any{at}},
		{nil, "DELETE FROM passkey_challenges WHERE TRUE", nil},
		{nil, "UPDATE invitations SET used_at = ? WHERE used_at IS NULL", []any{at}},
		{&a.Invitations, "UPDATE team_invitations SET ended_at = ? WHERE ended_at IS NULL", []any{at}},
		{&a.Changes, "UPDATE waiting_changes SET state = 'STOPPED', ended_at = ? WHERE state = 'WAITING'", []any{at}},
	}
}

// adoptedCursor is how far a network was read, as it is stored.
type adoptedCursor struct {
	Network       string
	ScannedNumber int64
	ScannedTime   time.Time
	UpdatedAt     time.Time
	RereadTo      int64
}

// moveCursorsOn leaves each network where it was read to, and has every address there ever was read up to now. A server
// that still runs stores no cursor any more.
func moveCursorsOn(ctx context.Context, t db.Tx, now time.Time) error {
	var cursors []adoptedCursor
	if err := t.NewRaw("SELECT network, scanned_number, scanned_time, updated_at, reread_to FROM cursors").Scan(ctx, &cursors); err != nil {
		return err
	}
	for _, c := range cursors {
		then := c.ScannedTime
		if then.IsZero() {
			then = c.UpdatedAt
		}
		to := max(c.RereadTo, backup.RereadTo(c.ScannedNumber, then, now))
		_, err := t.NewRaw(`UPDATE cursors SET moves = moves + 1, reread_to = ?, restored_at = ?, replaying = TRUE,
			restored_number = CASE WHEN replaying THEN restored_number ELSE scanned_number + 1 END WHERE network = ?`,
			to, now, c.Network).Exec(ctx)
		if err != nil {
			return err
		}
	}
	return nil
}

// home is the expression that says where the database is. A physical copy of a PostgreSQL server says the same.
func (s *Store) home() bun.Safe { return bun.Safe(s.db.Dialect().Home) }

// ServeHere makes this the place where the database is served. It fails with backup.ErrMoved if it was served
// elsewhere, and with backup.ErrTimeline if the server has recovered to a point in time, and was not adopted since;
// whole: it is known to lack nothing, so that a standby took over.
func (s *Store) ServeHere(ctx context.Context, whole bool) error {
	line, err := s.timeline(ctx)
	if err != nil {
		return err
	}
	var here, same bool
	err = s.db.Write(ctx, func(ctx context.Context, t db.Tx) error {
		return t.NewRaw(`UPDATE instance SET home = CASE WHEN home = '' THEN ?0 ELSE home END,
			timeline = CASE WHEN ?1 = '' OR timeline <> '' AND NOT ?2 THEN timeline ELSE ?1 END
			RETURNING home = ?0, ?1 IN ('', timeline)`, s.home(), line, whole).Scan(ctx, &here, &same)
	})
	return elsewhere(err, here, same)
}

// ServedHere fails as ServeHere would, and changes nothing.
func (s *Store) ServedHere(ctx context.Context, whole bool) error {
	line, err := s.timeline(ctx)
	if err != nil {
		return err
	}
	var here, same bool
	err = s.db.Reader().NewRaw("SELECT home IN ('', ?0), ?1 IN ('', timeline) OR timeline = '' OR ?2 FROM instance",
		s.home(), line, whole).Scan(ctx, &here, &same)
	if errors.Is(err, sql.ErrNoRows) {
		return nil // it was never served
	}
	return elsewhere(err, here, same)
}

func elsewhere(err error, here, same bool) error {
	switch {
	case err != nil:
	case !here:
		err = backup.ErrMoved
	case !same:
		err = backup.ErrTimeline
	}
	return db.Wrap(err, "look where the database was served")
}

// timeline returns the timeline of the server's log; empty if the server does not say it.
func (s *Store) timeline(ctx context.Context) (line string, err error) {
	err = s.db.Reader().NewRaw("SELECT "+s.db.Dialect().Timeline).Scan(ctx, &line)
	if err = db.Wrap(err, "look for the timeline"); errors.Is(err, fault.ErrStorage) {
		return "", err
	}
	return line, nil
}
