package store

import (
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/store/db"
)

// userRow is a person who signs in.
type userRow struct {
	bun.BaseModel `bun:"table:users,alias:u"`

	ID           int64 `bun:",pk,autoincrement"`
	PublicID     string
	Email        string
	FirstName    string
	LastName     string
	PasswordHash string
	Operator     bool
	CreatedAt    instant
	DisabledAt   instant
}

func (r userRow) user() identity.User {
	return identity.User{
		ID: r.ID, PublicID: r.PublicID, Email: r.Email, FirstName: r.FirstName, LastName: r.LastName,
		PasswordHash: r.PasswordHash, Operator: r.Operator, CreatedAt: r.CreatedAt.Time, DisabledAt: r.DisabledAt.Time,
	}
}

// CreateUser stores a new user, the owner of a merchant account of their own,
// and returns it with its ID, or identity.ErrEmailTaken.
func (s *Store) CreateUser(ctx context.Context, u identity.User, trail ...audit.Entry) (identity.User, error) {
	if err := checkTexts("texts of a user", u.PublicID, u.Email, u.FirstName, u.LastName); err != nil {
		return identity.User{}, err
	}
	row := rowOfUser(u)
	err := s.act(ctx, trail, about{actor: u.Email}, func(ctx context.Context, t tx,
		a *about,
	) error {
		return addOwner(ctx, t, &row, a)
	})
	if err != nil {
		return identity.User{}, fmt.Errorf("create user: %w", err)
	}
	return row.user(), nil
}

func rowOfUser(u identity.User) userRow {
	return userRow{
		PublicID: u.PublicID, Email: u.Email, FirstName: u.FirstName, LastName: u.LastName,
		PasswordHash: u.PasswordHash, Operator: u.Operator, CreatedAt: db.At(u.CreatedAt),
	}
}

// addOwner stores the row of a user, the owner of a merchant account of their own.
func addOwner(ctx context.Context, t tx, row *userRow, a *about) error {
	if err := addUser(ctx, t, row); err != nil {
		return err
	}
	a.user = row.ID
	return addMember(ctx, t, row.ID, row.ID, merchant.RoleOwner, row.CreatedAt.Time)
}

// addUser stores the row and sets its ID, or fails with identity.ErrEmailTaken.
func addUser(ctx context.Context, t tx, row *userRow) error {
	res, err := t.NewInsert().Model(row).On("CONFLICT (email) DO NOTHING").Returning("id").Exec(ctx)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 1 {
		return err
	}
	return identity.ErrEmailTaken
}

// UserByEmail returns the user, or identity.ErrUnknownUser.
func (s *Store) UserByEmail(ctx context.Context, email string) (identity.User, error) {
	var rows []userRow
	if !db.Storable(email) {
		return identity.User{}, identity.ErrUnknownUser
	}
	if err := s.reader().NewSelect().Model(&rows).Where("email = ?", email).Scan(ctx); err != nil {
		return identity.User{}, fmt.Errorf("user by e-mail: %w", err)
	}
	if len(rows) == 0 {
		return identity.User{}, identity.ErrUnknownUser
	}
	return rows[0].user(), nil
}

// sessionRow is a signed-in user.
type sessionRow struct {
	bun.BaseModel `bun:"table:sessions,alias:s"`

	Token     []byte `bun:",pk"`
	UserID    int64
	CreatedAt instant
	ExpiresAt instant
	RevokedAt instant
	UserAgent string
	// MerchantID is who the session acts for; 0 is stored as NULL.
	MerchantID int64 `bun:",nullzero"`
}

