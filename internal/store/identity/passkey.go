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

var passkeys = db.NewTable[passkeyRow]("passkeys", `
	fixed: public_id=ID credential user_id name record=Sealed created_at
	read:  used_at`)

// passkeyRow is a passkey as it is stored.
type passkeyRow struct {
	identity.Passkey

	Sealed string // Record
}

// AddChallenge stores a challenge in place of another of the same holder and
// purpose, and drops those that expired before now.
func (s *Store) AddChallenge(ctx context.Context, c identity.Challenge, now time.Time) error {
	err := s.db.Write(ctx, func(ctx context.Context, t db.Tx) error {
		if _, err := t.NewRaw("DELETE FROM passkey_challenges WHERE expires_at <= ?", now).Exec(ctx); err != nil {
			return err
		}
		_, err := t.NewRaw("INSERT INTO passkey_challenges (holder, purpose, state, expires_at) VALUES (?, ?, ?, ?) "+
			"ON CONFLICT (holder, purpose) DO UPDATE SET state = excluded.state, expires_at = excluded.expires_at",
			c.Holder[:], string(c.Purpose), c.State, c.ExpiresAt).Exec(ctx)
		return err
	})
	return db.Wrap(err, "store a challenge")
}

// TakeChallenge uses a challenge up, or fails with identity.ErrBadPasskey.
func (s *Store) TakeChallenge(
	ctx context.Context, holder identity.Hash, p identity.Purpose, now time.Time,
) (identity.Challenge, error) {
	var c identity.Challenge
	err := s.db.Write(ctx, func(ctx context.Context, t db.Tx) (err error) {
		c, err = db.First[identity.Challenge](ctx, t, nil, "DELETE FROM passkey_challenges WHERE holder = ? AND purpose = ? "+
			"RETURNING holder, purpose, state, expires_at", holder[:], p)
		return err
	})
	if err != nil {
		return identity.Challenge{}, db.Wrap(err, "take a challenge")
	}
	if !c.ExpiresAt.After(now) {
		return identity.Challenge{}, identity.ErrBadPasskey
	}
	return c, nil
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
		n, err := db.First[int](ctx, t, nil, "SELECT count(*) FROM passkeys WHERE user_id = ?", p.UserID)
		if err == nil {
			err = identity.MayAddPasskey(n)
		}
		if err != nil {
			return err
		}
		res, err := passkeys.Into(t, " ON CONFLICT (credential) DO NOTHING", passkeyRow{p, sealed}).Exec(ctx)
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
	rows, err := db.All[passkeyRow](ctx, s.db.Reader(), "SELECT * FROM passkeys WHERE user_id = ? ORDER BY created_at, public_id", userID)
	if err != nil {
		return nil, db.Wrap(err, "passkeys of user %d", userID)
	}
	list := make([]identity.Passkey, len(rows))
	for i, r := range rows {
		list[i] = r.Passkey
		if list[i].Record, err = s.sealer.Open(table.PasskeyPlace(r.ID), r.Sealed); err != nil {
			return nil, fmt.Errorf("passkey %s: %w", r.ID, err)
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
		_, err = t.NewRaw("UPDATE passkeys SET record = ?, used_at = ? WHERE public_id = ?", sealed, after.UsedAt,
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
		var err error
		a.Subject, err = db.First[string](ctx, t, identity.ErrUnknownPasskey,
			"SELECT name FROM passkeys WHERE user_id = ? AND public_id = ?"+t.ForUpdate(), userID, id)
		if err != nil {
			return err
		}
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
		var err error
		a.Subject, err = db.First[string](ctx, t, identity.ErrUnknownPasskey,
			"DELETE FROM passkeys WHERE user_id = ? AND public_id = ? RETURNING name", userID, id)
		if err != nil {
			return err
		}
		return endOtherSessions(ctx, t, userID, keep, now)
	})
	return db.Wrap(err, "remove a passkey of user %d", userID)
}

// UserByPublicID returns the user, or identity.ErrUnknownUser.
func (s *Store) UserByPublicID(ctx context.Context, id string) (identity.User, error) {
	if !db.Storable(id) {
		return identity.User{}, identity.ErrUnknownUser
	}
	return s.userBy(ctx, "user by id", "public_id = ?", id)
}
