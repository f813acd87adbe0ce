package identity

import (
	"cmp"
	"context"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/store/table"
)

// RenewSession replaces the token of a session that has not ended, also where
// challenges and an authenticator wait for that session, and stores that its user
// re-authenticated. It returns when the session ends, or identity.ErrBadSession.
func (s *Store) RenewSession(
	ctx context.Context, old, next identity.Hash, now time.Time,
) (expires time.Time, err error) {
	err = s.db.Write(ctx, func(ctx context.Context, t db.Tx) error {
		var rows []sessionRow
		err := t.NewRaw("UPDATE sessions SET token = ?, confirmed_at = ?, wrong = 0 WHERE token = ? AND revoked_at IS NULL "+
			"AND expires_at > ? RETURNING user_id, expires_at", next[:], db.At(now), old[:], db.At(now)).Scan(ctx, &rows)
		if err != nil || len(rows) == 0 {
			return cmp.Or[error](err, identity.ErrBadSession)
		}
		expires = rows[0].ExpiresAt.Time
		if _, err := t.NewRaw("UPDATE second_factors SET session = ? WHERE user_id = ? AND session = ?", next[:],
			rows[0].UserID, old[:]).Exec(ctx); err != nil {
			return err
		}
		_, err = t.NewRaw("UPDATE passkey_challenges SET holder = ? WHERE holder = ?", next[:], old[:]).Exec(ctx)
		return err
	})
	return expires, db.Wrap(err, "renew a session")
}

// SessionConfirmed returns when the session of a token ends, if its user re-authenticated since, or
// identity.ErrBadSession.
func (s *Store) SessionConfirmed(
	ctx context.Context, token identity.Hash, since, now time.Time,
) (expires time.Time, err error) {
	var rows []sessionRow
	err = s.db.Reader().NewRaw("SELECT expires_at FROM sessions WHERE token = ? AND confirmed_at > ? "+
		"AND revoked_at IS NULL AND expires_at > ?", token[:], db.At(since), db.At(now)).Scan(ctx, &rows)
	if err != nil || len(rows) == 0 {
		return time.Time{}, db.Wrap(cmp.Or[error](err, identity.ErrBadSession), "read a renewed session")
	}
	return rows[0].ExpiresAt.Time, nil
}

// RevokeOtherSessions ends every session of the user but the one kept.
func (s *Store) RevokeOtherSessions(
	ctx context.Context, userID int64, keep identity.Hash, now time.Time, r audit.Record,
) error {
	err := table.WriteAudited(ctx, s.db, s.sealer, r, func(ctx context.Context, t db.Tx, _ *table.AuditFields) error {
		return endOtherSessions(ctx, t, userID, keep, now)
	},
	)
	return db.Wrap(err, "end the other sessions of user %d", userID)
}
