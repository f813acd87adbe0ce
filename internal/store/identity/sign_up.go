package identity

import (
	"context"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/mail"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/store/table"
)

var _ = db.NewTable[identity.SignUp]("sign_ups", `
	read: user_id=User.ID public_id=User.PublicID email=User.Email first_name=User.FirstName last_name=User.LastName
	      password_hash=User.PasswordHash expires_at`)

// AddSignUp stores a sign-up, and deletes those that expired before now.
func (s *Store) AddSignUp(
	ctx context.Context, token identity.Hash, p identity.SignUp, now time.Time, mails []mail.Mail,
) error {
	u := p.User
	if err := db.CheckTexts("texts of a user", u.PublicID, u.Email, u.FirstName, u.LastName); err != nil {
		return err
	}
	err := s.db.Write(ctx, func(ctx context.Context, t db.Tx) error {
		if _, err := t.NewRaw("DELETE FROM sign_ups WHERE expires_at <= ?", now).Exec(ctx); err != nil {
			return err
		}
		_, err := t.NewRaw("INSERT INTO sign_ups (token, user_id, public_id, email, first_name, last_name, password_hash, expires_at) "+
			"VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
			token[:], u.ID, u.PublicID, u.Email, u.FirstName, u.LastName, u.PasswordHash,
			p.ExpiresAt).Exec(ctx)
		if err != nil {
			return err
		}
		return table.AddMails(ctx, t, s.sealer, mails)
	})
	return db.Wrap(err, "store a sign-up")
}

// SignUp returns an open sign-up, or identity.ErrBadVerification. That of a user
// who exists has their present password.
func (s *Store) SignUp(ctx context.Context, token identity.Hash, now time.Time) (identity.SignUp, error) {
	p, err := db.First[identity.SignUp](ctx, s.db.Reader(), identity.ErrBadVerification, "SELECT s.user_id, s.public_id, s.email, "+
		"s.first_name, s.last_name, coalesce(u.password_hash, s.password_hash) AS password_hash, s.expires_at FROM sign_ups AS s "+
		"LEFT JOIN users AS u ON u.id = s.user_id WHERE s.token = ? AND s.expires_at > ?", token[:], now)
	return p, db.Wrap(err, "read a sign-up")
}

// FinishSignUp uses a sign-up up: it stores its user, or verifies the one it is
// about. It fails with identity.ErrBadVerification, or with identity.ErrEmailTaken
// and changes nothing.
func (s *Store) FinishSignUp(
	ctx context.Context, token identity.Hash, now time.Time, r audit.Record,
) (identity.User, error) {
	var user identity.User
	err := table.WriteAudited(ctx, s.db, s.sealer, r,
		func(ctx context.Context, t db.Tx, a *table.AuditFields) error {
			p, err := db.First[identity.SignUp](ctx, t, identity.ErrBadVerification,
				"DELETE FROM sign_ups WHERE token = ? AND expires_at > ? RETURNING *", token[:], now)
			if err != nil {
				return err
			}
			u := p.User
			u.CreatedAt, u.VerifiedAt = now, now
			a.Actor = u.Email
			if u.ID == 0 {
				user = u
				return addOwner(ctx, t, &user, a)
			}
			a.User = u.ID
			_, err = t.NewRaw("UPDATE users SET verified_at = ? WHERE id = ? AND verified_at IS NULL", now, u.ID).Exec(ctx)
			if err != nil {
				return err
			}
			user, err = userByID(ctx, t, u.ID)
			return err
		})
	return user, db.Wrap(err, "finish a sign-up")
}

func userByID(ctx context.Context, t db.Tx, id int64) (identity.User, error) {
	return db.First[identity.User](ctx, t, identity.ErrUnknownUser, "SELECT * FROM users WHERE id = ?", id)
}

// dropUnverified takes away what somebody else may have made in an account before
// the owner of its address showed up: factors, passkeys, keys, and members with
// their invitations. It returns false for an account whose address was verified.
// Sessions end with every reset.
func dropUnverified(ctx context.Context, t db.Tx, userID int64, now time.Time) (bool, error) {
	res, err := t.NewRaw("UPDATE users SET verified_at = ? WHERE id = ? AND verified_at IS NULL", now, userID).Exec(ctx)
	if err != nil {
		return false, err
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return false, err
	}
	drops := []*db.Stmt{
		db.Exec("DELETE FROM recovery_codes WHERE user_id = ?", userID),
		db.Exec("DELETE FROM second_factors WHERE user_id = ?", userID),
		db.Exec("DELETE FROM passkeys WHERE user_id = ?", userID),
		db.Exec("UPDATE api_keys SET revoked_at = ? WHERE user_id = ? AND revoked_at IS NULL", now, userID),
		db.Exec("DELETE FROM memberships WHERE merchant_id = ? AND user_id <> ?", userID, userID),
		db.Exec("UPDATE team_invitations SET ended_at = ? WHERE merchant_id = ? AND ended_at IS NULL", now, userID),
		db.Exec("DELETE FROM sign_ups WHERE user_id = ?", userID),
	}
	for _, x := range drops {
		x.AnyNumber()
	}
	return true, db.RunEach(ctx, t, drops)
}
