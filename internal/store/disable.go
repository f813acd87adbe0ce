package store

import (
	"context"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/store/db"
)

// keyGone is since when no payment can be made with the key k.
const keyGone = "coalesce(k.revoked_at, k.disabled_at, (SELECT u.disabled_at FROM users AS u WHERE u.id = k.user_id)) AS revoked_at"

// DisableUser disables the user at the time given and ends their sessions, or
// enables them with the zero time; changed is false if it was so already.
func (s *Store) DisableUser(ctx context.Context, userID int64, when time.Time, trail ...audit.Entry) (changed bool, err error) {
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
func (s *Store) DisableKey(ctx context.Context, keyID int64, when time.Time, trail ...audit.Entry) (changed bool, err error) {
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
	res, err := t.NewRaw("UPDATE "+table+" SET disabled_at = ? WHERE id = ? AND disabled_at IS "+is, db.At(when), id).Exec(ctx)
	if err != nil {
		return false, err
	}
	n, err := res.RowsAffected()
	return n == 1, err
}
