package identity

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/store/table"
)

// passkeyRow is a passkey as it is stored.
type passkeyRow struct {
	PublicID   string
	Credential []byte
	UserID     int64
	Name       string
	Record     string
	CreatedAt  db.Instant
	UsedAt     db.Instant
}

// AddChallenge stores a challenge in place of another of the same holder and
// purpose, and drops those that expired before now.
func (s *Store) AddChallenge(ctx context.Context, c identity.Challenge, now time.Time) error {
	err := s.db.Write(ctx, func(ctx context.Context, t db.Tx) error {
		if _, err := t.NewRaw("DELETE FROM passkey_challenges WHERE expires_at <= ?", db.At(now)).Exec(ctx); err != nil {
			return err
		}
		_, err := t.NewRaw("INSERT INTO passkey_challenges (holder, purpose, state, expires_at) VALUES (?, ?, ?, ?) "+
			"ON CONFLICT (holder, purpose) DO UPDATE SET state = excluded.state, expires_at = excluded.expires_at",
			c.Holder[:], string(c.Purpose), c.State, db.At(c.ExpiresAt)).Exec(ctx)
		return err
	})
	return db.Wrap(err, "store a challenge")
}

// TakeChallenge uses a challenge up, or fails with identity.ErrBadPasskey.
func (s *Store) TakeChallenge(
	ctx context.Context, holder identity.Hash, p identity.Purpose, now time.Time,
) (identity.Challenge, error) {
	var rows []struct {
		State     string
		ExpiresAt db.Instant
	}
	err := s.db.Write(ctx, func(ctx context.Context, t db.Tx) error {
		rows = nil
		return t.NewRaw("DELETE FROM passkey_challenges WHERE holder = ? AND purpose = ? RETURNING state, expires_at",
			holder[:], string(p)).Scan(ctx, &rows)
	})
	if err != nil {
		return identity.Challenge{}, db.Wrap(err, "take a challenge")
	}
	if len(rows) == 0 || !rows[0].ExpiresAt.After(now) {
		return identity.Challenge{}, identity.ErrBadPasskey
	}
	return identity.Challenge{Holder: holder, Purpose: p, State: rows[0].State, ExpiresAt: rows[0].ExpiresAt.Time}, nil
}

// AddPasskey stores a passkey and ends every session of its user but the one kept,
// or fails with identity.ErrHasPasskey or identity.ErrTooManyPasskeys.
func (s *Store) AddPasskey(
	ctx context.Context, p identity.Passkey, keep identity.Hash, r audit.Record,
) error {
	if err := db.CheckTexts("a passkey", p.Name); err != nil {
		return err
	}
	sealed := s.sealer.Seal(table.PasskeyPlace(p.ID), p.Record)
	err := table.WriteAudited(ctx, s.db, s.sealer, r, func(ctx context.Context, t db.Tx, a *table.AuditFields) error {
		*a = table.AuditFields{Subject: p.Name}
		// The user is locked, or two at once would both be the last.
		if err := table.LockUser(ctx, t, p.UserID); err != nil {
			return err
		}
		var n int
		err := t.NewRaw("SELECT count(*) FROM passkeys WHERE user_id = ?", p.UserID).Scan(ctx, &n)
		if err != nil || n >= identity.MaxPasskeys {
			return cmp.Or[error](err, identity.ErrTooManyPasskeys)
		}
		res, err := t.NewRaw("INSERT INTO passkeys (public_id, credential, user_id, name, record, created_at) VALUES (?, ?, ?, ?, ?, ?) "+
			"ON CONFLICT (credential) DO NOTHING", p.ID, p.Credential, p.UserID, p.Name, sealed, db.At(
			p.CreatedAt,
		)).Exec(ctx)
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n != 1 {
			return cmp.Or[error](err, identity.ErrHasPasskey)
		}
		return endOtherSessions(ctx, t, p.UserID, keep, p.CreatedAt)
	})
	return db.Wrap(err, "store a passkey of user %d", p.UserID)
}

