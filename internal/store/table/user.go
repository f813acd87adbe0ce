package table

import (
	"context"
	"time"

	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/store/db"
)

// Users are people who sign in.
var Users = db.NewTable[identity.User]("users", `
	number:  id
	fixed:   public_id first_name last_name created_at
	changes: email password_hash language operator verified_at disabled_at`)

// InsertUser stores a new user, whose address nobody has, and sets their ID.
func InsertUser(ctx context.Context, t db.Tx, u *identity.User) error {
	Users.AsStored(u)
	err := Users.Into(t, " ON CONFLICT (email) DO NOTHING RETURNING id", *u).Scan(ctx, &u.ID)
	return db.Missing(err, identity.ErrEmailTaken)
}

// InsertMember makes a user a member of a merchant account.
func InsertMember(ctx context.Context, t db.Tx, merchantID, userID int64, role merchant.Role, now time.Time) error {
	_, err := t.NewRaw("INSERT INTO memberships (merchant_id, user_id, role, created_at, chosen_at) VALUES (?, ?, ?, ?, ?)",
		merchantID, userID, string(role), now, now).Exec(ctx)
	return err
}

// LockUser locks the user, and the merchant account of the same id, until the transaction ends.
func LockUser(ctx context.Context, t db.Tx, userID int64) error {
	var ids []int64
	return t.NewRaw("SELECT id FROM users WHERE id = ?"+t.ForUpdate(), userID).Scan(ctx, &ids)
}

// KeyEndedAt selects since when no payment can be made with the key k.
const KeyEndedAt = "coalesce(k.revoked_at, k.disabled_at, (SELECT u.disabled_at FROM users AS u WHERE u.id = k.user_id)) AS revoked_at"
