package identity

import (
	"context"
	"fmt"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/store/table"
)

// factorRow is a user's authenticator.
type factorRow struct {
	identity.SecondFactor

	Sealed string // Secret
}

var _ = db.NewTable[factorRow]("second_factors", "read: user_id secret=Sealed session created_at confirmed_at last_step")

// SecondFactor returns the user's; ok is false if there is none.
func (s *Store) SecondFactor(ctx context.Context, userID int64) (f identity.SecondFactor, ok bool, err error) {
	rows, err := db.All[factorRow](ctx, s.db.Reader(), "SELECT * FROM second_factors WHERE user_id = ?", userID)
	if err != nil || len(rows) == 0 {
		return identity.SecondFactor{}, false, db.Wrap(err, "second factor of user %d", userID)
	}
	f = rows[0].SecondFactor
	if f.Secret, err = s.sealer.Open(table.FactorPlace(userID), rows[0].Sealed); err != nil {
		return identity.SecondFactor{}, false, fmt.Errorf("second factor of user %d: %w", userID, err)
	}
	return f, true, nil
}

// PutSecondFactor stores one that is not in force, in place of another such, or
// fails with identity.ErrHasFactor.
func (s *Store) PutSecondFactor(ctx context.Context, f identity.SecondFactor) error {
	sealed := s.sealer.Seal(table.FactorPlace(f.UserID), f.Secret)
	err := s.db.Write(ctx, func(ctx context.Context, t db.Tx) error {
		return db.One(ctx, t, identity.ErrHasFactor, "INSERT INTO second_factors (user_id, secret, session, created_at, last_step) VALUES (?, ?, ?, ?, 0) "+
			"ON CONFLICT (user_id) DO UPDATE SET secret = excluded.secret, session = excluded.session, created_at = excluded.created_at, last_step = 0 "+
			"WHERE second_factors.confirmed_at IS NULL", f.UserID, sealed, f.Session[:], f.CreatedAt)
	})
	return db.Wrap(err, "store second factor of user %d", f.UserID)
}

// ConfirmSecondFactor brings the factor into force, replaces the recovery codes and ends every session of the user but
// the one that set it up, or fails with identity.ErrHasFactor. If another factor has taken its place meanwhile, whose
// secret may be another user's, it fails with identity.ErrBadCode.
func (s *Store) ConfirmSecondFactor(
	ctx context.Context, f identity.SecondFactor, step int64, codes []identity.Hash, now time.Time,
	r audit.Record,
) error {
	err := table.WriteAudited(ctx, s.db, s.sealer, r, func(ctx context.Context, t db.Tx, _ *table.AuditFields) error {
		stored, err := db.First[string](ctx, t, identity.ErrHasFactor,
			"SELECT secret FROM second_factors WHERE user_id = ? AND confirmed_at IS NULL"+t.ForUpdate(), f.UserID)
		if err != nil {
			return err
		}
		text, err := s.sealer.Open(table.FactorPlace(f.UserID), stored)
		if err != nil {
			return err
		}
		if !text.Equal(f.Secret) {
			return identity.ErrBadCode
		}
		if err := db.One(ctx, t, identity.ErrHasFactor, "UPDATE second_factors SET confirmed_at = ?, session = NULL, last_step = ? WHERE user_id = ? AND confirmed_at IS NULL",
			now, step, f.UserID); err != nil {
			return err
		}
		if _, err := t.NewRaw("DELETE FROM recovery_codes WHERE user_id = ?", f.UserID).Exec(ctx); err != nil {
			return err
		}
		for _, code := range codes {
			if _, err := t.NewRaw("INSERT INTO recovery_codes (user_id, hash) VALUES (?, ?)", f.UserID,
				code[:]).Exec(ctx); err != nil {
				return err
			}
		}
		return endOtherSessions(ctx, t, f.UserID, f.Session, now)
	})
	return db.Wrap(err, "confirm second factor of user %d", f.UserID)
}

// TakeStep notes that the code of a time step was used; false if it, or a later
// one, was used before.
func (s *Store) TakeStep(ctx context.Context, userID, step int64) (bool, error) {
	return db.WriteOne(ctx, s.db, "UPDATE second_factors SET last_step = ? WHERE user_id = ? AND last_step < ? AND confirmed_at IS NOT NULL",
		step, userID, step)
}

// TakeRecoveryCode uses a recovery code up; false if there is none such.
func (s *Store) TakeRecoveryCode(
	ctx context.Context, userID int64, code identity.Hash, now time.Time, r audit.Record,
) (bool, error) {
	return table.WriteOneAudited(ctx, s.db, s.sealer, r, table.AuditFields{}, "UPDATE recovery_codes SET used_at = ? WHERE user_id = ? AND hash = ? AND used_at IS NULL",
		now, userID, code[:])
}

// RecoveryCodesLeft counts the recovery codes that are not used up.
func (s *Store) RecoveryCodesLeft(ctx context.Context, userID int64) (int, error) {
	var n int
	err := s.db.Reader().NewRaw("SELECT count(*) FROM recovery_codes WHERE user_id = ? AND used_at IS NULL",
		userID).Scan(ctx, &n)
	return n, db.Wrap(err, "recovery codes of user %d", userID)
}

// RemoveSecondFactor removes it with its recovery codes, and ends every session
// of the user but the one kept.
func (s *Store) RemoveSecondFactor(
	ctx context.Context, userID int64, keep identity.Hash, now time.Time, r audit.Record,
) error {
	err := table.WriteAudited(ctx, s.db, s.sealer, r, func(ctx context.Context, t db.Tx, _ *table.AuditFields) error {
		if _, err := t.NewRaw("DELETE FROM recovery_codes WHERE user_id = ?", userID).Exec(ctx); err != nil {
			return err
		}
		if _, err := t.NewRaw("DELETE FROM second_factors WHERE user_id = ?", userID).Exec(ctx); err != nil {
			return err
		}
		return endOtherSessions(ctx, t, userID, keep, now)
	})
	return db.Wrap(err, "remove second factor of user %d", userID)
}
