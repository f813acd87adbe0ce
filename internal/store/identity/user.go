package identity

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/store/table"
)

// CreateUser stores a new user, the owner of a merchant account of their own,
// and returns it with its ID, or identity.ErrEmailTaken.
func (s *Store) CreateUser(ctx context.Context, u identity.User, r audit.Record) (identity.User, error) {
	if err := db.CheckTexts("texts of a user", u.PublicID, u.Email, u.FirstName, u.LastName); err != nil {
		return identity.User{}, err
	}
	err := table.WriteAudited(ctx, s.db, s.sealer, r, func(ctx context.Context, t db.Tx, a *table.AuditFields) error {
		*a = table.AuditFields{Actor: u.Email}
		return addOwner(ctx, t, &u, a)
	})
	if err != nil {
		return identity.User{}, fmt.Errorf("create user: %w", err)
	}
	return u, nil
}

// addOwner stores a user, the owner of a merchant account of their own.
func addOwner(ctx context.Context, t db.Tx, u *identity.User, a *table.AuditFields) error {
	if err := table.InsertUser(ctx, t, u); err != nil {
		return err
	}
	a.User = u.ID
	return table.InsertMember(ctx, t, u.ID, u.ID, merchant.RoleOwner, u.CreatedAt)
}

// UserByEmail returns the user, or identity.ErrUnknownUser.
func (s *Store) UserByEmail(ctx context.Context, email string) (identity.User, error) {
	if !db.Storable(email) {
		return identity.User{}, identity.ErrUnknownUser
	}
	return s.userBy(ctx, "user by e-mail", "email = ?", email)
}

func (s *Store) userBy(ctx context.Context, what, where string, arg any) (identity.User, error) {
	u, err := db.First[identity.User](ctx, s.db.Reader(), identity.ErrUnknownUser,
		"SELECT * FROM users WHERE "+where, arg)
	if errors.Is(err, identity.ErrUnknownUser) {
		return identity.User{}, err
	}
	return u, db.Wrap(err, "%s", what)
}

var sessions = db.NewTable[sessionRow]("sessions",
	"fixed: token user_id created_at expires_at used_at=CreatedAt user_agent merchant_id=Merchant")

// sessionRow is a session with who it acts for.
type sessionRow struct {
	identity.Session

	Merchant sql.NullInt64
}

// CreateSession stores a session, which acts for the merchant its user chose last.
func (s *Store) CreateSession(ctx context.Context, n identity.Session, r audit.Record) error {
	if err := db.CheckTexts("the user agent", n.UserAgent); err != nil {
		return err
	}
	err := table.WriteAudited(ctx, s.db, s.sealer, r, func(ctx context.Context, t db.Tx, a *table.AuditFields) error {
		*a = table.AuditFields{User: n.UserID}
		chosen, err := chosenMerchant(ctx, t, n.UserID)
		if err != nil {
			return err
		}
		_, err = sessions.Into(t, "", sessionRow{n, sql.NullInt64{Int64: chosen, Valid: chosen != 0}}).Exec(ctx)
		return err
	})
	return db.Wrap(err, "create session")
}

// RevokeSession ends a session; one that has ended or does not exist is left
// alone.
func (s *Store) RevokeSession(ctx context.Context, token identity.Hash, now time.Time, r audit.Record) error {
	err := table.WriteAudited(ctx, s.db, s.sealer, r, func(ctx context.Context, t db.Tx, a *table.AuditFields) error {
		res, err := t.NewRaw("UPDATE sessions SET revoked_at = ? WHERE token = ? AND revoked_at IS NULL", now, token[:]).Exec(ctx)
		if err != nil {
			return err
		}
		n, err := res.RowsAffected()
		a.Unchanged = n == 0
		return err
	})
	return db.Wrap(err, "revoke session")
}

// NoteGuesses stores that the user with the address is notified at now that sign-in guesses at them are slowed. It
// returns false if there is no such user, or if they were notified at another time after since.
func (s *Store) NoteGuesses(ctx context.Context, email string, now, since time.Time) (bool, error) {
	noted, err := db.WriteOne(ctx, s.db, "INSERT INTO guess_notices (user_id, notified_at) SELECT id, ? FROM users WHERE email = ? "+
		"ON CONFLICT (user_id) DO UPDATE SET notified_at = excluded.notified_at "+
		"WHERE guess_notices.notified_at <= ? OR guess_notices.notified_at = excluded.notified_at", now, email, since)
	return noted, db.Wrap(err, "note guesses")
}

// Record stores what an act left that changed nothing else.
func (s *Store) Record(ctx context.Context, r audit.Record) error {
	err := table.WriteAudited(ctx, s.db, s.sealer, r,
		func(context.Context, db.Tx, *table.AuditFields) error { return nil })
	return db.Wrap(err, "record an act")
}
