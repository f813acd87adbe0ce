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

// SetPassword stores the hash of a new password and ends every session of the
// user, or fails with identity.ErrBadPassword if the stored hash is not old.
func (s *Store) SetPassword(
	ctx context.Context, userID int64, old, next string, now time.Time, r audit.Record,
) error {
	err := table.WriteAudited(ctx, s.db, s.sealer, r, func(ctx context.Context, t db.Tx, _ *table.AuditFields) error {
		res, err := t.NewRaw("UPDATE users SET password_hash = ? WHERE id = ? AND password_hash = ?", next, userID,
			old).Exec(ctx)
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n != 1 {
			return cmp.Or[error](err, identity.ErrBadPassword)
		}
		return s.endSessions(ctx, t, userID, now)
	},
	)
	if err != nil {
		return fmt.Errorf("set password of user %d: %w", userID, err)
	}
	return nil
}

// endOtherSessions ends every session of the user but one. When what guards the
// account changes, a client that came in before must sign in again.
func endOtherSessions(ctx context.Context, t db.Tx, userID int64, keep identity.Hash, now time.Time) error {
	_, err := t.NewRaw("UPDATE sessions SET revoked_at = ? WHERE user_id = ? AND token <> ? AND revoked_at IS NULL",
		db.At(now), userID, keep[:]).Exec(ctx)
	return err
}

// endSessions also makes links to a new password that are still under way useless.
// So are the changes that wait in the user's name: whoever asked for them may have been somebody else.
func (s *Store) endSessions(ctx context.Context, t db.Tx, userID int64, now time.Time) error {
	_, err := t.NewRaw("UPDATE sessions SET revoked_at = ? WHERE user_id = ? AND revoked_at IS NULL", db.At(now),
		userID).Exec(ctx)
	if err != nil {
		return err
	}
	_, err = t.NewRaw("UPDATE password_resets SET used_at = ? WHERE user_id = ? AND used_at IS NULL", db.At(now),
		userID).Exec(ctx)
	if err != nil {
		return err
	}
	return table.StopChanges(ctx, t, s.sealer, now, "all sessions of who asked for it were ended", "author_id = ?", userID)
}

// Logins lists the user's sessions that are neither over, idle nor revoked, the
// newest first.
func (s *Store) Logins(ctx context.Context, userID int64, now time.Time) ([]identity.Session, error) {
	var rows []sessionRow
	err := s.db.Reader().NewSelect().Model(&rows).Where(
		"user_id = ? AND revoked_at IS NULL AND expires_at > ? AND used_at > ?", userID, db.At(now),
		db.At(now.Add(-identity.SessionIdle)),
	).
		Order("created_at DESC").Limit(maxLogins).Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("sessions of user %d: %w", userID, err)
	}
	list := make([]identity.Session, len(rows))
	for i, r := range rows {
		list[i] = identity.Session{
			Token: identity.Hash(r.Token), UserID: r.UserID, CreatedAt: r.CreatedAt.Time, ExpiresAt: r.ExpiresAt.Time,
			UserAgent: r.UserAgent,
		}
	}
	return list, nil
}

// maxLogins is more than anybody looks through.
const maxLogins = 200

// AddReset stores the hash of a token by which the user can set a new password.
func (s *Store) AddReset(
	ctx context.Context, token identity.Hash, userID int64, now, until time.Time, r audit.Record,
) error {
	err := table.WriteAudited(ctx, s.db, s.sealer, r, func(ctx context.Context, t db.Tx, _ *table.AuditFields) error {
		_, err := t.NewRaw("INSERT INTO password_resets (token, user_id, created_at, expires_at) VALUES (?, ?, ?, ?)",
			token[:], userID, db.At(now), db.At(until)).Exec(ctx)
		return err
	},
	)
	if err != nil {
		return fmt.Errorf("store a password reset of user %d: %w", userID, err)
	}
	return nil
}

// ResetUser returns the user of a reset token that is valid, or identity.ErrBadReset.
func (s *Store) ResetUser(ctx context.Context, token identity.Hash, now time.Time) (identity.User, error) {
	var rows []table.UserRow
	err := s.db.Reader().NewSelect().Model(&rows).Where("id = (SELECT user_id FROM password_resets WHERE token = ? "+
		"AND used_at IS NULL AND expires_at > ?)", token[:], db.At(now)).Scan(ctx)
	if err != nil || len(rows) == 0 {
		return identity.User{}, db.Wrap(cmp.Or[error](err, identity.ErrBadReset), "the user of a password reset")
	}
	return rows[0].User(), nil
}

