package store

import (
	"context"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/store/db"
)

// invitedRow is an invitation into a team.
type invitedRow struct {
	ID         int64
	PublicID   string
	Token      []byte
	MerchantID int64
	Email      string
	Role       string
	InvitedBy  string
	CreatedAt  instant
	ExpiresAt  instant
	EndedAt    instant
}

const invitedColumns = "SELECT id, public_id, token, merchant_id, email, role, invited_by, created_at, expires_at, ended_at FROM team_invitations "

func (r invitedRow) invited() merchant.Invited {
	return merchant.Invited{
		ID: r.PublicID, MerchantID: r.MerchantID, Email: r.Email, Role: merchant.Role(r.Role), By: r.InvitedBy,
		CreatedAt: r.CreatedAt.Time, ExpiresAt: r.ExpiresAt.Time,
	}
}

// AddInvited stores an invitation in place of an open one for the same address,
// or fails with merchant.ErrIsMember or merchant.ErrTeamFull.
func (s *Store) AddInvited(ctx context.Context, token identity.Hash, n merchant.Invited, trail ...audit.Entry) error {
	if err := checkTexts("an invitation", n.ID, n.Email, n.By); err != nil {
		return err
	}
	err := s.act(ctx, trail, about{subject: n.Email}, func(ctx context.Context, t tx, _ *about) error {
		if err := lockMerchant(ctx, t, n.MerchantID); err != nil {
			return err
		}
		var members, total int
		err := t.NewRaw("SELECT count(*) FROM memberships AS m JOIN users AS u ON u.id = m.user_id WHERE m.merchant_id = ? AND u.email = ?",
			n.MerchantID, n.Email).Scan(ctx, &members)
		if err != nil || members > 0 {
			return orElse(err, merchant.ErrIsMember)
		}
		if err := endInvited(ctx, t, "merchant_id = ? AND email = ?", n.CreatedAt, n.MerchantID, n.Email); err != nil {
			return err
		}
		err = t.NewRaw("SELECT (SELECT count(*) FROM memberships WHERE merchant_id = ?) + "+
			"(SELECT count(*) FROM team_invitations WHERE merchant_id = ? AND ended_at IS NULL)", n.MerchantID, n.MerchantID).Scan(ctx, &total)
		if err != nil || total >= merchant.MaxTeam {
			return orElse(err, merchant.ErrTeamFull)
		}
		_, err = t.NewRaw("INSERT INTO team_invitations (public_id, token, merchant_id, email, role, invited_by, created_at, expires_at) "+
			"VALUES (?, ?, ?, ?, ?, ?, ?, ?)", n.ID, token[:], n.MerchantID, n.Email, string(n.Role), n.By, db.At(n.CreatedAt), db.At(n.ExpiresAt)).Exec(ctx)
		return err
	})
	return wrapIf(err, "store an invitation into the team of merchant %d", n.MerchantID)
}

func endInvited(ctx context.Context, t tx, where string, now time.Time, args ...any) error {
	_, err := t.NewRaw("UPDATE team_invitations SET ended_at = ? WHERE ended_at IS NULL AND "+where, append([]any{db.At(now)}, args...)...).Exec(ctx)
	return err
}

// Invitations lists the open invitations of the merchant, expired ones
// included, the newest first.
func (s *Store) Invitations(ctx context.Context, merchantID int64) ([]merchant.Invited, error) {
	var rows []invitedRow
	err := s.reader().NewRaw(invitedColumns+"WHERE merchant_id = ? AND ended_at IS NULL ORDER BY created_at DESC, id DESC", merchantID).Scan(ctx, &rows)
	if err != nil {
		return nil, wrapIf(err, "invitations of merchant %d", merchantID)
	}
	list := make([]merchant.Invited, len(rows))
	for i, r := range rows {
		list[i] = r.invited()
	}
	return list, nil
}