// PasskeysOf lists a user's passkeys, the oldest first.
func (s *Store) PasskeysOf(ctx context.Context, userID int64) ([]identity.Passkey, error) {
	var rows []passkeyRow
	err := s.db.Reader().NewRaw("SELECT public_id, credential, user_id, name, record, created_at, used_at FROM passkeys WHERE user_id = ? ORDER BY created_at, public_id",
		userID).Scan(ctx, &rows)
	if err != nil {
		return nil, db.Wrap(err, "passkeys of user %d", userID)
	}
	list := make([]identity.Passkey, len(rows))
	for i, r := range rows {
		record, err := s.sealer.Open(table.PasskeyPlace(r.PublicID), r.Record)
		if err != nil {
			return nil, fmt.Errorf("passkey %s: %w", r.PublicID, err)
		}
		list[i] = identity.Passkey{
			ID: r.PublicID, UserID: r.UserID, Name: r.Name, Credential: r.Credential, Record: record,
			CreatedAt: r.CreatedAt.Time, UsedAt: r.UsedAt.Time,
		}
	}
	return list, nil
}

// UsePasskey stores the record after an answer; false if another answer changed
// it since it was read, or it was removed.
func (s *Store) UsePasskey(ctx context.Context, before, after identity.Passkey) (changed bool, err error) {
	sealed := s.sealer.Seal(table.PasskeyPlace(after.ID), after.Record)
	err = s.db.Write(ctx, func(ctx context.Context, t db.Tx) error {
		changed = false
		var stored []string
		err := t.NewRaw("SELECT record FROM passkeys WHERE public_id = ? AND user_id = ?"+t.ForUpdate(), before.ID,
			before.UserID).Scan(ctx, &stored)
		if err != nil || len(stored) == 0 {
			return err
		}
		record, err := s.sealer.Open(table.PasskeyPlace(before.ID), stored[0])
		if err != nil || record.Reveal() != before.Record.Reveal() {
			return err
		}
		_, err = t.NewRaw("UPDATE passkeys SET record = ?, used_at = ? WHERE public_id = ?", sealed, db.At(after.UsedAt),
			after.ID).Exec(ctx)
		changed = err == nil
		return err
	})
	return changed, db.Wrap(err, "note the use of a passkey")
}

// RenamePasskey names a passkey of the user, or fails with identity.ErrUnknownPasskey.
func (s *Store) RenamePasskey(ctx context.Context, userID int64, id, name string, r audit.Record) error {
	if !db.Storable(id) {
		return identity.ErrUnknownPasskey
	}
	if err := db.CheckTexts("a passkey", name); err != nil {
		return err
	}
	err := table.WriteAudited(ctx, s.db, s.sealer, r, func(ctx context.Context, t db.Tx, a *table.AuditFields) error {
		*a = table.AuditFields{Detail: name}
		var before []string
		err := t.NewRaw("SELECT name FROM passkeys WHERE user_id = ? AND public_id = ?"+t.ForUpdate(), userID, id).Scan(ctx,
			&before)
		if err != nil || len(before) == 0 {
			return cmp.Or[error](err, identity.ErrUnknownPasskey)
		}
		a.Subject = before[0]
		_, err = t.NewRaw("UPDATE passkeys SET name = ? WHERE user_id = ? AND public_id = ?", name, userID, id).Exec(ctx)
		return err
	})
	return db.Wrap(err, "rename a passkey of user %d", userID)
}

// RemovePasskey removes a passkey of the user and ends every session of theirs
// but the one kept, or fails with identity.ErrUnknownPasskey.
func (s *Store) RemovePasskey(
	ctx context.Context, userID int64, id string, keep identity.Hash, now time.Time, r audit.Record,
) error {
	err := table.WriteAudited(ctx, s.db, s.sealer, r, func(ctx context.Context, t db.Tx, a *table.AuditFields) error {
		var names []string
		err := t.NewRaw("DELETE FROM passkeys WHERE user_id = ? AND public_id = ? RETURNING name", userID, id).Scan(ctx,
			&names)
		if err != nil || len(names) == 0 {
			return cmp.Or[error](err, identity.ErrUnknownPasskey)
		}
		a.Subject = names[0]
		return endOtherSessions(ctx, t, userID, keep, now)
	},
	)
	return db.Wrap(err, "remove a passkey of user %d", userID)
}

// UserByPublicID returns the user, or identity.ErrUnknownUser.
func (s *Store) UserByPublicID(ctx context.Context, id string) (identity.User, error) {
	if !db.Storable(id) {
		return identity.User{}, identity.ErrUnknownUser
	}
	var rows []table.UserRow
	if err := s.db.Reader().NewSelect().Model(&rows).Where("public_id = ?", id).Scan(ctx); err != nil {
		return identity.User{}, db.Wrap(err, "user by id")
	}
	if len(rows) == 0 {
		return identity.User{}, identity.ErrUnknownUser
	}
	return rows[0].User(), nil
}
