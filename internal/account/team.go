package account

import (
	"context"
	"time"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/secret"
)

// MaxTeam bounds the members and open invitations of a merchant: each
// invitation is a mail to a stranger.
const MaxTeam = 50

// Refusals about a team.
var (
	ErrUnknownMember  = fault.New(fault.NotFound, "there is no such member of this team")
	ErrUnknownInvited = fault.New(fault.NotFound, "there is no such invitation, or it was taken already")
	ErrLastOwner      = fault.New(fault.Conflict, "the last owner has to stay: make somebody else an owner first")
	ErrIsMember       = fault.New(fault.Conflict, "email belongs to a member of this team already")
	ErrTeamFull       = fault.New(fault.Conflict, "a team has at most %d members and open invitations", MaxTeam)
)

// Member is somebody who belongs to a merchant.
type Member struct {
	User  User
	Role  Role
	Since time.Time
}

// Invited is an open invitation into a team. Its token is stored as a hash only.
type Invited struct {
	ID         string // ULID
	MerchantID int64
	Email      string
	Role       Role
	By         string // e-mail address of who invited
	CreatedAt  time.Time
	ExpiresAt  time.Time
}

// Team keeps who belongs to which merchant. Every method is one transaction.
type Team interface {
	// SeatsOf lists the merchants the user belongs to, their own first.
	SeatsOf(ctx context.Context, user User) ([]Seat, error)
	// ChooseMerchant makes the session, and the user's next ones, act for the
	// merchant, or fails with ErrNoMerchant.
	ChooseMerchant(ctx context.Context, token Hash, userID, merchantID int64, now time.Time) error
	// Members lists who belongs to the merchant, owners first.
	Members(ctx context.Context, merchantID int64) ([]Member, error)
	// SetRole and RemoveMember fail with ErrUnknownMember, or with ErrLastOwner
	// where no owner would be left.
	SetRole(ctx context.Context, merchantID, userID int64, role Role) error
	RemoveMember(ctx context.Context, merchantID, userID int64) error

	// AddInvited stores an invitation in place of an open one for the same
	// address, or fails with ErrIsMember or ErrTeamFull.
	AddInvited(ctx context.Context, token Hash, n Invited) error
	// Invitations lists the open ones, expired ones included, the newest first.
	Invitations(ctx context.Context, merchantID int64) ([]Invited, error)
	// InvitedBy returns the open invitation with the token and its merchant, or
	// fails with ErrBadInvitation.
	InvitedBy(ctx context.Context, token Hash, now time.Time) (Invited, User, error)
	// RenewInvited gives an invitation another token; RevokeInvited ends it.
	// Both fail with ErrUnknownInvited.
	RenewInvited(ctx context.Context, merchantID int64, id string, token Hash, until time.Time) (Invited, error)
	RevokeInvited(ctx context.Context, merchantID int64, id string, now time.Time) error
	// JoinTeam uses an invitation for the user's address up and makes the user
	// a member; one without an ID is stored first. It fails with
	// ErrBadInvitation or ErrEmailTaken, and changes nothing then.
	JoinTeam(ctx context.Context, token Hash, user User, now time.Time) (User, Invited, error)
}

// Seats lists the merchants the user can act for.
func (s *Service) Seats(ctx context.Context, user User) ([]Seat, error) {
	return s.opts.Team.SeatsOf(ctx, user)
}

// Choose makes the session act for the merchant with the public id, or fails
// with ErrNoMerchant if the user does not belong to it.
func (s *Service) Choose(ctx context.Context, user User, token secret.Text, merchantID string) error {
	h, ok := sessionToken.hash(token.Reveal())
	if !ok {
		return ErrBadSession
	}
	seats, err := s.opts.Team.SeatsOf(ctx, user)
	if err != nil {
		return err
	}
	for _, seat := range seats {
		if seat.Merchant.PublicID == merchantID {
			return s.opts.Team.ChooseMerchant(ctx, h, user.ID, seat.Merchant.ID, s.now().UTC())
		}
	}
	return ErrNoMerchant
}

// Members lists who belongs to the merchant, owners first.
func (s *Service) Members(ctx context.Context, merchant User) ([]Member, error) {
	return s.opts.Team.Members(ctx, merchant.ID)
}

