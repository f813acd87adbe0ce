package merchant

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/mail"
	"github.com/florinpay/florin/internal/secret"
)

// MaxTeam bounds the members and open invitations of a merchant, because each
// invitation is a mail to a stranger.
const MaxTeam = 50

// Refusals about a team.
var (
	ErrUnknownMember  = fault.New(fault.NotFound, "there is no such member of this team")
	ErrUnknownInvited = fault.New(fault.NotFound, "there is no such invitation, or it was taken already")
	ErrLastOwner      = fault.New(fault.Conflict, "the last owner has to stay: make another member an owner first")
	ErrIsMember       = fault.About(fault.Conflict, "email", "belongs to a member of this team already")
	ErrTeamFull       = fault.New(fault.Conflict, "a team has at most %d members and open invitations", MaxTeam)
)

// Member is a user who belongs to a merchant.
type Member struct {
	User  identity.User
	Role  Role
	Since time.Time
}

// MayInvite fails with ErrIsMember, or with ErrTeamFull for a team of so many members and open invitations.
func MayInvite(isMember bool, team int) error {
	switch {
	case isMember:
		return ErrIsMember
	case team >= MaxTeam:
		return ErrTeamFull
	}
	return nil
}

// KeepsOwner fails with ErrLastOwner for a team that a change leaves with so many owners.
func KeepsOwner(owners int) error {
	if owners == 0 {
		return ErrLastOwner
	}
	return nil
}

// Invited is an open invitation into a team. Its token is stored as a hash only.
type Invited struct {
	ID         string // ULID
	MerchantID int64
	Email      string
	Role       Role
	By         string // e-mail address of the inviting member
	CreatedAt  time.Time
	ExpiresAt  time.Time
}

// Memberships lists the merchants the user can act for.
func (s *Service) Memberships(ctx context.Context, user identity.User) ([]Membership, error) {
	return s.store.MembershipsOf(ctx, user)
}

// Choose makes the session act for the merchant with the public id, or fails
// with ErrNoMerchant if the user does not belong to it.
func (s *Service) Choose(ctx context.Context, user identity.User, token secret.Text, merchantID string) error {
	h, ok := identity.SessionToken.Hash(token.Reveal())
	if !ok {
		return identity.ErrBadSession
	}
	seats, err := s.store.MembershipsOf(ctx, user)
	if err != nil {
		return err
	}
	for _, seat := range seats {
		if seat.Merchant.PublicID == merchantID {
			return s.store.ChooseMerchant(ctx, h, user.ID, seat.Merchant.ID, s.now().UTC())
		}
	}
	return ErrNoMerchant
}

// Members lists the members of the merchant, owners first.
func (s *Service) Members(ctx context.Context, merchant identity.User) ([]Member, error) {
	return s.store.Members(ctx, merchant.ID)
}

// Member returns the member with the public id, or ErrUnknownMember.
func (s *Service) Member(ctx context.Context, merchant identity.User, publicID string) (Member, error) {
	members, err := s.store.Members(ctx, merchant.ID)
	if err != nil {
		return Member{}, err
	}
	for _, m := range members {
		if m.User.PublicID == publicID {
			return m, nil
		}
	}
	return Member{}, ErrUnknownMember
}

// SetRole gives a member another role from the next request on.
func (s *Service) SetRole(ctx context.Context, merchant identity.User, m Member, role Role, act audit.Act) error {
	if _, ok := ParseRole(string(role)); !ok {
		return fault.About(fault.Invalid, "role", "must be owner, developer, support or viewer")
	}
	return s.store.SetRole(ctx, merchant.ID, m.User.ID, role,
		act.Record(merchant.ID, audit.ActionTeamRole, m.User.Email,
			string(m.Role)+" → "+string(role), s.opts.Mail.Owners(act.At, merchant.ID, "A role in your team was changed",
				act.Who+" made "+m.User.Email+" "+role.Noun()+" of your Florin merchant account; before that it was "+
					m.Role.Noun()+".")...))
}