// CreateSession stores a session, which acts for the merchant its user chose last.
func (s *Store) CreateSession(ctx context.Context, n identity.Session, trail ...audit.Entry) error {
	if err := checkTexts("the user agent", n.UserAgent); err != nil {
		return err
	}
	row := sessionRow{
		Token: n.Token[:], UserID: n.UserID, CreatedAt: db.At(n.CreatedAt), ExpiresAt: db.At(n.ExpiresAt),
		UserAgent: n.UserAgent,
	}
	err := s.act(ctx, trail, about{user: n.UserID}, func(ctx context.Context, t tx, _ *about) error {
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
func (s *Store) RevokeSession(ctx context.Context, token identity.Hash, now time.Time, trail ...audit.Entry) error {
	err := s.act(ctx, trail, about{}, func(ctx context.Context, t tx, a *about) error {
		res, err := t.NewUpdate().Model((*sessionRow)(nil)).Set("revoked_at = ?", db.At(now)).
			Where("token = ? AND revoked_at IS NULL", token[:]).Exec(ctx)
		if err != nil {
			return err
		}
		n, err := res.RowsAffected()
		a.nothing = n == 0
		return err
	})
	if err != nil {
		return fmt.Errorf("revoke session: %w", err)
	}
	return nil
}

// keyGone is since when no payment can be made with the key k.
const keyGone = "coalesce(k.revoked_at, k.disabled_at, (SELECT u.disabled_at FROM users AS u WHERE u.id = k.user_id)) AS revoked_at"

// DisableUser disables the user at the time given and ends their sessions, or
// enables them with the zero time; changed is false if it was so already.
func (s *Store) DisableUser(
	ctx context.Context, userID int64, when time.Time, trail ...audit.Entry,
) (changed bool, err error) {
	err = s.act(ctx, trail, about{}, func(ctx context.Context, t tx, a *about) error {
		changed, err = setDisabled(ctx, t, "users", userID, when)
		a.nothing = !changed
		if err != nil || !changed || when.IsZero() {
			return err
		}
		return endSessions(ctx, t, userID, when)
	})
	return changed, wrapIf(err, "disable user %d", userID)
}

// DisableKey disables the key at the time given, or enables it with the zero
// time; changed is false if it was so already.
func (s *Store) DisableKey(
	ctx context.Context, keyID int64, when time.Time, trail ...audit.Entry,
) (changed bool, err error) {
	err = s.act(ctx, trail, about{}, func(ctx context.Context, t tx, a *about) error {
		changed, err = setDisabled(ctx, t, "api_keys", keyID, when)
		a.nothing = !changed
		return err
	})
	return changed, wrapIf(err, "disable key %d", keyID)
}

func setDisabled(ctx context.Context, t tx, table string, id int64, when time.Time) (bool, error) {
	is := "NOT NULL"
	if !when.IsZero() {
		is = "NULL"
	}
	res, err := t.NewRaw("UPDATE "+table+" SET disabled_at = ? WHERE id = ? AND disabled_at IS "+is, db.At(when),
		id).Exec(ctx)
	if err != nil {
		return false, err
	}
	n, err := res.RowsAffected()
	return n == 1, err
}

// NoteGuesses notes that the user with the address is told at now that sign-in
// guesses at them are slowed. tell is false if there is no such user, or if
// they were told after since.
func (s *Store) NoteGuesses(
	ctx context.Context, email string, now, since time.Time,
) (user identity.User, tell bool, err error) {
	err = s.db.Write(ctx, func(ctx context.Context, t tx) error {
		tell = false
		var rows []userRow
		if err := t.NewSelect().Model(&rows).Where("email = ?", email).Scan(ctx); err != nil || len(rows) == 0 {
			return err
		}
		user = rows[0].user()
		res, err := t.NewRaw("INSERT INTO guess_notices (user_id, told_at) VALUES (?, ?) "+
			"ON CONFLICT (user_id) DO UPDATE SET told_at = excluded.told_at WHERE guess_notices.told_at <= ?", user.ID, db.At(now), db.At(since)).Exec(ctx)
		if err != nil {
			return err
		}
		n, err := res.RowsAffected()
		tell = n == 1
		return err
	})
	return user, tell && err == nil, wrapIf(err, "note guesses")
}
