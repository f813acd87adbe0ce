package identity

import (
	"context"
	"errors"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/mail"
	"github.com/florinpay/florin/internal/secret"
)

// CheckPassword re-authenticates a signed-in user by their password. It
// fails with ErrBadPassword, or fault.Limited after too many failures.
func (s *Service) CheckPassword(ctx context.Context, user User, password secret.Text, act audit.Act) error {
	limits := reauthLimits(user, act.Address)
	if err := s.take(ctx, limits, tooManySignIns); err != nil {
		return err
	}
	_, err := s.verify(ctx, user.Email, password, true)
	if errors.Is(err, ErrBadCredentials) {
		err = ErrBadPassword
	}
	return s.settleReauth(ctx, user, act, limits, err)
}

// Confirm re-authenticates a signed-in user: by their password or, where an
// authenticator is in force, by a code. No password is as short as a code, so one
// text is enough to distinguish them. It fails with ErrBadPassword, ErrBadCode, or
// fault.Limited.
func (s *Service) Confirm(ctx context.Context, user User, given secret.Text, act audit.Act) error {
	if !IsCode(given.Reveal()) {
		return s.CheckPassword(ctx, user, given, act)
	}
	f, ok, err := s.store.SecondFactor(ctx, user.ID)
	if err != nil {
		return err
	}
	if !ok || !f.InForce() {
		return s.CheckPassword(ctx, user, given, act)
	}
	limits := reauthLimits(user, act.Address)
	if err := s.take(ctx, limits, tooManySignIns); err != nil {
		return err
	}
	return s.settleReauth(ctx, user, act, limits, s.checkCode(ctx, user, given.Reveal(), act.Address))
}

// ChangePassword sets a new password, ends all sessions of the user and starts
// a fresh one. It fails with ErrBadPassword, or fault.Invalid for a new
// password that breaks a rule.
func (s *Service) ChangePassword(
	ctx context.Context, user User, old, next secret.Text, act audit.Act,
) (SignedIn, error) {
	weak := checkPassword(next, user.Email)
	if weak == nil {
		weak = s.checkWordsOf(ctx, next, user)
	}
	if err := errors.Join(s.CheckPassword(ctx, user, old, act), weak); err != nil {
		return SignedIn{}, err
	}
	current, err := s.user(ctx, By{Email: user.Email})
	if err != nil {
		return SignedIn{}, err
	}
	hash, err := s.hashOf(ctx, next)
	if err != nil {
		return SignedIn{}, err
	}
	mails := s.opts.Mail.To(act.At, user.Email, mail.T("Your password was changed"),
		mail.T("Your password for Florin was changed, and every other session was ended."),
		mail.T("If this was not you, set a new one at once:").Then(s.forgot()))
	r := act.Record(user.ID, audit.ActionPassword, "", "", mails...)
	err = s.update(ctx, user.ID, func(a Account) (Change, error) {
		return a.SetPassword(current.PasswordHash, hash, s.now().UTC(), r)
	})
	if err != nil {
		return SignedIn{}, err
	}
	current.PasswordHash = hash
	return s.startSession(ctx, current, act.Agent, audit.Record{})
}

func (s *Service) hashOf(ctx context.Context, password secret.Text) (string, error) {
	normal, ok := normalPassword(password)
	if !ok {
		return "", fault.About(fault.Invalid, "password", "must be text in UTF-8")
	}
	return s.passwords.hash(ctx, normal, true)
}
