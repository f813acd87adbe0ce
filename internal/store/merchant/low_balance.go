package merchant

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/store/table"
)

// RecordRefused records that a sale of the key was refused for credits. The alert of it is due now, unless one is due
// already or the last one ended less than merchant.RefusedEvery ago.
func (s *Store) RecordRefused(ctx context.Context, keyID int64, now time.Time) error {
	at := db.At(now)
	_, err := db.WriteOne(ctx, s.db,
		"INSERT INTO low_credit (key_id, kind, crossing, crossed_at, state, attempt, due_at) VALUES (?, ?, 1, ?, 'WAITING', 0, ?) "+
			"ON CONFLICT (key_id, kind) DO UPDATE SET crossing = low_credit.crossing + 1, crossed_at = excluded.crossed_at, "+
			"state = 'WAITING', attempt = 0, due_at = excluded.due_at WHERE low_credit.state <> 'WAITING' AND low_credit.due_at <= ?",
		keyID, string(merchant.AlertRefused), at, at, db.At(now.Add(-merchant.RefusedEvery)))
	return db.Wrap(err, "record a refused sale of key %d", keyID)
}

// dueAlert is one alert that is due.
type dueAlert struct {
	KeyID int64
	Kind  string
}

// TakeLow takes up to limit alerts that are due at now, the oldest first.
func (s *Store) TakeLow(ctx context.Context, now time.Time, limit int) ([]merchant.LowBalance, error) {
	const due = "SELECT key_id, kind FROM low_credit WHERE state = 'WAITING' AND due_at <= ? ORDER BY due_at LIMIT ?"
	var waiting []dueAlert
	// Usually there are none, and nothing is written.
	if err := s.db.Reader().NewRaw(due, db.From(now), limit).Scan(ctx, &waiting); err != nil || len(waiting) == 0 {
		return nil, db.Wrap(err, "alerts of low credits")
	}
	var list []merchant.LowBalance
	var unread dueAlert
	err := s.db.Write(ctx, func(ctx context.Context, t db.Tx) error {
		list, unread = nil, dueAlert{}
		var alerts []dueAlert
		if err := t.NewRaw(due+s.db.Dialect().SkipLocked, db.From(now), limit).Scan(ctx, &alerts); err != nil {
			return err
		}
		for _, a := range alerts {
			l, err := takeLow(ctx, t, a)
			if err != nil {
				unread = a
				return err
			}
			list = append(list, l)
		}
		return nil
	})
	if unread.KeyID != 0 && err != nil && ctx.Err() == nil && !errors.Is(err, fault.ErrStorage) {
		return s.takeUnread(ctx, unread, err)
	}
	return list, db.Wrap(err, "take alerts of low credits")
}

// takeUnread takes an alert whose key cannot be read because of cause, so that it holds up no other.
func (s *Store) takeUnread(ctx context.Context, a dueAlert, cause error) ([]merchant.LowBalance, error) {
	var l merchant.LowBalance
	err := s.db.Write(ctx, func(ctx context.Context, t db.Tx) (err error) {
		l, err = markTaken(ctx, t, a)
		return err
	})
	if err != nil {
		return nil, db.Wrap(errors.Join(err, cause), "take an alert of low credits")
	}
	l.Unread = cause
	return []merchant.LowBalance{l}, nil
}

// markTaken marks an alert as taken.
func markTaken(ctx context.Context, t db.Tx, a dueAlert) (merchant.LowBalance, error) {
	var rows []struct {
		Crossing  int64
		Attempt   int
		CrossedAt db.Instant
	}
	err := t.NewRaw("UPDATE low_credit SET state = 'TAKEN', attempt = attempt + 1 WHERE key_id = ? AND kind = ? "+
		"RETURNING crossing, attempt - 1 AS attempt, crossed_at", a.KeyID, a.Kind).Scan(ctx, &rows)
	if err != nil || len(rows) == 0 {
		return merchant.LowBalance{}, cmp.Or[error](err, merchant.ErrUnknownKey)
	}
	return merchant.LowBalance{
		Key: merchant.Key{ID: a.KeyID}, Kind: merchant.AlertKind(a.Kind), Crossing: rows[0].Crossing,
		Attempt: rows[0].Attempt, At: rows[0].CrossedAt.Time,
	}, nil
}

func takeLow(ctx context.Context, t db.Tx, a dueAlert) (merchant.LowBalance, error) {
	l, err := markTaken(ctx, t, a)
	if err != nil {
		return l, err
	}
	var key keyScan
	var accounts table.BalanceScan
	if err := t.Run(ctx, key.read("k.id = ?", a.KeyID), accounts.Read(a.KeyID)); err != nil {
		return merchant.LowBalance{}, db.Wrap(err, "key %d", a.KeyID)
	}
	l.Key, l.Left = key.key, accounts.Balance.Credits
	if !l.Key.RevokedAt.IsZero() {
		return l, nil // no payment needs credits for it, so there is no alert
	}
	err = t.NewRaw("SELECT u.email FROM memberships AS m JOIN users AS u ON u.id = m.user_id WHERE m.merchant_id = ? AND m.role = ? ORDER BY u.id",
		l.Key.UserID, string(merchant.RoleOwner)).Scan(ctx, &l.Owners)
	return l, err
}

// EndLow stores the outcome of an alert that was taken.
func (s *Store) EndLow(ctx context.Context, l merchant.LowBalance, state merchant.AlertState, due time.Time) error {
	_, err := db.WriteOne(ctx, s.db, "UPDATE low_credit SET state = ?, due_at = ? WHERE key_id = ? AND kind = ? AND crossing = ? AND state = 'TAKEN'",
		string(state), db.At(due), l.Key.ID, string(l.Kind), l.Crossing)
	return db.Wrap(err, "end the alert of key %d", l.Key.ID)
}
