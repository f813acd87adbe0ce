package identity

import (
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun"

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
	row := table.RowOfUser(u)
	err := table.WriteAudited(ctx, s.db, s.sealer, r, func(ctx context.Context, t db.Tx, a *table.AuditFields) error {
		*a = table.AuditFields{Actor: u.Email}
		return addOwner(ctx, t, &row, a)
	})
	if err != nil {
		return identity.User{}, fmt.Errorf("create user: %w", err)
	}
	return row.User(), nil
}

// addOwner stores the row of a user, the owner of a merchant account of their own.
func addOwner(ctx context.Context, t db.Tx, row *table.UserRow, a *table.AuditFields) error {
	if err := table.InsertUser(ctx, t, row); err != nil {
		return err
	}
	a.User = row.ID
	return table.InsertMember(ctx, t, row.ID, row.ID, merchant.RoleOwner, row.CreatedAt.Time)
}

// UserByEmail returns the user, or identity.ErrUnknownUser.
func (s *Store) UserByEmail(ctx context.Context, email string) (identity.User, error) {
	var rows []table.UserRow
	if !db.Storable(email) {
		return identity.User{}, identity.ErrUnknownUser
	}
	if err := s.db.Reader().NewSelect().Model(&rows).Where("email = ?", email).Scan(ctx); err != nil {
		return identity.User{}, fmt.Errorf("user by e-mail: %w", err)
	}
	if len(rows) == 0 {
		return identity.User{}, identity.ErrUnknownUser
	}
	return rows[0].User(), nil
}

// sessionRow is a signed-in user.
type sessionRow struct {
	bun.BaseModel `bun:"table:sessions,alias:s"`

	Token     []byte `bun:",pk"`
	UserID    int64
	CreatedAt db.Instant
	ExpiresAt db.Instant
	UsedAt    db.Instant
	// ConfirmedAt is when the user re-authenticated last.
	ConfirmedAt db.Instant
	RevokedAt   db.Instant
	UserAgent   string
	// MerchantID is who the session acts for; 0 is stored as NULL.
	MerchantID int64 `bun:",nullzero"`
}

// CreateSession stores a session, which acts for the merchant its user chose last.
func (s *Store) CreateSession(ctx context.Context, n identity.Session, r audit.Record) error {
	if err := db.CheckTexts("the user agent", n.UserAgent); err != nil {
		return err
	}
	row := sessionRow{
		Token: n.Token[:], UserID: n.UserID, CreatedAt: db.At(n.CreatedAt), ExpiresAt: db.At(n.ExpiresAt),
		UsedAt: db.At(n.CreatedAt), UserAgent: n.UserAgent,
	}
	err := table.WriteAudited(ctx, s.db, s.sealer, r, func(ctx context.Context, t db.Tx, a *table.AuditFields) error {
		*a = table.AuditFields{User: n.UserID}
		chosen, err := chosenMerchant(ctx, t, n.UserID)
		if err != nil {
			return err
		}
		row.MerchantID = chosen
		_, err = t.NewInsert().Model(&row).Exec(ctx)
		return err
	})
	if err != nil {
		return fmt.Errorf("create session: %w", err)
	}
	return nil
}

// RevokeSession ends a session; one that has ended or does not exist is left
// alone.
func (s *Store) RevokeSession(ctx context.Context, token identity.Hash, now time.Time, r audit.Record) error {
	err := table.WriteAudited(ctx, s.db, s.sealer, r, func(ctx context.Context, t db.Tx, a *table.AuditFields) error {
		res, err := t.NewUpdate().Model((*sessionRow)(nil)).Set("revoked_at = ?", db.At(now)).
			Where("token = ? AND revoked_at IS NULL", token[:]).Exec(ctx)
		if err != nil {
			return err
		}
		n, err := res.RowsAffected()
		a.Unchanged = n == 0
		return err
	},
	)
	if err != nil {
		return fmt.Errorf("revoke session: %w", err)
	}
	return nil
}

// DisableUser disables the user at the time given and ends their sessions, or
// enables them with the zero time; changed is false if it was so already.
func (s *Store) DisableUser(
	ctx context.Context, userID int64, when time.Time, r audit.Record,
) (changed bool, err error) {
	err = table.WriteAudited(ctx, s.db, s.sealer, r, func(ctx context.Context, t db.Tx, a *table.AuditFields) error {
		changed, err = table.SetDisabled(ctx, t, "users", userID, when)
		a.Unchanged = !changed
		if err != nil || !changed || when.IsZero() {
			return err
		}
		return s.endSessions(ctx, t, userID, when)
	},
	)
	return changed, db.Wrap(err, "disable user %d", userID)
}

// NoteGuesses stores that the user with the address is notified at now that sign-in guesses at them are slowed. It
// returns false if there is no such user, or if they were notified at another time after since.
func (s *Store) NoteGuesses(ctx context.Context, email string, now, since time.Time) (bool, error) {
	noted, err := db.WriteOne(ctx, s.db, "INSERT INTO guess_notices (user_id, notified_at) SELECT id, ? FROM users WHERE email = ? "+
		"ON CONFLICT (user_id) DO UPDATE SET notified_at = excluded.notified_at "+
		"WHERE guess_notices.notified_at <= ? OR guess_notices.notified_at = excluded.notified_at", db.At(now), email, db.At(since))
	return noted, db.Wrap(err, "note guesses")
}

// Record stores what an act left that changed nothing else.
func (s *Store) Record(ctx context.Context, r audit.Record) error {
	err := table.WriteAudited(ctx, s.db, s.sealer, r,
		func(context.Context, db.Tx, *table.AuditFields) error { return nil })
	return db.Wrap(err, "record an act")
}
