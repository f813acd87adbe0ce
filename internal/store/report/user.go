package report

import (
	"context"
	"strings"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/store/db"
)

// User is a user with the figures an operator sees.
type User struct {
	identity.User

	Keys     int64
	Payments bool `bun:"taken"` // has taken at least one
	Factor   bool // an authenticator is in force
	Passkeys int64
}

// UserQuery selects users, the newest first.
type UserQuery struct {
	// Text finds by the beginning of an e-mail address or of a key's name, or
	// by the public id of a user or key; empty matches every user.
	Text   string
	Before int64 // ID of the last of the page before; 0 for the first page
	Limit  int
}

// selectUsers looks one row up for each key; a planner makes of EXISTS a scan of all payments.
const selectUsers = `SELECT u.id, u.public_id, u.email, u.first_name, u.last_name, u.operator, u.created_at, u.disabled_at,
	(SELECT count(*) FROM api_keys AS k WHERE k.user_id = u.id AND k.revoked_at IS NULL) AS keys,
	EXISTS (SELECT 1 FROM second_factors AS f WHERE f.user_id = u.id AND f.confirmed_at IS NOT NULL) AS factor,
	(SELECT count(*) FROM passkeys AS y WHERE y.user_id = u.id) AS passkeys,
	coalesce((SELECT max((SELECT 1 FROM payments AS p WHERE p.key_id = k.id LIMIT 1)) FROM api_keys AS k
	WHERE k.user_id = u.id), 0) = 1 AS taken FROM users AS u `

// Users lists users, the newest first.
func (r *Reader) Users(ctx context.Context, q UserQuery) ([]User, error) {
	where, args := "WHERE u.id < ? ", []any{beforeOrLast(q.Before)}
	if q.Text != "" {
		ids, err := r.usersByText(ctx, q.Text)
		if err != nil || len(ids) == 0 {
			return nil, db.Wrap(err, "find users")
		}
		where, args = where+"AND u.id IN (?) ", append(args, bun.List(ids))
	}
	list, err := db.All[User](ctx, r.db.Reader(), selectUsers+where+"ORDER BY u.id DESC LIMIT ?",
		append(args, q.Limit)...)
	return list, db.Wrap(err, "list users")
}

// User returns the user of the public id.
func (r *Reader) User(ctx context.Context, publicID string) (User, error) {
	one, err := db.First[User](ctx, r.db.Reader(), identity.ErrUnknownUser,
		selectUsers+"WHERE u.public_id = ?", publicID)
	return one, db.Wrap(err, "user %s", publicID)
}

// lastChar sorts after every other character, byte by byte.
const lastChar = "\U0010FFFF"

// usersByText returns the ids of users that the text may identify.
func (r *Reader) usersByText(ctx context.Context, text string) ([]int64, error) {
	text = strings.ToLower(strings.TrimSpace(text))
	if !db.Storable(text) {
		return nil, nil
	}
	bytewise, reader := bun.Safe(r.db.Dialect().Bytewise), r.db.Reader()
	var all []int64
	for _, way := range []*bun.RawQuery{
		reader.NewRaw("SELECT id FROM users WHERE public_id = ?", strings.ToUpper(text)),
		reader.NewRaw("SELECT user_id FROM api_keys WHERE public_id = ?", strings.ToUpper(text)),
		reader.NewRaw("SELECT id FROM users WHERE email COLLATE ? >= ? AND email COLLATE ? < ? ORDER BY email COLLATE ? LIMIT ?",
			bytewise, text, bytewise, text+lastChar, bytewise, maxFound),
		reader.NewRaw("SELECT user_id FROM api_keys WHERE lower(label) COLLATE ? >= ? AND lower(label) COLLATE ? < ? LIMIT ?",
			bytewise, text, bytewise, text+lastChar, maxFound),
	} {
		var found []int64
		if err := way.Scan(ctx, &found); err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}