// ShopNames returns the names of the shops of the merchants that the user belongs to.
func (s *Store) ShopNames(ctx context.Context, userID int64) ([]string, error) {
	var names []string
	err := s.db.Reader().NewRaw("SELECT DISTINCT c.name FROM memberships AS m JOIN api_keys AS k ON k.user_id = m.merchant_id "+
		"JOIN custodians AS c ON c.key_id = k.id WHERE m.user_id = ? AND c.name <> ''", userID).Scan(ctx, &names)
	return names, db.Wrap(err, "shops of user %d", userID)
}

// UseReset uses a token up, sets the password and ends every session of the
// user, or fails with identity.ErrBadReset.
func (s *Store) UseReset(
	ctx context.Context, token identity.Hash, next string, verifies bool, now time.Time, r audit.Record,
) (identity.Reset, error) {
	var done identity.Reset
	err := table.WriteAudited(ctx, s.db, s.sealer, r, func(ctx context.Context, t db.Tx, a *table.AuditFields) error {
		var ids []int64
		err := t.NewRaw("UPDATE password_resets SET used_at = ? WHERE token = ? AND used_at IS NULL AND expires_at > ? RETURNING user_id",
			db.At(now), token[:], db.At(now)).Scan(ctx, &ids)
		if err != nil || len(ids) == 0 {
			return cmp.Or[error](err, identity.ErrBadReset)
		}
		if _, err := t.NewRaw("UPDATE users SET password_hash = ? WHERE id = ?", next, ids[0]).Exec(ctx); err != nil {
			return err
		}
		if err := s.endSessions(ctx, t, ids[0], now); err != nil {
			return err
		}
		if verifies {
			done.Dropped, err = dropUnverified(ctx, t, ids[0], now)
		}
		if err != nil {
			return err
		}
		if done.Dropped {
			a.Detail = "the address was not verified: factors, passkeys, API keys and members were dropped"
		}
		done.User, err = userByID(ctx, t, ids[0])
		a.User, a.Actor = done.User.ID, done.User.Email
		return err
	},
	)
	if err != nil {
		return identity.Reset{}, fmt.Errorf("reset a password: %w", err)
	}
	return done, nil
}

// AddInvitation stores the hash of an invitation.
func (s *Store) AddInvitation(
	ctx context.Context, token identity.Hash, email string, by int64, now, until time.Time, r audit.Record,
) error {
	err := table.WriteAudited(ctx, s.db, s.sealer, r, func(ctx context.Context, t db.Tx, a *table.AuditFields) error {
		*a = table.AuditFields{Subject: email}
		_, err := t.NewRaw("INSERT INTO invitations (token, email, invited_by, created_at, expires_at) VALUES (?, ?, ?, ?, ?)",
			token[:], email, by, db.At(now), db.At(until)).Exec(ctx)
		return err
	})
	if err != nil {
		return fmt.Errorf("store an invitation: %w", err)
	}
	return nil
}

// CreateInvited uses an invitation of the user's address up and stores the user
// as CreateUser does, or fails with identity.ErrBadInvitation or
// identity.ErrEmailTaken, which leaves the invitation good.
func (s *Store) CreateInvited(
	ctx context.Context, token identity.Hash, u identity.User, r audit.Record,
) (identity.User, error) {
	if err := db.CheckTexts("texts of a user", u.PublicID, u.Email, u.FirstName, u.LastName); err != nil {
		return identity.User{}, err
	}
	row := table.RowOfUser(u)
	err := table.WriteAudited(ctx, s.db, s.sealer, r, func(ctx context.Context, t db.Tx, a *table.AuditFields) error {
		*a = table.AuditFields{Actor: u.Email}
		res, err := t.NewRaw("UPDATE invitations SET used_at = ? WHERE token = ? AND email = ? AND used_at IS NULL AND expires_at > ?",
			db.At(u.CreatedAt), token[:], u.Email, db.At(u.CreatedAt)).Exec(ctx)
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n != 1 {
			return cmp.Or[error](err, identity.ErrBadInvitation)
		}
		return addOwner(ctx, t, &row, a)
	})
	if err != nil {
		return identity.User{}, fmt.Errorf("create an invited user: %w", err)
	}
	return row.User(), nil
}

// chosenMerchant is who a new session of the user acts for; 0 for a user who
// belongs to no merchant.
func chosenMerchant(ctx context.Context, t db.Tx, userID int64) (int64, error) {
	var ids []int64
	err := t.NewRaw("SELECT merchant_id FROM memberships WHERE user_id = ? ORDER BY chosen_at DESC, merchant_id LIMIT 1",
		userID).Scan(ctx, &ids)
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	return ids[0], nil
}