// RemoveMember ends a membership; the next request of the member is refused.
func (s *Service) RemoveMember(ctx context.Context, merchant identity.User, m Member, act audit.Act) error {
	return s.store.RemoveMember(ctx, merchant.ID, m.User.ID,
		act.Record(merchant.ID, audit.ActionTeamRemove, m.User.Email,
			"was "+string(m.Role), s.opts.Mail.Owners(act.At, merchant.ID, "A member was removed from your team",
				act.Who+" removed "+m.User.Email+" from your Florin merchant account.")...))
}

// Leave ends a membership of the user who acts.
func (s *Service) Leave(ctx context.Context, m Membership, act audit.Act) error {
	if m.Role == "" {
		return ErrNoMerchant
	}
	return s.store.RemoveMember(ctx, m.Merchant.ID, m.User.ID, act.Record(m.Merchant.ID, audit.ActionTeamLeave, "", ""))
}

// InviteMember invites the holder of the address into the team by a link that is mailed there. Where no mail is sent,
// the caller shows it: the token is returned only here.
func (s *Service) InviteMember(
	ctx context.Context, by Membership, email string, role Role, act audit.Act,
) (Invited, secret.Text, error) {
	email, err := identity.NormalizeEmail(email)
	if err != nil {
		return Invited{}, secret.Text{}, err
	}
	if _, ok := ParseRole(string(role)); !ok {
		return Invited{}, secret.Text{}, fault.About(fault.Invalid, "role",
			"must be owner, developer, support or viewer")
	}
	if role == RoleOwner {
		if locked, err := s.store.Locked(ctx, by.Merchant.ID); err != nil || locked {
			return Invited{}, secret.Text{}, cmp.Or[error](err, ErrOwnerLater)
		}
	}
	now := s.now().UTC()
	id, err := s.newID(now)
	if err != nil {
		return Invited{}, secret.Text{}, err
	}
	token, hash, err := identity.TeamToken.New(s.opts.Random)
	if err != nil {
		return Invited{}, secret.Text{}, err
	}
	n := Invited{
		ID: id, MerchantID: by.Merchant.ID, Email: email, Role: role, By: by.User.Email,
		CreatedAt: now, ExpiresAt: now.Add(identity.InvitationTTL),
	}
	subject, rights := "A new member was invited", "as "+string(role)+"."
	if role == RoleOwner {
		subject, rights = "A new owner was invited", "as an owner, who may change where your money goes."
	}
	mails := append(s.invitation(act, n, token), s.opts.Mail.Owners(
		act.At, by.Merchant.ID, subject, act.Who+" invited "+n.Email+" to your Florin merchant account "+rights)...)
	return n, token, s.store.AddInvited(ctx, hash, n,
		act.Record(by.Merchant.ID, audit.ActionTeamInvite, "", "as "+string(role), mails...))
}

// invitation mails the link of an invitation.
func (s *Service) invitation(act audit.Act, n Invited, token secret.Text) []mail.Mail {
	return s.opts.Mail.Asked(act.At, n.Email, "You are invited to a team in Florin", act.Who+
		" invites you to their merchant account as "+string(n.Role)+".\n\n"+"Join within seven days:\n"+
		s.opts.Mail.Link("/join?token="+token.Reveal())+"\n\nIf you do not know them, do nothing.")
}

// joined mails the owners that an invitation was taken.
func (s *Service) joined(act audit.Act, n Invited) []mail.Mail {
	return s.opts.Mail.Owners(act.At, n.MerchantID, "Your team has a new member",
		n.Email+", whom "+n.By+" had invited, belongs to your Florin merchant account now, as "+string(n.Role)+".")
}

// Invitations lists the open invitations, expired ones included.
func (s *Service) Invitations(ctx context.Context, merchant identity.User) ([]Invited, error) {
	return s.store.Invitations(ctx, merchant.ID)
}

