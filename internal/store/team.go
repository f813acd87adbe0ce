package store

import (
	"context"
	"fmt"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/store/db"
)

// addMember puts a user into a merchant account.
func addMember(ctx context.Context, t tx, merchantID, userID int64, role merchant.Role, now time.Time) error {
	_, err := t.NewRaw("INSERT INTO memberships (merchant_id, user_id, role, created_at, chosen_at) VALUES (?, ?, ?, ?, ?)",
		merchantID, userID, string(role), db.At(now), db.At(now)).Exec(ctx)
	return err
}

// chosenMerchant is who a new session of the user acts for; 0 for a user who
// belongs to no merchant.
func chosenMerchant(ctx context.Context, t tx, userID int64) (int64, error) {
	var ids []int64
	err := t.NewRaw("SELECT merchant_id FROM memberships WHERE user_id = ? ORDER BY chosen_at DESC, merchant_id LIMIT 1", userID).Scan(ctx, &ids)
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	return ids[0], nil
}

// MembershipBySession returns who acts by the session, for which merchant and in
// which role, or identity.ErrBadSession. The role is empty if the user does not
// belong to the merchant any more.
func (s *Store) MembershipBySession(ctx context.Context, token identity.Hash, now time.Time) (merchant.Membership, error) {
	var rows []struct {
		UserID     int64
		MerchantID int64
		Role       string
	}
	const q = "SELECT s.user_id, coalesce(m.merchant_id, 0) AS merchant_id, coalesce(m.role, '') AS role FROM sessions AS s " +
		"LEFT JOIN memberships AS m ON m.merchant_id = s.merchant_id AND m.user_id = s.user_id " +
		"WHERE s.token = ? AND s.revoked_at IS NULL AND s.expires_at > ?"
	if err := s.reader().NewRaw(q, token[:], db.At(now)).Scan(ctx, &rows); err != nil {
		return merchant.Membership{}, fmt.Errorf("seat by session: %w", err)
	}
	if len(rows) == 0 {
		return merchant.Membership{}, identity.ErrBadSession
	}
	r, users := rows[0], []userRow(nil)
	// Users are never deleted, so what was read above still holds.
	if err := s.reader().NewSelect().Model(&users).Where("id IN (?, ?)", r.UserID, r.MerchantID).Scan(ctx); err != nil {
		return merchant.Membership{}, fmt.Errorf("users of a session: %w", err)
	}
	seat := merchant.Membership{Role: merchant.Role(r.Role)}
	for _, u := range users {
		if u.ID == r.UserID {
			seat.User = u.user()
		}
		if u.ID == r.MerchantID {
			seat.Merchant = u.user()
		}
	}
	if !seat.User.DisabledAt.IsZero() {
		return merchant.Membership{}, identity.ErrBadSession
	}
	return seat, nil
}

// MembershipsOf lists the merchants the user belongs to, their own first.
func (s *Store) MembershipsOf(ctx context.Context, user identity.User) ([]merchant.Membership, error) {
	var rows []struct {
		userRow `bun:",extend"`

		Role string
	}
	err := s.reader().NewRaw("SELECT u.*, m.role FROM memberships AS m JOIN users AS u ON u.id = m.merchant_id "+
		"WHERE m.user_id = ? ORDER BY u.id <> m.user_id, u.email", user.ID).Scan(ctx, &rows)
	if err != nil {
		return nil, wrapIf(err, "merchants of user %d", user.ID)
	}
	seats := make([]merchant.Membership, len(rows))
	for i, r := range rows {
		seats[i] = merchant.Membership{User: user, Merchant: r.user(), Role: merchant.Role(r.Role)}
	}
	return seats, nil
}

// ChooseMerchant makes the session act for the merchant, or fails with
// merchant.ErrNoMerchant if its user does not belong to it.
func (s *Store) ChooseMerchant(ctx context.Context, token identity.Hash, userID, merchantID int64, now time.Time) error {
	err := s.db.Write(ctx, func(ctx context.Context, t tx) error {
		res, err := t.NewRaw("UPDATE memberships SET chosen_at = ? WHERE merchant_id = ? AND user_id = ?", db.At(now), merchantID, userID).Exec(ctx)
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n != 1 {
			return orElse(err, merchant.ErrNoMerchant)
		}
		_, err = t.NewRaw("UPDATE sessions SET merchant_id = ? WHERE token = ? AND user_id = ?", merchantID, token[:], userID).Exec(ctx)
		return err
	})
	return wrapIf(err, "choose merchant %d", merchantID)
}

// Members lists who belongs to the merchant, owners first.
func (s *Store) Members(ctx context.Context, merchantID int64) ([]merchant.Member, error) {
	var rows []struct {
		userRow `bun:",extend"`

		Role  string
		Since instant
	}
	err := s.reader().NewRaw("SELECT u.*, m.role, m.created_at AS since FROM memberships AS m JOIN users AS u ON u.id = m.user_id "+
		"WHERE m.merchant_id = ? ORDER BY m.role <> 'owner', u.email", merchantID).Scan(ctx, &rows)
	if err != nil {
		return nil, wrapIf(err, "members of merchant %d", merchantID)
	}
	list := make([]merchant.Member, len(rows))
	for i, r := range rows {
		list[i] = merchant.Member{User: r.user(), Role: merchant.Role(r.Role), Since: r.Since.Time}
	}
	return list, nil
}

// SetRole gives a member another role, or fails with merchant.ErrUnknownMember
// or merchant.ErrLastOwner.
func (s *Store) SetRole(ctx context.Context, merchantID, userID int64, role merchant.Role, trail ...audit.Entry) error {
	err := s.act(ctx, trail, about{}, func(ctx context.Context, t tx, _ *about) error {
		return changeMember(ctx, t, merchantID, "UPDATE memberships SET role = ? WHERE merchant_id = ? AND user_id = ?", string(role), merchantID, userID)
	})
	return wrapIf(err, "set the role of user %d", userID)
}

// RemoveMember ends a membership, or fails with merchant.ErrUnknownMember or
// merchant.ErrLastOwner. Sessions of the user have no role there from then on.
func (s *Store) RemoveMember(ctx context.Context, merchantID, userID int64, trail ...audit.Entry) error {
	err := s.act(ctx, trail, about{}, func(ctx context.Context, t tx, _ *about) error {
		return changeMember(ctx, t, merchantID, "DELETE FROM memberships WHERE merchant_id = ? AND user_id = ?", merchantID, userID)
	})
	return wrapIf(err, "remove user %d from merchant %d", userID, merchantID)
}

// changeMember changes one membership and refuses to leave no owner. The
// merchant is locked first, or two owners could remove each other at once.
func changeMember(ctx context.Context, t tx, merchantID int64, text string, args ...any) error {
	if err := lockMerchant(ctx, t, merchantID); err != nil {
		return err
	}
	res, err := t.NewRaw(text, args...).Exec(ctx)
	if err != nil {
		return err
	}
	if n, err := res.RowsAffected(); err != nil || n != 1 {
		return orElse(err, merchant.ErrUnknownMember)
	}
	var owners int
	if err := t.NewRaw("SELECT count(*) FROM memberships WHERE merchant_id = ? AND role = 'owner'", merchantID).Scan(ctx, &owners); err != nil {
		return err
	}
	if owners == 0 {
		return merchant.ErrLastOwner
	}
	return nil
}

func lockMerchant(ctx context.Context, t tx, merchantID int64) error {
	var ids []int64
	return t.NewRaw("SELECT id FROM users WHERE id = ?"+t.ForUpdate(), merchantID).Scan(ctx, &ids)
}
