package table

import (
	"context"
	"time"

	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/uptrace/bun"
)

// UserRow is a user.
type UserRow struct {
	bun.BaseModel `bun:"table:users,alias:u"`

	ID           int64 `bun:",pk,autoincrement"`
	PublicID     string
	Email        string
	FirstName    string
	LastName     string
	PasswordHash string
	Operator     bool
	CreatedAt    db.Instant
	DisabledAt   db.Instant
	VerifiedAt   db.Instant
}

// User returns the user of the row.
func (r UserRow) User() identity.User {
	return identity.User{
		ID: r.ID, PublicID: r.PublicID, Email: r.Email, FirstName: r.FirstName, LastName: r.LastName,
		PasswordHash: r.PasswordHash, Operator: r.Operator, CreatedAt: r.CreatedAt.Time, DisabledAt: r.DisabledAt.Time,
		VerifiedAt: r.VerifiedAt.Time,
	}
}

// RowOfUser returns the row of a new user.
func RowOfUser(u identity.User) UserRow {
	return UserRow{
		PublicID: u.PublicID, Email: u.Email, FirstName: u.FirstName, LastName: u.LastName,
		PasswordHash: u.PasswordHash, Operator: u.Operator, CreatedAt: db.At(u.CreatedAt),
		VerifiedAt: db.At(u.VerifiedAt),
	}
}

// InsertUser stores the row and sets its ID, or fails with identity.ErrEmailTaken.
func InsertUser(ctx context.Context, t db.Tx, row *UserRow) error {
	res, err := t.NewInsert().Model(row).On("CONFLICT (email) DO NOTHING").Returning("id").Exec(ctx)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n == 1 {
		return err
	}
	return identity.ErrEmailTaken
}

// InsertMember makes a user a member of a merchant account.
func InsertMember(ctx context.Context, t db.Tx, merchantID, userID int64, role merchant.Role, now time.Time) error {
	_, err := t.NewRaw("INSERT INTO memberships (merchant_id, user_id, role, created_at, chosen_at) VALUES (?, ?, ?, ?, ?)",
		merchantID, userID, string(role), db.At(now), db.At(now)).Exec(ctx)
	return err
}

// LockUser locks the user, and the merchant account of the same id, until the transaction ends.
func LockUser(ctx context.Context, t db.Tx, userID int64) error {
	var ids []int64
	return t.NewRaw("SELECT id FROM users WHERE id = ?"+t.ForUpdate(), userID).Scan(ctx, &ids)
}

// SetDisabled disables the row of the table at the time given, or enables it with the zero time; it returns false if
// that was done already.
func SetDisabled(ctx context.Context, t db.Tx, table string, id int64, when time.Time) (bool, error) {
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

// KeyEndedAt selects since when no payment can be made with the key k.
const KeyEndedAt = "coalesce(k.revoked_at, k.disabled_at, (SELECT u.disabled_at FROM users AS u WHERE u.id = k.user_id)) AS revoked_at"
