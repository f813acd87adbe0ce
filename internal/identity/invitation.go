package identity

import (
	"context"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/mail"
	"github.com/florinpay/florin/internal/secret"
)

// InvitationTTL is how long an invitation is valid.
const InvitationTTL = 7 * 24 * time.Hour

// Invite mails the holder of the address a link by which they sign up. Where no mail is sent, the caller shows it: the
// token is returned only here.
func (s *Service) Invite(ctx context.Context, by User, email string, act audit.Act) (secret.Text, error) {
	email, err := NormalizeEmail(email)
	if err != nil {
		return secret.Text{}, err
	}
	token, hash := inviteToken.New(s.opts.Random)
	now := s.now().UTC()
	return token, s.addLink(ctx, Link{
		Kind: LinkInvitation, Token: hash, User: User{ID: by.ID, Email: email}, CreatedAt: now,
		ExpiresAt: now.Add(InvitationTTL),
	},
		act.Record(by.ID, audit.ActionInvite, email, "", mail.In(by.Language, s.opts.Mail.Asked(now, email,
			mail.T("You are invited to Florin"),
			mail.T("Create your account within seven days:").Then(s.link("/signup?invite=", token))))...))
}

// CheckInvitation fails with ErrBadInvitation if nobody can sign up by the token any more, so that no form is filled in
// in vain.
func (s *Service) CheckInvitation(ctx context.Context, token string) error {
	hash, ok := inviteToken.Hash(token)
	if !ok {
		return ErrBadInvitation
	}
	a, err := s.linked(ctx, LinkInvitation, hash)
	if err == nil && !a.Link.good(LinkInvitation, s.now()) {
		err = ErrBadInvitation
	}
	return err
}

// CreateInvited creates a user by an invitation and uses the invitation up. It
// fails as CreateUser does, or with ErrBadInvitation; then the invitation stays
// valid.
func (s *Service) CreateInvited(ctx context.Context, token string, in NewUser, act audit.Act) (User, error) {
	hash, ok := inviteToken.Hash(token)
	if !ok {
		return User{}, ErrBadInvitation
	}
	in.Verified = s.opts.VerifyEmail // by the mail that the invitation came with
	u, err := s.Prepare(ctx, in)
	if err != nil {
		return User{}, err
	}
	a, err := s.store.UpdateUser(ctx, By{Link: LinkInvitation, Token: hash}, func(a Account) (Change, error) {
		return a.CreateInvited(u, act.Record(0, audit.ActionSignUp, "", ""))
	})
	return a.User, err
}