// Member returns the member with the public id, or ErrUnknownMember.
func (s *Service) Member(ctx context.Context, merchant User, publicID string) (Member, error) {
	members, err := s.opts.Team.Members(ctx, merchant.ID)
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
func (s *Service) SetRole(ctx context.Context, merchant, member User, role Role) error {
	if _, ok := ParseRole(string(role)); !ok {
		return fault.New(fault.Invalid, "role must be owner, developer, support or viewer")
	}
	return s.opts.Team.SetRole(ctx, merchant.ID, member.ID, role)
}

// RemoveMember ends a membership; the next request of the member is refused.
func (s *Service) RemoveMember(ctx context.Context, merchant, member User) error {
	return s.opts.Team.RemoveMember(ctx, merchant.ID, member.ID)
}

// InviteMember invites somebody with the address into the team. The token is
// shown only here.
func (s *Service) InviteMember(ctx context.Context, seat Seat, email string, role Role) (Invited, secret.Text, error) {
	email, err := NormalizeEmail(email)
	if err != nil {
		return Invited{}, secret.Text{}, err
	}
	if _, ok := ParseRole(string(role)); !ok {
		return Invited{}, secret.Text{}, fault.New(fault.Invalid, "role must be owner, developer, support or viewer")
	}
	now := s.now().UTC()
	id, err := s.newID(now)
	if err != nil {
		return Invited{}, secret.Text{}, err
	}
	token, hash, err := teamToken.make(s.opts.Random)
	if err != nil {
		return Invited{}, secret.Text{}, err
	}
	n := Invited{
		ID: id, MerchantID: seat.Merchant.ID, Email: email, Role: role, By: seat.User.Email, CreatedAt: now, ExpiresAt: now.Add(InvitationTTL),
	}
	return n, token, s.opts.Team.AddInvited(ctx, hash, n)
}

// Invitations lists the open invitations, expired ones included.
func (s *Service) Invitations(ctx context.Context, merchant User) ([]Invited, error) {
	return s.opts.Team.Invitations(ctx, merchant.ID)
}

// RenewInvitation makes a new link for an invitation; the old one is
// worthless then. It fails with ErrUnknownInvited.
func (s *Service) RenewInvitation(ctx context.Context, merchant User, id string) (Invited, secret.Text, error) {
	token, hash, err := teamToken.make(s.opts.Random)
	if err != nil {
		return Invited{}, secret.Text{}, err
	}
	n, err := s.opts.Team.RenewInvited(ctx, merchant.ID, id, hash, s.now().UTC().Add(InvitationTTL))
	return n, token, err
}

// RevokeInvitation ends an invitation, or fails with ErrUnknownInvited.
func (s *Service) RevokeInvitation(ctx context.Context, merchant User, id string) error {
	return s.opts.Team.RevokeInvited(ctx, merchant.ID, id, s.now().UTC())
}

// Invitation returns what the token invites to, and the merchant; known tells
// whether the address has an account already. It fails with ErrBadInvitation.
func (s *Service) Invitation(ctx context.Context, token string) (n Invited, merchant User, known bool, err error) {
	hash, ok := teamToken.hash(token)
	if !ok {
		return Invited{}, User{}, false, ErrBadInvitation
	}
	if n, merchant, err = s.opts.Team.InvitedBy(ctx, hash, s.now().UTC()); err != nil {
		return Invited{}, User{}, false, err
	}
	_, err = s.store.UserByEmail(ctx, n.Email)
	if fault.Is(err, fault.NotFound) {
		return n, merchant, false, nil
	}
	return n, merchant, err == nil, err
}

// Join takes an invitation for somebody who is signed in, whose address must be
// the one invited. It fails with ErrBadInvitation.
func (s *Service) Join(ctx context.Context, token string, user User) (Invited, error) {
	hash, ok := teamToken.hash(token)
	if !ok {
		return Invited{}, ErrBadInvitation
	}
	_, n, err := s.opts.Team.JoinTeam(ctx, hash, user, s.now().UTC())
	return n, err
}

// JoinNew makes a user by an invitation into a team, whether signing up is open
// or not: an owner answers for them. The user has no merchant account of their
// own. It fails as CreateUser does, or with ErrBadInvitation.
func (s *Service) JoinNew(ctx context.Context, token string, in NewUser) (User, Invited, error) {
	hash, ok := teamToken.hash(token)
	if !ok {
		return User{}, Invited{}, ErrBadInvitation
	}
	u, err := s.newUserWithPassword(ctx, in)
	if err != nil {
		return User{}, Invited{}, err
	}
	return s.opts.Team.JoinTeam(ctx, hash, u, s.now().UTC())
}
