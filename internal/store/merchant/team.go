package merchant

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/store/table"
)

// MembershipBySession returns who acts by the session, for which merchant and in
// which role, or identity.ErrBadSession. The role is empty if the user does not
// belong to the merchant any more.
func (s *Store) MembershipBySession(
	ctx context.Context, token identity.Hash, now time.Time,
) (merchant.Membership, error) {
	const q = "SELECT s.user_id, s.used_at, s.confirmed_at, coalesce(m.merchant_id, 0) AS merchant_id, coalesce(m.role, '') AS role FROM sessions AS s " +
		"LEFT JOIN memberships AS m ON m.merchant_id = s.merchant_id AND m.user_id = s.user_id " +
		"WHERE s.token = ? AND s.revoked_at IS NULL AND s.expires_at > ? AND s.used_at > ?"
	r, err := db.First[struct {
		UserID      int64
		MerchantID  int64
		Role        merchant.Role
		UsedAt      time.Time
		ConfirmedAt time.Time // zero before the first re-authentication
	}](ctx, s.db.Reader(), identity.ErrBadSession, q, token[:], now, now.Add(-identity.SessionIdle))
	if errors.Is(err, identity.ErrBadSession) {
		return merchant.Membership{}, err
	}
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
	if !m.User.DisabledAt.IsZero() {
		return merchant.Membership{}, identity.ErrBadSession
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
	rows, err := db.All[memberRow](ctx, s.db.Reader(), "SELECT u.*, m.role FROM memberships AS m JOIN users AS u ON u.id = m.merchant_id "+
		"WHERE m.user_id = ? ORDER BY u.id <> m.user_id, u.email", user.ID)
	list := make([]merchant.Membership, len(rows))
	for i, r := range rows {
		list[i] = merchant.Membership{User: user, Merchant: r.User, Role: r.Role}
	}
	return list, db.Wrap(err, "merchants of user %d", user.ID)
}

// memberRow is a user with what a membership says.
type memberRow struct {
	identity.User

	Role  merchant.Role
	Since time.Time
}

// ChooseMerchant makes the session act for the merchant, or fails with
// merchant.ErrNoMerchant if its user does not belong to it.
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

// Members lists who belongs to the merchant, owners first.
func (s *Store) Members(ctx context.Context, merchantID int64) ([]merchant.Member, error) {
	rows, err := db.All[memberRow](ctx, s.db.Reader(), "SELECT u.*, m.role, m.created_at AS since FROM memberships AS m "+
		"JOIN users AS u ON u.id = m.user_id WHERE m.merchant_id = ? ORDER BY m.role <> 'owner', u.email", merchantID)
	list := make([]merchant.Member, len(rows))
	for i, r := range rows {
		list[i] = merchant.Member{User: r.User, Role: r.Role, Since: r.Since}
	}
	return list, db.Wrap(err, "members of merchant %d", merchantID)
}

// SetRole gives a member another role, or fails with merchant.ErrUnknownMember
// or merchant.ErrLastOwner.
func (s *Store) SetRole(ctx context.Context, merchantID, userID int64, role merchant.Role, r audit.Record) error {
	err := table.WriteAudited(ctx, s.db, s.sealer, r, func(ctx context.Context, t db.Tx, _ *table.AuditFields) error {
		return s.changeMember(ctx, t, r.At(), merchantID, "UPDATE memberships SET role = ? WHERE merchant_id = ? AND user_id = ?",
			string(role), merchantID, userID)
	})
	return db.Wrap(err, "set the role of user %d", userID)
}

// RemoveMember ends a membership, or fails with merchant.ErrUnknownMember or
// merchant.ErrLastOwner. Sessions of the user have no role there from then on.
func (s *Store) RemoveMember(ctx context.Context, merchantID, userID int64, r audit.Record) error {
	err := table.WriteAudited(ctx, s.db, s.sealer, r, func(ctx context.Context, t db.Tx, _ *table.AuditFields) error {
		return s.changeMember(ctx, t, r.At(), merchantID, "DELETE FROM memberships WHERE merchant_id = ? AND user_id = ?", merchantID,
			userID)
	})
	return db.Wrap(err, "remove user %d from merchant %d", userID, merchantID)
}

// changeMember changes one membership and refuses to leave no owner. What those who are no owners any more have asked
// for, and whom they have invited, ends with it. The merchant is locked first, or two owners could remove each other at
// once.
func (s *Store) changeMember(
	ctx context.Context, t db.Tx, now time.Time, merchantID int64, text string, args ...any,
) error {
	if err := table.LockUser(ctx, t, merchantID); err != nil {
		return err
	}
	if err := db.One(ctx, t, merchant.ErrUnknownMember, text, args...); err != nil {
		return err
	}
	owners, err := db.First[int](ctx, t, nil, "SELECT count(*) FROM memberships WHERE merchant_id = ? AND role = 'owner'", merchantID)
	if err == nil {
		err = merchant.KeepsOwner(owners)
	}
	if err != nil {
		return err
	}
	const asOwner = "(SELECT m.user_id FROM memberships AS m WHERE m.merchant_id = ? AND m.role = 'owner')"
	err = endInvited(ctx, t, "merchant_id = ? AND invited_by NOT IN (SELECT u.email FROM users AS u WHERE u.id IN "+
		asOwner+")", now, merchantID, merchantID)
	if err != nil {
		return err
	}
	return table.StopChanges(ctx, t, s.sealer, now, "who asked for it is no owner any more",
		"merchant_id = ? AND author_id NOT IN "+asOwner, merchantID, merchantID)
}

// stands is the condition that who invited somebody is an owner still.
const stands = " AND EXISTS (SELECT 1 FROM memberships AS m JOIN users AS u ON u.id = m.user_id " +
	"WHERE m.merchant_id = team_invitations.merchant_id AND m.role = 'owner' AND u.email = team_invitations.invited_by " +
	"AND u.disabled_at IS NULL)"

// Invitations into teams.
var _ = db.NewTable[merchant.Invited]("team_invitations", `
	read: public_id=ID merchant_id email role invited_by=By created_at expires_at`)

const selectInvited = "SELECT * FROM team_invitations "

// AddInvited stores an invitation in place of an open one for the same address,
// or fails with merchant.ErrIsMember or merchant.ErrTeamFull.
func (s *Store) AddInvited(ctx context.Context, token identity.Hash, n merchant.Invited, r audit.Record) error {
	if err := db.CheckTexts("an invitation", n.ID, n.Email, n.By); err != nil {
		return err
	}
	err := table.WriteAudited(ctx, s.db, s.sealer, r, func(ctx context.Context, t db.Tx, a *table.AuditFields) error {
		*a = table.AuditFields{Subject: n.Email}
		if err := table.LockUser(ctx, t, n.MerchantID); err != nil {
			return err
		}
		err := endInvited(ctx, t, "merchant_id = ? AND email = ?", n.CreatedAt, n.MerchantID, n.Email)
		if err != nil {
			return err
		}
		team, err := db.First[struct {
			Member bool
			Total  int
		}](ctx, t, nil, `SELECT EXISTS (SELECT 1 FROM memberships AS m JOIN users AS u ON u.id = m.user_id
			WHERE m.merchant_id = ?0 AND u.email = ?1) AS member, (SELECT count(*) FROM memberships WHERE merchant_id = ?0) +
			(SELECT count(*) FROM team_invitations WHERE merchant_id = ?0 AND ended_at IS NULL) AS total`, n.MerchantID, n.Email)
		if err == nil {
			err = merchant.MayInvite(team.Member, team.Total)
		}
		if err != nil {
			return err
		}
		_, err = t.NewRaw("INSERT INTO team_invitations (public_id, token, merchant_id, email, role, invited_by, created_at, expires_at) "+
			"VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
			n.ID, token[:], n.MerchantID, n.Email, string(n.Role), n.By, n.CreatedAt, n.ExpiresAt).Exec(ctx)
		return err
	})
	return db.Wrap(err, "store an invitation into the team of merchant %d", n.MerchantID)
}

func endInvited(ctx context.Context, t db.Tx, where string, now time.Time, args ...any) error {
	_, err := t.NewRaw("UPDATE team_invitations SET ended_at = ? WHERE ended_at IS NULL AND "+where,
		append([]any{now}, args...)...).Exec(ctx)
	return err
}

// Invitations lists the open invitations of the merchant, expired ones
// included, the newest first.
func (s *Store) Invitations(ctx context.Context, merchantID int64) ([]merchant.Invited, error) {
	list, err := db.All[merchant.Invited](ctx, s.db.Reader(),
		selectInvited+"WHERE merchant_id = ? AND ended_at IS NULL ORDER BY created_at DESC, id DESC", merchantID)
	return list, db.Wrap(err, "invitations of merchant %d", merchantID)
}

// InvitedBy returns the open invitation with the token, which has not expired
// at now, and the merchant it is of; or identity.ErrBadInvitation.
func (s *Store) InvitedBy(
	ctx context.Context, token identity.Hash, now time.Time,
) (merchant.Invited, identity.User, error) {
	n, err := db.First[merchant.Invited](ctx, s.db.Reader(), identity.ErrBadInvitation,
		selectInvited+"WHERE token = ? AND ended_at IS NULL AND expires_at > ?"+stands, token[:], now)
	if err != nil {
		return merchant.Invited{}, identity.User{}, err
	}
	of, err := db.First[identity.User](ctx, s.db.Reader(), identity.ErrBadInvitation,
		"SELECT * FROM users WHERE id = ?", n.MerchantID)
	if err != nil {
		return merchant.Invited{}, identity.User{}, err
	}
	return n, of, nil
}

// RenewInvited gives an open invitation of the merchant a new token and more
// time, in the name of who does so, or fails with identity.ErrBadInvitation. The old token is worthless.
func (s *Store) RenewInvited(
	ctx context.Context, merchantID int64, id string, token identity.Hash, by string, until time.Time, r audit.Record,
) (n merchant.Invited, err error) {
	err = table.WriteAudited(ctx, s.db, s.sealer, r, func(ctx context.Context, t db.Tx, a *table.AuditFields) error {
		n, err = db.First[merchant.Invited](ctx, t, merchant.ErrUnknownInvited, "UPDATE team_invitations SET token = ?, invited_by = ?, "+
			"expires_at = ? WHERE merchant_id = ? AND public_id = ? AND ended_at IS NULL RETURNING *", token[:], by, until, merchantID, id)
		a.Subject = n.Email
		return err
	})
	if err != nil {
		return merchant.Invited{}, db.Wrap(err, "renew an invitation of merchant %d", merchantID)
	}
	return n, nil
}

// RevokeInvited ends an open invitation of the merchant, or fails with
// merchant.ErrUnknownInvited.
func (s *Store) RevokeInvited(
	ctx context.Context, merchantID int64, id string, now time.Time, r audit.Record,
) error {
	err := table.WriteAudited(ctx, s.db, s.sealer, r, func(ctx context.Context, t db.Tx, a *table.AuditFields) error {
		var err error
		a.Subject, err = db.First[string](ctx, t, merchant.ErrUnknownInvited, "UPDATE team_invitations SET ended_at = ? "+
			"WHERE merchant_id = ? AND public_id = ? AND ended_at IS NULL RETURNING email", now, merchantID, id)
		return err
	})
	return db.Wrap(err, "revoke an invitation of merchant %d", merchantID)
}

// JoinTeam uses an invitation for the user's address up and puts the user into
// the team; one without an ID is stored first, without a merchant account of
// their own. It fails with identity.ErrBadInvitation or identity.ErrEmailTaken,
// and changes nothing then.
func (s *Store) JoinTeam(
	ctx context.Context, token identity.Hash, user identity.User, now time.Time, r audit.Record,
) (identity.User, merchant.Invited, error) {
	if err := db.CheckTexts("texts of a user", user.PublicID, user.Email, user.FirstName, user.LastName); err != nil {
		return identity.User{}, merchant.Invited{}, err
	}
	var joined identity.User
	var invited merchant.Invited
	err := table.WriteAudited(ctx, s.db, s.sealer, r, func(ctx context.Context, t db.Tx, a *table.AuditFields) error {
		*a = table.AuditFields{Actor: user.Email}
		joined = user
		var err error
		invited, err = db.First[merchant.Invited](ctx, t, identity.ErrBadInvitation, "UPDATE team_invitations SET ended_at = ? "+
			"WHERE token = ? AND email = ? AND ended_at IS NULL AND expires_at > ?"+stands+" RETURNING *", now, token[:], user.Email, now)
		if err != nil {
			return err
		}
		if joined.ID == 0 {
			if err := table.InsertUser(ctx, t, &joined); err != nil {
				return err
			}
		}
		a.User = joined.ID
		return table.InsertMember(ctx, t, invited.MerchantID, joined.ID, invited.Role, now)
	})
	if err != nil {
		return identity.User{}, merchant.Invited{}, db.Wrap(err, "join a team")
	}
	return joined, invited, nil
}
