package merchant

import (
	"cmp"
	"context"
	"maps"
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
	identity.User

	MerchantID int64
	Role       Role
	Since      time.Time
	News       News
}

// Invited is an invitation into a team. Its token is stored as a hash only.
type Invited struct {
	ID         string // ULID
	Token      identity.Hash
	MerchantID int64
	Email      string
	Role       Role
	By         string // e-mail address of the inviting member
	CreatedAt  time.Time
	ExpiresAt  time.Time
	EndedAt    time.Time // zero while it is open
}

// Invite invites somebody in place of an open invitation for the same address, or fails with ErrIsMember or
// ErrTeamFull.
func (a Account) Invite(n Invited, r audit.Record) (Change, error) {
	a.Invited = slices.Clone(a.Invited)
	team := len(a.Members)
	for i, other := range a.Invited {
		if other.Email == n.Email {
			a.Invited[i].EndedAt = n.CreatedAt
		} else {
			team++
		}
	}
	switch {
	case slices.ContainsFunc(a.Members, func(m Member) bool { return m.Email == n.Email }):
		return Change{}, ErrIsMember
	case team >= MaxTeam:
		return Change{}, ErrTeamFull
	}
	a.Invited = append(a.Invited, n)
	return Change{Account: a, Record: r}, nil
}

// ChangeInvited changes an open invitation, and fails with ErrUnknownInvited.
func (a Account) ChangeInvited(id string, change func(*Invited) audit.Record) (Change, error) {
	at := slices.IndexFunc(a.Invited, func(n Invited) bool { return n.ID == id })
	if at < 0 {
		return Change{}, ErrUnknownInvited
	}
	a.Invited = slices.Clone(a.Invited)
	r := change(&a.Invited[at])
	return Change{Account: a, Record: r}, nil
}

// InvitedBy returns the invitation of a token that has not expired and whose inviter is an owner still, or fails with
// identity.ErrBadInvitation.
func (a Account) InvitedBy(token identity.Hash, now time.Time) (Invited, error) {
	for _, n := range a.Invited {
		if n.Token == token && n.ExpiresAt.After(now) && a.EnabledOwner(n.By) {
			return n, nil
		}
	}
	return Invited{}, identity.ErrBadInvitation
}

// Join uses the invitation of a token for the user's address up and makes the user a member. One without an ID is
// stored first, without a merchant account of their own. It fails with identity.ErrBadInvitation.
func (a Account) Join(token identity.Hash, u identity.User, now time.Time, r audit.Record) (Change, error) {
	n, err := a.InvitedBy(token, now)
	if err != nil || n.Email != u.Email {
		return Change{}, identity.ErrBadInvitation
	}
	a.Members = append(slices.Clone(a.Members), Member{User: u, MerchantID: a.ID, Role: n.Role, Since: now})
	return a.ChangeInvited(n.ID, func(n *Invited) audit.Record { n.EndedAt = now; return r })
}

// SetRole gives a member another role, or none. What those who are no owners any more have asked for, and whom they
// have invited, ends with it. It fails with ErrUnknownMember or ErrLastOwner.
func (a Account) SetRole(user int64, role Role, now time.Time, r audit.Record) (Change, error) {
	at := slices.IndexFunc(a.Members, func(m Member) bool { return m.ID == user })
	if at < 0 {
		return Change{}, ErrUnknownMember
	}
	a.Members = slices.Clone(a.Members)
	if a.Members[at].Role = role; role == "" {
		a.Members = slices.Delete(a.Members, at, at+1)
	}
	owners := make(map[int64]string)
	for _, m := range a.Members {
		if m.Role == RoleOwner {
			owners[m.ID] = m.Email
		}
	}
	if len(owners) == 0 {
		return Change{}, ErrLastOwner
	}
	a.Invited, a.Waiting = slices.Clone(a.Invited), slices.Clone(a.Waiting)
	for i, n := range a.Invited {
		if !slices.Contains(slices.Collect(maps.Values(owners)), n.By) {
			a.Invited[i].EndedAt = now
		}
	}
	for i, w := range a.Waiting {
		if owners[w.AuthorID] == "" && w.State == StateWaiting {
			a.Waiting[i].State, a.Waiting[i].EndedAt = StateStopped, now
			r = r.With(w.Stopped(now, "who asked for it is no owner any more"))
		}
	}
	return Change{Account: a, Record: r}, nil
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
	list, err := s.store.MembershipsOf(ctx, user)
	if err != nil {
		return err
	}
	for _, m := range list {
		if m.Merchant.PublicID == merchantID {
			return s.store.ChooseMerchant(ctx, h, user.ID, m.Merchant.ID, s.now().UTC())
		}
	}
	return ErrNoMerchant
}

// Members lists the members of the merchant, owners first.
func (s *Service) Members(ctx context.Context, merchant identity.User) ([]Member, error) {
	a, err := s.store.Account(ctx, By{ID: merchant.ID})
	return a.Members, err
}