// RenewInvitation mails a new link for an invitation; the old link stops
// working. It fails with ErrUnknownInvited.
func (s *Service) RenewInvitation(
	ctx context.Context, merchant identity.User, id string, act audit.Act,
) (Invited, secret.Text, error) {
	token, hash, err := identity.TeamToken.New(s.opts.Random)
	if err != nil {
		return Invited{}, secret.Text{}, err
	}
	open, err := s.store.Invitations(ctx, merchant.ID)
	if err != nil {
		return Invited{}, secret.Text{}, err
	}
	at := slices.IndexFunc(open, func(n Invited) bool { return n.ID == id })
	if at < 0 {
		return Invited{}, secret.Text{}, ErrUnknownInvited
	}
	n, err := s.store.RenewInvited(ctx, merchant.ID, id, hash, act.Who, s.now().UTC().Add(identity.InvitationTTL),
		act.Record(merchant.ID, audit.ActionTeamInvite, "", "a new link", s.invitation(act, open[at], token)...))
	return n, token, err
}

// RevokeInvitation ends an invitation, or fails with ErrUnknownInvited.
func (s *Service) RevokeInvitation(ctx context.Context, merchant identity.User, id string, act audit.Act) error {
	return s.store.RevokeInvited(ctx, merchant.ID, id, s.now().UTC(),
		act.Record(merchant.ID, audit.ActionTeamRevoke, "", ""))
}

// Invitation returns the invitation of the token and its merchant; known reports
// whether the address already has an account. It fails with identity.ErrBadInvitation.
func (s *Service) Invitation(
	ctx context.Context, token string,
) (n Invited, merchant identity.User, known bool, err error) {
	hash, ok := identity.TeamToken.Hash(token)
	if !ok {
		return Invited{}, identity.User{}, false, identity.ErrBadInvitation
	}
	if n, merchant, err = s.store.InvitedBy(ctx, hash, s.now().UTC()); err != nil {
		return Invited{}, identity.User{}, false, err
	}
	_, err = s.users.UserByEmail(ctx, n.Email)
	if fault.Is(err, fault.NotFound) {
		return n, merchant, false, nil
	}
	return n, merchant, err == nil, err
}

// Join accepts an invitation for a signed-in user, whose address must be the one
// invited. It fails with identity.ErrBadInvitation or identity.ErrUnverified.
func (s *Service) Join(ctx context.Context, token string, user identity.User, act audit.Act) (Invited, error) {
	hash, ok := identity.TeamToken.Hash(token)
	if !ok {
		return Invited{}, identity.ErrBadInvitation
	}
	if err := s.users.RequireVerified(user); err != nil {
		return Invited{}, err
	}
	n, merchant, err := s.store.InvitedBy(ctx, hash, s.now().UTC())
	if err != nil {
		return Invited{}, err
	}
	_, n, err = s.store.JoinTeam(ctx, hash, user, s.now().UTC(),
		act.Record(merchant.ID, audit.ActionTeamJoin, "", "as "+string(n.Role), s.joined(act, n)...))
	return n, err
}

// JoinNew creates a user by an invitation into a team, even where sign-up is closed:
// an owner invited them. The user gets no merchant account of their own. It fails as
// CreateUser does, or with identity.ErrBadInvitation.
func (s *Service) JoinNew(
	ctx context.Context, token string, in identity.NewUser, act audit.Act,
) (identity.User, Invited, error) {
	hash, ok := identity.TeamToken.Hash(token)
	if !ok {
		return identity.User{}, Invited{}, identity.ErrBadInvitation
	}
	n, merchant, err := s.store.InvitedBy(ctx, hash, s.now().UTC())
	if err != nil {
		return identity.User{}, Invited{}, err
	}
	in.Team = n.MerchantID
	in.Verified = s.users.VerifiesEmail() // by the mail that the invitation came with
	u, err := s.users.Prepare(ctx, in)
	if err != nil {
		return identity.User{}, Invited{}, err
	}
	r := act.Record(0, audit.ActionSignUp, "", "", s.joined(act, n)...)
	r.Entries = append(r.Entries, act.Record(merchant.ID, audit.ActionTeamJoin, "", "as "+string(n.Role)).Entries...)
	return s.store.JoinTeam(ctx, hash, u, s.now().UTC(), r)
}
