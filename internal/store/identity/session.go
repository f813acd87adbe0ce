package identity

import (
	"context"
	"time"

	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/store/db"
)

// RenewSession replaces the token of a session that has not ended, also where
// challenges and an authenticator wait for that session, and stores that its user
// re-authenticated. It returns when the session ends.
func (s *Store) RenewSession(
	ctx context.Context, old, next identity.Hash, now time.Time,
) (expires time.Time, err error) {
	err = s.db.Write(ctx, func(ctx context.Context, t db.Tx) error {
		renewed, err := db.First[identity.Session](ctx, t, sessions.Missing, `UPDATE sessions SET token = ?, confirmed_at = ?,
			wrong = 0 WHERE token = ? AND revoked_at IS NULL AND expires_at > ? RETURNING user_id, expires_at`, next[:], now, old[:], now)
		if err != nil {
			return err
		}
		expires = renewed.ExpiresAt
		if _, err := t.NewRaw("UPDATE second_factors SET session = ? WHERE user_id = ? AND session = ?", next[:],
			renewed.UserID, old[:]).Exec(ctx); err != nil {
			return err
		}
		_, err = t.NewRaw("UPDATE passkey_challenges SET holder = ? WHERE holder = ?", next[:], old[:]).Exec(ctx)
		return err
	})
	return expires, db.Wrap(err, "renew a session")
}

// SessionConfirmed returns when the session of a token ends, if its user re-authenticated since.
func (s *Store) SessionConfirmed(
	ctx context.Context, token identity.Hash, since, now time.Time,
) (expires time.Time, err error) {
	confirmed, err := db.First[identity.Session](ctx, s.db.Reader(), sessions.Missing,
		"SELECT expires_at FROM sessions WHERE token = ? AND confirmed_at > ? AND revoked_at IS NULL AND expires_at > ?", token[:], since, now)
	return confirmed.ExpiresAt, db.Wrap(err, "read a renewed session")
}
