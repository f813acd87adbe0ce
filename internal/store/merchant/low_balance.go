package merchant

import (
	"cmp"
	"context"
	"time"

	"github.com/florinpay/florin/internal/merchant"

	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/store/table"
)

// TakeLow takes up to limit notices that are due at now, the oldest first.
func (s *Store) TakeLow(ctx context.Context, now time.Time, limit int) ([]merchant.LowBalance, error) {
	const due = "SELECT key_id FROM low_credit WHERE state = 'WAITING' AND due_at <= ? ORDER BY due_at LIMIT ?"
	var waiting []int64
	// Usually there are none, and nothing is written.
	if err := s.db.Reader().NewRaw(due, db.From(now), limit).Scan(ctx, &waiting); err != nil || len(waiting) == 0 {
		return nil, db.Wrap(err, "notices of low credits")
	}
	var list []merchant.LowBalance
	err := s.db.Write(ctx, func(ctx context.Context, t db.Tx) error {
		list = nil
		var ids []int64
		if err := t.NewRaw(due+s.db.Dialect().SkipLocked, db.From(now), limit).Scan(ctx, &ids); err != nil {
			return err
		}
		for _, id := range ids {
			l, err := takeLow(ctx, t, id)
			if err != nil {
				return err
			}
			list = append(list, l)
		}
		return nil
	})
	return list, db.Wrap(err, "take notices of low credits")
}

func takeLow(ctx context.Context, t db.Tx, keyID int64) (merchant.LowBalance, error) {
	var rows []struct {
		Crossing  int64
		Attempt   int
		CrossedAt db.Instant
	}
	err := t.NewRaw("UPDATE low_credit SET state = 'TAKEN', attempt = attempt + 1 WHERE key_id = ? "+
		"RETURNING crossing, attempt - 1 AS attempt, crossed_at", keyID).Scan(ctx, &rows)
	if err != nil || len(rows) == 0 {
		return merchant.LowBalance{}, cmp.Or[error](err, merchant.ErrUnknownKey)
	}
	l := merchant.LowBalance{Crossing: rows[0].Crossing, Attempt: rows[0].Attempt, At: rows[0].CrossedAt.Time}
	var key keyScan
	var accounts table.BalanceScan
	if err := t.Run(ctx, key.read("k.id = ?", keyID), accounts.Read(keyID)); err != nil {
		return merchant.LowBalance{}, err
	}
	l.Key, l.Left = key.key, accounts.Balance.Credits
	if !l.Key.RevokedAt.IsZero() {
		return l, nil // no payment needs credits for it, so there is no alert
	}
	err = t.NewRaw("SELECT u.email FROM memberships AS m JOIN users AS u ON u.id = m.user_id WHERE m.merchant_id = ? AND m.role = ? ORDER BY u.id",
		l.Key.UserID, string(merchant.RoleOwner)).Scan(ctx, &l.Owners)
	return l, err
}

// EndLow stores what became of a notice that was taken.
func (s *Store) EndLow(ctx context.Context, l merchant.LowBalance, state merchant.AlertState, due time.Time) error {
	_, err := db.WriteOne(ctx, s.db, "UPDATE low_credit SET state = ?, due_at = ? WHERE key_id = ? AND crossing = ? AND state = 'TAKEN'",
		string(state), db.At(due), l.Key.ID, l.Crossing)
	return db.Wrap(err, "end the notice of key %d", l.Key.ID)
}
