package identity

import (
	"context"
	"encoding/hex"
	"errors"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/mail"
	"github.com/florinpay/florin/internal/secret"
)

// SignUpTTL is how long a link that verifies an address is valid.
const SignUpTTL = 24 * time.Hour

// Refusals about e-mail addresses that nobody has shown to be theirs.
var (
	ErrUnverified      = fault.New(fault.Forbidden, "verify your e-mail address first: the security page sends you a link")
	ErrBadVerification = fault.New(fault.Invalid, "this link has been used or is too old; sign up again, or sign in for a new one")
)

// VerifiesEmail reports whether users have to verify their address. Where no mail
// is sent they cannot.
func (s *Service) VerifiesEmail() bool { return s.opts.VerifyEmail }

// RequireVerified fails with ErrUnverified for a user who could verify their
// address and has not. Such a user may be somebody else, who waits for the owner
// of the address: factors, passkeys, keys and teams are closed to them.
func (s *Service) RequireVerified(user User) error {
	if s.opts.VerifyEmail && user.VerifiedAt.IsZero() {
		return ErrUnverified
	}
	return nil
}

// BeginSignUp stores a sign-up until its address is verified by the link that is mailed there. If the address has an
// account, its owner is notified instead. It answers alike in both cases, which take as long, and fails as CreateUser
// does, except with ErrEmailTaken.
func (s *Service) BeginSignUp(ctx context.Context, in NewUser) error {
	u, err := s.Prepare(ctx, in)
	if err != nil {
		return err
	}
	_, err = s.user(ctx, By{Email: u.Email})
	if err != nil && !fault.Is(err, fault.NotFound) {
		return err
	}
	known := err == nil
	return s.addSignUp(ctx, u, SignUpTTL, func(token secret.Text) (mail.Words, []mail.Words) {
		if known {
			return mail.T("You have an account already"), []mail.Words{
				mail.T("A sign-up for Florin used this address, which already has an account."),
				mail.T("Sign in, or set a new password if you have forgotten yours:").
					Then(s.opts.Mail.Link("/signin"), s.forgot()),
				mail.T("If it was not you, you do not need to do anything."),
			}
		}
		return mail.T("Finish signing up"), []mail.Words{
			mail.T("A sign-up for Florin used this address."),
			mail.T("Open this link within 24 hours, and type the password you chose:").Then(s.link("/verify?token=", token)),
			mail.T("If it was not you, do nothing: without the link there is no account."),
		}
	})
}

// BeginVerification mails a user who exists a link that verifies their address.
func (s *Service) BeginVerification(ctx context.Context, user User) error {
	return s.addSignUp(ctx, user, SignUpTTL, func(token secret.Text) (mail.Words, []mail.Words) {
		return mail.T("Verify your e-mail address"), []mail.Words{
			mail.T("Open this link within 24 hours, and type your password for Florin:").Then(s.link("/verify?token=", token)),
			mail.T("If you did not make an account in Florin, another person made one with your address. " +
				"Do not open the link. Take the account over here:").Then(s.forgot()),
		}
	})
}

func (s *Service) addSignUp(
	ctx context.Context, u User, ttl time.Duration, letter func(secret.Text) (mail.Words, []mail.Words),
) error {
	token, hash := signUpToken.New(s.opts.Random)
	now := s.now().UTC()
	subject, text := letter(token)
	return s.addLink(ctx, Link{Kind: LinkSignUp, Token: hash, User: u, CreatedAt: now, ExpiresAt: now.Add(ttl)},
		audit.Record{Mails: mail.In(u.Language, s.opts.Mail.Asked(now, u.Email, subject, text...))})
}

// PendingSignUp returns the e-mail address of an open sign-up, or
// ErrBadVerification.
func (s *Service) PendingSignUp(ctx context.Context, token string) (email string, err error) {
	p, _, err := s.pendingSignUp(ctx, token)
	return p.User.Email, err
}

func (s *Service) pendingSignUp(ctx context.Context, token string) (Link, Hash, error) {
	hash, ok := signUpToken.Hash(token)
	if !ok {
		return Link{}, Hash{}, ErrBadVerification
	}
	a, err := s.linked(ctx, LinkSignUp, hash)
	if err == nil && !a.Link.good(LinkSignUp, s.now()) {
		err = ErrBadVerification
	}
	return a.Link, hash, err
}

// FinishSignUp creates the user of a sign-up whose link was opened, or verifies
// the one it is about. The password is that of the sign-up: who opens a link that
// somebody else had sent does not know it, so nobody verifies another's account.
// It fails with ErrBadVerification, ErrBadPassword, ErrEmailTaken, ErrEmailWaits or
// fault.Limited.
func (s *Service) FinishSignUp(ctx context.Context, token string, password secret.Text, act audit.Act) (User, error) {
	p, hash, err := s.pendingSignUp(ctx, token)
	if err != nil {
		return User{}, err
	}
	if p.waits(s.now()) {
		return User{}, ErrEmailWaits
	}
	limits := []Limit{perDevice.limit("sign-up", hex.EncodeToString(hash[:]))}
	if err := s.take(ctx, limits, tooManySignIns); err != nil {
		return User{}, err
	}
	normal, ok := normalPassword(password)
	if ok {
		ok, err = s.passwords.verify(ctx, normal, p.User.PasswordHash, false)
	}
	switch {
	case err != nil:
		return User{}, errors.Join(err, s.giveBack(ctx, limits))
	case !ok:
		return User{}, ErrBadPassword
	}
	a, err := s.store.UpdateUser(ctx, By{Link: LinkSignUp, Token: hash}, func(a Account) (Change, error) {
		return a.FinishSignUp(s.now().UTC(), s.finished(p, act))
	})
	if err != nil {
		return User{}, err
	}
	return a.User, s.giveBack(ctx, limits)
}
