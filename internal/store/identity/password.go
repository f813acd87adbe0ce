package identity

import (
	"context"
	"fmt"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/store/table"
)

// endOtherSessions ends every session of the user but one. When what guards the
// account changes, a client that came in before must sign in again.
func endOtherSessions(ctx context.Context, t db.Tx, userID int64, keep identity.Hash, now time.Time) error {
	_, err := t.NewRaw("UPDATE sessions SET revoked_at = ? WHERE user_id = ? AND token <> ? AND revoked_at IS NULL",
		now, userID, keep[:]).Exec(ctx)
	if err != nil {
		return err
	}
	return stopEmailChange(ctx, t, userID)
}

// endSessions also makes links to a new password that are still under way useless.
// So are the changes that wait in the user's name: whoever asked for them may have been somebody else.
func (s *Store) endSessions(ctx context.Context, t db.Tx, userID int64, now time.Time) error {
	_, err := t.NewRaw("UPDATE sessions SET revoked_at = ? WHERE user_id = ? AND revoked_at IS NULL", now,
		userID).Exec(ctx)
	if err != nil {
		return err
	}
	_, err = t.NewRaw("UPDATE password_resets SET used_at = ? WHERE user_id = ? AND used_at IS NULL", now,
		userID).Exec(ctx)
	if err != nil {
		return err
	}
	if err := stopEmailChange(ctx, t, userID); err != nil {
		return err
	}
	return table.StopChanges(ctx, t, s.sealer, now, "all sessions of who asked for it were ended", "author_id = ?", userID)
}

// stopEmailChange voids the links that would make another address the one the user signs in with.
func stopEmailChange(ctx context.Context, t db.Tx, userID int64) error {
	_, err := t.NewRaw("DELETE FROM sign_ups WHERE user_id = ? AND email <> (SELECT email FROM users WHERE id = ?)",
		userID, userID).Exec(ctx)
	return err
}

// Logins lists the user's sessions that are neither over, idle nor revoked, the
// newest first.
func (s *Store) Logins(ctx context.Context, userID int64, now time.Time) ([]identity.Session, error) {
	list, err := db.All[identity.Session](ctx, s.db.Reader(), "SELECT token, user_id, created_at, expires_at, user_agent FROM sessions "+
		"WHERE user_id = ? AND revoked_at IS NULL AND expires_at > ? AND used_at > ? ORDER BY created_at DESC LIMIT ?",
		userID, now, now.Add(-identity.SessionIdle), maxLogins)
	return list, db.Wrap(err, "sessions of user %d", userID)
}

// maxLogins is more than anybody looks through.
const maxLogins = 200

// AddReset stores the hash of a token by which the user can set a new password.
func (s *Store) AddReset(
	ctx context.Context, token identity.Hash, userID int64, now, until time.Time, r audit.Record,
) error {
	err := table.WriteAudited(ctx, s.db, s.sealer, r, func(ctx context.Context, t db.Tx, _ *table.AuditFields) error {
		_, err := t.NewRaw("INSERT INTO password_resets (token, user_id, created_at, expires_at) VALUES (?, ?, ?, ?)",
			token[:], userID, now, until).Exec(ctx)
		return err
	})
	return db.Wrap(err, "store a password reset of user %d", userID)
}

// ResetUser returns the user of a reset token that is valid, or identity.ErrBadReset.
func (s *Store) ResetUser(ctx context.Context, token identity.Hash, now time.Time) (identity.User, error) {
	u, err := db.First[identity.User](ctx, s.db.Reader(), identity.ErrBadReset, "SELECT * FROM users WHERE id = "+
		"(SELECT user_id FROM password_resets WHERE token = ? AND used_at IS NULL AND expires_at > ?)", token[:], now)
	return u, db.Wrap(err, "the user of a password reset")
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
		id, err := db.First[int64](ctx, t, identity.ErrBadReset, "UPDATE password_resets SET used_at = ? "+
			"WHERE token = ? AND used_at IS NULL AND expires_at > ? RETURNING user_id", now, token[:], now)
		if err != nil {
			return err
		}
		if _, err := t.NewRaw("UPDATE users SET password_hash = ? WHERE id = ?", next, id).Exec(ctx); err != nil {
			return err
		}
		if err := s.endSessions(ctx, t, id, now); err != nil {
			return err
		}
		if verifies {
			done.Dropped, err = dropUnverified(ctx, t, id, now)
		}
		if err != nil {
			return err
		}
		if done.Dropped {
			a.Detail = "the address was not verified: factors, passkeys, API keys and members were dropped"
		}
		done.User, err = userByID(ctx, t, id)
		a.User, a.Actor = done.User.ID, done.User.Email
		return err
	})
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
			token[:], email, by, now, until).Exec(ctx)
		return err
	})
	return db.Wrap(err, "store an invitation")
}

// CheckInvitation fails with identity.ErrBadInvitation if the token was used or is too old.
func (s *Store) CheckInvitation(ctx context.Context, token identity.Hash, now time.Time) error {
	var open int
	err := s.db.Reader().NewRaw("SELECT count(*) FROM invitations WHERE token = ? AND used_at IS NULL AND expires_at > ?",
		token[:], now).Scan(ctx, &open)
	if err == nil && open == 0 {
		err = identity.ErrBadInvitation
	}
	return db.Wrap(err, "read an invitation")
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
	err := table.WriteAudited(ctx, s.db, s.sealer, r, func(ctx context.Context, t db.Tx, a *table.AuditFields) error {
		*a = table.AuditFields{Actor: u.Email}
		if err := db.One(ctx, t, identity.ErrBadInvitation, "UPDATE invitations SET used_at = ? WHERE token = ? AND email = ? AND used_at IS NULL AND expires_at > ?",
			u.CreatedAt, token[:], u.Email, u.CreatedAt); err != nil {
			return err
		}
		return addOwner(ctx, t, &u, a)
	})
	if err != nil {
		return identity.User{}, fmt.Errorf("create an invited user: %w", err)
	}
	return u, nil
}

// chosenMerchant is who a new session of the user acts for; 0 for a user who
// belongs to no merchant.
func chosenMerchant(ctx context.Context, t db.Tx, userID int64) (int64, error) {
	return db.First[int64](ctx, t, nil, "SELECT merchant_id FROM memberships WHERE user_id = ? ORDER BY chosen_at DESC, merchant_id LIMIT 1", userID)
}
