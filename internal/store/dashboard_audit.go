package store

import (
	"context"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/store/db"
)

// auditRow is one line of the audit log.
type auditRow struct {
	ID      int64
	UserID  int64
	At      instant
	Actor   string
	Action  string
	Subject string
	Detail  string
	Address string
}

// AddAudit appends a line to the audit log.
func (s *Store) AddAudit(ctx context.Context, a audit.Entry) error {
	err := s.db.Write(ctx, func(ctx context.Context, t tx) error { return db.RunEach(ctx, t, []*db.Stmt{saveLine(a)}) })
	return wrapIf(err, "append to the audit log of user %d", a.UserID)
}

// AuditLog lists what the user did to their own sign-in, and what was done for
// the merchant (0: none), before the line given (0: from the newest), the
// newest first.
func (s *Store) AuditLog(ctx context.Context, userID, merchantID, before int64, limit int) ([]audit.Entry, error) {
	if before <= 0 {
		before = math.MaxInt64
	}
	// Each half ends at its limit, so a long log is not read whole.
	half := func(is, name string) string {
		return "SELECT * FROM (SELECT id, user_id, at, actor, action, subject, detail, address FROM audit_log WHERE user_id = ? AND id < ? AND action " +
			is + " (?) ORDER BY id DESC LIMIT ?) AS " + name
	}
	personal := bun.List(audit.Personal())
	var rows []auditRow
	err := s.reader().NewRaw(half("IN", "own")+" UNION ALL "+half("NOT IN", "merchant")+" ORDER BY id DESC LIMIT ?",
		userID, before, personal, limit, merchantID, before, personal, limit, limit).Scan(ctx, &rows)
	if err != nil {
		return nil, wrapIf(err, "audit log of user %d", userID)
	}
	list := make([]audit.Entry, len(rows))
	for i, r := range rows {
		list[i] = audit.Entry{
			ID: r.ID, UserID: r.UserID, At: r.At.Time, Actor: r.Actor, Action: audit.Action(r.Action),
			Subject: r.Subject, Detail: r.Detail, Address: r.Address,
		}
	}
	return list, nil
}

// SetKeyLabel renames a key of the user, or fails with merchant.ErrUnknownKey.
func (s *Store) SetKeyLabel(ctx context.Context, userID, keyID int64, label string, trail ...audit.Entry) error {
	if err := checkTexts("label", label); err != nil {
		return err
	}
	ok, err := s.actOne(ctx, trail, about{}, "UPDATE api_keys SET label = ? WHERE id = ? AND user_id = ? AND revoked_at IS NULL", label, keyID, userID)
	if err == nil && !ok {
		return merchant.ErrUnknownKey
	}
	return err
}

// RevokeKey ends a key of the user, or fails with merchant.ErrUnknownKey.
func (s *Store) RevokeKey(ctx context.Context, userID, keyID int64, now time.Time, trail ...audit.Entry) error {
	ok, err := s.actOne(ctx, trail, about{}, "UPDATE api_keys SET revoked_at = ? WHERE id = ? AND user_id = ? AND revoked_at IS NULL", db.At(now), keyID, userID)
	if err == nil && !ok {
		return merchant.ErrUnknownKey
	}
	return err
}

// TouchKeys sets when keys were last used, where that is later than what is stored.
func (s *Store) TouchKeys(ctx context.Context, used map[int64]time.Time) error {
	err := s.db.Write(ctx, func(ctx context.Context, t tx) error {
		// In one order for everybody, so that two instances cannot lock each other.
		for _, id := range slices.Sorted(maps.Keys(used)) {
			when := used[id]
			_, err := t.NewRaw("UPDATE api_keys SET last_used_at = ? WHERE id = ? AND (last_used_at IS NULL OR last_used_at < ?)",
				db.At(when), id, db.At(when)).Exec(ctx)
			if err != nil {
				return err
			}
		}
		return nil
	})
	return wrapIf(err, "note the use of %d keys", len(used))
}
