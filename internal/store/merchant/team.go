package merchant

import (
	"context"
	"fmt"
	"time"

	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/store/db"
)

// MembershipBySession returns who acts by the session, for which merchant and in
// which role, which is empty if the user does not belong to the merchant any more.
func (s *Store) MembershipBySession(
	ctx context.Context, token identity.Hash, now time.Time,
) (merchant.Membership, error) {
	const q = `SELECT s.user_id, s.used_at, s.confirmed_at, coalesce(m.merchant_id, 0) AS merchant_id, coalesce(m.role, '') AS role FROM sessions AS s
		JOIN users AS u ON u.id = s.user_id AND u.disabled_at IS NULL
		LEFT JOIN memberships AS m ON m.merchant_id = s.merchant_id AND m.user_id = s.user_id
		WHERE s.token = ? AND s.revoked_at IS NULL AND s.expires_at > ? AND s.used_at > ?`
	r, err := db.First[struct {
		UserID      int64
		MerchantID  int64
		Role        merchant.Role
		UsedAt      time.Time
		ConfirmedAt time.Time // zero before the first re-authentication
	}](ctx, s.db.Reader(), identity.ErrBadSession, q, token[:], now, now.Add(-identity.SessionIdle))
	if err != nil {
		return merchant.Membership{}, fmt.Errorf("membership by session: %w", err)
	}
	// Users are never deleted, so what was read above still holds.
	users, err := db.All[identity.User](ctx, s.db.Reader(),
		"SELECT * FROM users WHERE id IN (?, ?)", r.UserID, r.MerchantID)
	if err != nil {
		return merchant.Membership{}, fmt.Errorf("users of a session: %w", err)
	}
	m := merchant.Membership{Role: r.Role, ConfirmedAt: r.ConfirmedAt}
	for _, u := range users {
		if u.ID == r.UserID {
			m.User = u
		}
		if u.ID == r.MerchantID {
			m.Merchant = u
		}
	}
	return m, s.touchSession(ctx, token, r.UsedAt, now)
}

// touchSession stores that a session is in use, at most once in
// identity.SessionTouch.
func (s *Store) touchSession(ctx context.Context, token identity.Hash, used, now time.Time) error {
	if now.Before(used.Add(identity.SessionTouch)) {
		return nil
	}
	_, err := db.WriteOne(ctx, s.db, "UPDATE sessions SET used_at = ? WHERE token = ? AND used_at < ?",
		now, token[:], now)
	return err
}

// MembershipsOf lists the merchants the user belongs to, their own first.
func (s *Store) MembershipsOf(ctx context.Context, user identity.User) ([]merchant.Membership, error) {
	rows, err := db.All[merchant.Member](ctx, s.db.Reader(), `SELECT u.*, m.role FROM memberships AS m JOIN users AS u ON u.id = m.merchant_id
		WHERE m.user_id = ? ORDER BY u.id <> m.user_id, u.email`, user.ID)
	list := make([]merchant.Membership, len(rows))
	for i, r := range rows {
		list[i] = merchant.Membership{User: user, Merchant: r.User, Role: r.Role}
	}
	return list, db.Wrap(err, "merchants of user %d", user.ID)
}

// ChooseMerchant makes the session act for the merchant, to whom its user must belong.
func (s *Store) ChooseMerchant(
	ctx context.Context, token identity.Hash, userID, merchantID int64, now time.Time,
) error {
	err := s.db.Write(ctx, func(ctx context.Context, t db.Tx) error {
		if err := db.One(ctx, t, merchant.ErrNoMerchant, "UPDATE memberships SET chosen_at = ? WHERE merchant_id = ? AND user_id = ?", now,
			merchantID, userID); err != nil {
			return err
		}
		_, err := t.NewRaw("UPDATE sessions SET merchant_id = ? WHERE token = ? AND user_id = ?", merchantID, token[:],
			userID).Exec(ctx)
		return err
	})
	return db.Wrap(err, "choose merchant %d", merchantID)
}