// InvitedBy returns the open invitation with the token, which has not expired
// at now, and the merchant it is of; or identity.ErrBadInvitation.
func (s *Store) InvitedBy(ctx context.Context, token identity.Hash, now time.Time) (merchant.Invited, identity.User, error) {
	var rows []invitedRow
	err := s.reader().NewRaw(invitedColumns+"WHERE token = ? AND ended_at IS NULL AND expires_at > ?", token[:], db.At(now)).Scan(ctx, &rows)
	if err != nil || len(rows) == 0 {
		return merchant.Invited{}, identity.User{}, orElse(err, identity.ErrBadInvitation)
	}
	var merchants []userRow
	if err := s.reader().NewSelect().Model(&merchants).Where("id = ?", rows[0].MerchantID).Scan(ctx); err != nil || len(merchants) != 1 {
		return merchant.Invited{}, identity.User{}, orElse(err, identity.ErrBadInvitation)
	}
	return rows[0].invited(), merchants[0].user(), nil
}

// RenewInvited gives an open invitation of the merchant a new token and more
// time, or fails with identity.ErrBadInvitation. The old token is worthless.
func (s *Store) RenewInvited(ctx context.Context, merchantID int64, id string, token identity.Hash, until time.Time, trail ...audit.Entry) (merchant.Invited, error) {
	var rows []invitedRow
	err := s.act(ctx, trail, about{}, func(ctx context.Context, t tx, a *about) error {
		rows = nil
		err := t.NewRaw("UPDATE team_invitations SET token = ?, expires_at = ? WHERE merchant_id = ? AND public_id = ? AND ended_at IS NULL "+
			"RETURNING public_id, merchant_id, email, role, invited_by, created_at, expires_at", token[:], db.At(until), merchantID, id).Scan(ctx, &rows)
		if err != nil || len(rows) == 0 {
			return orElse(err, merchant.ErrUnknownInvited)
		}
		a.subject = rows[0].Email
		return nil
	})
	if err != nil {
		return merchant.Invited{}, wrapIf(err, "renew an invitation of merchant %d", merchantID)
	}
	return rows[0].invited(), nil
}

// RevokeInvited ends an open invitation of the merchant, or fails with
// merchant.ErrUnknownInvited.
func (s *Store) RevokeInvited(ctx context.Context, merchantID int64, id string, now time.Time, trail ...audit.Entry) error {
	err := s.act(ctx, trail, about{}, func(ctx context.Context, t tx, a *about) error {
		var emails []string
		err := t.NewRaw("UPDATE team_invitations SET ended_at = ? WHERE merchant_id = ? AND public_id = ? AND ended_at IS NULL RETURNING email",
			db.At(now), merchantID, id).Scan(ctx, &emails)
		if err != nil || len(emails) == 0 {
			return orElse(err, merchant.ErrUnknownInvited)
		}
		a.subject = emails[0]
		return nil
	})
	return wrapIf(err, "revoke an invitation of merchant %d", merchantID)
}

// JoinTeam uses an invitation for the user's address up and puts the user into
// the team; one without an ID is stored first, without a merchant account of
// their own. It fails with identity.ErrBadInvitation or identity.ErrEmailTaken,
// and changes nothing then.
func (s *Store) JoinTeam(ctx context.Context, token identity.Hash, user identity.User, now time.Time, trail ...audit.Entry) (identity.User, merchant.Invited, error) {
	if err := checkTexts("texts of a user", user.PublicID, user.Email, user.FirstName, user.LastName); err != nil {
		return identity.User{}, merchant.Invited{}, err
	}
	var joined identity.User
	var rows []invitedRow
	err := s.act(ctx, trail, about{actor: user.Email}, func(ctx context.Context, t tx, a *about) error {
		joined, rows = user, nil
		err := t.NewRaw("UPDATE team_invitations SET ended_at = ? WHERE token = ? AND email = ? AND ended_at IS NULL AND expires_at > ? "+
			"RETURNING public_id, merchant_id, email, role, invited_by, created_at, expires_at", db.At(now), token[:], user.Email, db.At(now)).Scan(ctx, &rows)
		if err != nil || len(rows) == 0 {
			return orElse(err, identity.ErrBadInvitation)
		}
		if user.ID == 0 {
			row := rowOfUser(user)
			if err := addUser(ctx, t, &row); err != nil {
				return err
			}
			joined = row.user()
		}
		a.user = joined.ID
		return addMember(ctx, t, rows[0].MerchantID, joined.ID, merchant.Role(rows[0].Role), now)
	})
	if err != nil {
		return identity.User{}, merchant.Invited{}, wrapIf(err, "join a team")
	}
	return joined, rows[0].invited(), nil
}