// Member returns the member with the public id, or ErrUnknownMember.
func (s *Service) Member(ctx context.Context, merchant identity.User, publicID string) (Member, error) {
	members, err := s.Members(ctx, merchant)
	if err != nil {
		return Member{}, err
	}
	for _, m := range members {
		if m.PublicID == publicID {
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
	return s.setRole(ctx, merchant.ID, m.ID, role, act.Record(merchant.ID, audit.ActionTeamRole, m.Email,
		mail.T("{{.Before}} → {{.After}}", "Before", mail.English(m.Role), "After", mail.English(role)).Kept(),
		s.opts.Mail.Owners(act.At, merchant.ID, mail.T("A role in your team was changed"),
			mail.T("{{.Who}} changed the role of {{.Member}} in your Florin merchant account from {{.Before}} to {{.Role}}.",
				"Who", act.Who, "Member", m.Email, "Before", mail.English(m.Role), "Role", mail.English(role)))...))
}

func (s *Service) setRole(ctx context.Context, merchant, user int64, role Role, r audit.Record) error {
	return s.update(ctx, merchant, func(a Account) (Change, error) {
		return a.SetRole(user, role, s.now().UTC(), r)
	})
}

// update changes an account.
func (s *Service) update(ctx context.Context, merchant int64, decide func(Account) (Change, error)) error {
	_, err := s.store.UpdateAccount(ctx, merchant, 0, decide)
	return err
}

// RemoveMember ends a membership; the next request of the member is refused.
func (s *Service) RemoveMember(ctx context.Context, merchant identity.User, m Member, act audit.Act) error {
	return s.setRole(ctx, merchant.ID, m.ID, "", act.Record(merchant.ID, audit.ActionTeamRemove, m.Email,
		mail.T("was {{.Role}}", "Role", mail.English(m.Role)).Kept(),
		s.opts.Mail.Owners(act.At, merchant.ID, mail.T("A member was removed from your team"),
			mail.T("{{.Who}} removed {{.Member}} from your Florin merchant account.",
				"Who", act.Who, "Member", m.Email))...))
}

// Leave ends a membership of the user who acts.
func (s *Service) Leave(ctx context.Context, m Membership, act audit.Act) error {
	if m.Role == "" {
		return ErrNoMerchant
	}
	return s.setRole(ctx, m.Merchant.ID, m.User.ID, "", act.Record(m.Merchant.ID, audit.ActionTeamLeave, "", ""))
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
	token, hash := identity.TeamToken.New(s.opts.Random)
	n := Invited{
		ID: s.newID(now), Token: hash, MerchantID: by.Merchant.ID, Email: email, Role: role, By: by.User.Email,
		CreatedAt: now, ExpiresAt: now.Add(identity.InvitationTTL),
	}
	subject := mail.T("A new member was invited")
	text := mail.T("{{.Who}} invited {{.Member}} to your Florin merchant account as {{.Role}}.",
		"Who", act.Who, "Member", n.Email, "Role", mail.English(role))
	if role == RoleOwner {
		subject = mail.T("A new owner was invited")
		text = mail.T("{{.Who}} invited {{.Member}} to your Florin merchant account as an owner, who may change where your "+
			"money goes.", "Who", act.Who, "Member", n.Email)
	}
	mails := append(s.invitation(act, n, token, by.User.Language),
		s.opts.Mail.Owners(act.At, by.Merchant.ID, subject, text)...)
	r := act.Record(by.Merchant.ID, audit.ActionTeamInvite, n.Email, asRole(role), mails...)
	return n, token, s.update(ctx, by.Merchant.ID, func(a Account) (Change, error) { return a.Invite(n, r) })
}

// invitation mails the link of an invitation.
func (s *Service) invitation(act audit.Act, n Invited, token secret.Text, lang string) []mail.Mail {
	return mail.In(lang, s.opts.Mail.Asked(act.At, n.Email, mail.T("You are invited to a team in Florin"),
		mail.T("{{.Who}} invites you to their merchant account as {{.Role}}.",
			"Who", act.Who, "Role", mail.English(n.Role)),
		mail.T("Join within seven days:").Then(s.opts.Mail.Link("/join?token="+token.Reveal())),
		mail.T("If you do not know them, do nothing.")))
}

// joined mails the owners that an invitation was taken.
func (s *Service) joined(act audit.Act, n Invited) []mail.Mail {
	return s.opts.Mail.Owners(act.At, n.MerchantID, mail.T("Your team has a new member"),
		mail.T("{{.Member}}, whom {{.By}} had invited, belongs to your Florin merchant account now, as {{.Role}}.",
			"Member", n.Email, "By", n.By, "Role", mail.English(n.Role)))
}

// Invitations lists the open invitations, expired ones included.
func (s *Service) Invitations(ctx context.Context, merchant identity.User) ([]Invited, error) {
	a, err := s.store.Account(ctx, By{ID: merchant.ID})
	return a.Invited, err
}

// RenewInvitation mails a new link for an invitation; the old link stops
// working. It fails with ErrUnknownInvited.
func (s *Service) RenewInvitation(
	ctx context.Context, merchant identity.User, id string, act audit.Act,
) (n Invited, token secret.Text, err error) {
	token, hash := identity.TeamToken.New(s.opts.Random)
	err = s.update(ctx, merchant.ID, func(a Account) (Change, error) {
		return a.ChangeInvited(id, func(x *Invited) audit.Record {
			x.Token, x.By, x.ExpiresAt = hash, act.Who, s.now().UTC().Add(identity.InvitationTTL)
			n = *x
			mails := s.invitation(act, n, token, merchant.Language)
			return act.Record(merchant.ID, audit.ActionTeamInvite, n.Email, mail.T("a new link").Kept(), mails...)
		})
	})
	return n, token, err
}

// RevokeInvitation ends an invitation, or fails with ErrUnknownInvited.
func (s *Service) RevokeInvitation(ctx context.Context, merchant identity.User, id string, act audit.Act) error {
	return s.update(ctx, merchant.ID, func(a Account) (Change, error) {
		return a.ChangeInvited(id, func(n *Invited) audit.Record {
			n.EndedAt = s.now().UTC()
			return act.Record(merchant.ID, audit.ActionTeamRevoke, n.Email, "")
		})
	})
}

// invited returns the account and the invitation of a token, or identity.ErrBadInvitation.
func (s *Service) invited(ctx context.Context, token string) (Account, Invited, error) {
	hash, ok := identity.TeamToken.Hash(token)
	if !ok {
		return Account{}, Invited{}, identity.ErrBadInvitation
	}
	a, err := s.store.Account(ctx, By{Token: hash})
	if err != nil {
		return Account{}, Invited{}, err
	}
	n, err := a.InvitedBy(hash, s.now().UTC())
	return a, n, err
}

// Invitation returns the invitation of the token and its merchant; known reports
// whether the address already has an account. It fails with identity.ErrBadInvitation.
func (s *Service) Invitation(
	ctx context.Context, token string,
) (n Invited, merchant identity.User, known bool, err error) {
	a, n, err := s.invited(ctx, token)
	if err != nil {
		return Invited{}, identity.User{}, false, err
	}
	_, err = s.users.UserByEmail(ctx, n.Email)
	if fault.Is(err, fault.NotFound) {
		return n, a.Founder, false, nil
	}
	return n, a.Founder, err == nil, err
}

// Join accepts an invitation for a signed-in user, whose address must be the one
// invited. It fails with identity.ErrBadInvitation or identity.ErrUnverified.
func (s *Service) Join(ctx context.Context, token string, user identity.User, act audit.Act) (Invited, error) {
	if _, ok := identity.TeamToken.Hash(token); !ok {
		return Invited{}, identity.ErrBadInvitation
	}
	if err := s.users.RequireVerified(user); err != nil {
		return Invited{}, err
	}
	a, n, err := s.invited(ctx, token)
	if err != nil {
		return Invited{}, err
	}
	act.Who = cmp.Or(act.Who, user.Email)
	r := act.Record(a.ID, audit.ActionTeamJoin, "", asRole(n.Role), s.joined(act, n)...)
	return n, s.update(ctx, a.ID, func(a Account) (Change, error) { return a.Join(n.Token, user, s.now().UTC(), r) })
}

// JoinNew creates a user by an invitation into a team, even where sign-up is closed:
// an owner invited them. The user gets no merchant account of their own. It fails as
// CreateUser does, or with identity.ErrBadInvitation.
func (s *Service) JoinNew(
	ctx context.Context, token string, in identity.NewUser, act audit.Act,
) (identity.User, Invited, error) {
	a, n, err := s.invited(ctx, token)
	if err != nil {
		return identity.User{}, Invited{}, err
	}
	in.Team = n.MerchantID
	in.Verified = s.users.VerifiesEmail() // by the mail that the invitation came with
	u, err := s.users.Prepare(ctx, in)
	if err != nil {
		return identity.User{}, Invited{}, err
	}
	act.Who = cmp.Or(act.Who, u.Email)
	r := act.Record(0, audit.ActionSignUp, "", "", s.joined(act, n)...)
	r = r.With(act.Record(a.ID, audit.ActionTeamJoin, "", asRole(n.Role)))
	done, err := s.store.UpdateAccount(ctx, a.ID, 0, func(a Account) (Change, error) {
		return a.Join(n.Token, u, s.now().UTC(), r)
	})
	if err != nil {
		return identity.User{}, Invited{}, err
	}
	return done.Account.Members[len(done.Account.Members)-1].User, n, nil
}

// asRole is what the audit log says of who joins.
func asRole(role Role) string { return mail.T("as {{.Role}}", "Role", mail.English(role)).Kept() }
