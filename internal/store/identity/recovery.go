package identity

import (
	"context"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/store/table"
)

// RecoverUser does what an operator does for a user who is locked out, and ends
// every session of the user.
func (s *Store) RecoverUser(
	ctx context.Context, userID int64, what identity.Recovery, now time.Time, r audit.Record,
) error {
	err := table.WriteAudited(ctx, s.db, s.sealer, r, func(ctx context.Context, t db.Tx, _ *table.AuditFields) error {
		if what.PasswordHash != "" {
			_, err := t.NewRaw("UPDATE users SET password_hash = ? WHERE id = ?", what.PasswordHash, userID).Exec(ctx)
			if err != nil {
				return err
			}
		}
		if what.Factors {
			for _, from := range []string{"recovery_codes", "second_factors", "passkeys"} {
				if _, err := t.NewRaw("DELETE FROM "+from+" WHERE user_id = ?", userID).Exec(ctx); err != nil {
					return err
				}
			}
		}
		for _, limit := range what.Clear {
			if _, err := t.NewRaw("DELETE FROM throttles WHERE name = ?", limit[:]).Exec(ctx); err != nil {
				return err
			}
		}
		return s.endSessions(ctx, t, userID, now)
	})
	return db.Wrap(err, "recover user %d", userID)
}

// SetOperator makes the user an operator or takes that back; changed is false if it
// was so already.
func (s *Store) SetOperator(
	ctx context.Context, userID int64, operator bool, r audit.Record,
) (changed bool, err error) {
	err = table.WriteAudited(ctx, s.db, s.sealer, r, func(ctx context.Context, t db.Tx, a *table.AuditFields) error {
		res, err := t.NewRaw("UPDATE users SET operator = ? WHERE id = ? AND operator <> ?", operator, userID,
			operator).Exec(ctx)
		if err != nil {
			return err
		}
		n, err := res.RowsAffected()
		changed = n == 1
		a.Unchanged = !changed
		return err
	})
	return changed && err == nil, db.Wrap(err, "make user %d an operator", userID)
}
