package identity

import (
	"context"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/mail"
	"github.com/florinpay/florin/internal/secret"
)

// Recovery is what an operator does for a user who is locked out. Whatever it is, it ends every session of the user,
// and the links to a new password that were made before.
type Recovery struct {
	// PasswordHash is that of the new password; empty: the password stays.
	PasswordHash string
	// Factors removes the authenticator, its recovery codes, and all passkeys: a
	// lost device may hold any of them.
	Factors bool
	// Clear are the limits of failed attempts that no longer count.
	Clear []Hash
}

// RecoverPassword sets a new password for a user on behalf of an operator. It
// fails with fault.Invalid for a password that breaks a rule.
func (s *Service) RecoverPassword(ctx context.Context, user User, next secret.Text, act audit.Act) error {
	if err := checkPassword(next, user.Email); err != nil {
		return err
	}
	hash, err := s.hashOf(ctx, next)
	if err != nil {
		return err
	}
	return s.recover(ctx, user, Recovery{PasswordHash: hash, Clear: []Hash{perUser.limit("user", user.Email).Name}},
		act,
		audit.ActionNewPassword, mail.T("Your password was set"),
		mail.T("An operator of this installation set a new password for you, and ended all your sessions."))
}

// RecoverFactors removes every second factor of a user on behalf of an operator. The
// password alone signs in then.
func (s *Service) RecoverFactors(ctx context.Context, user User, act audit.Act) error {
	return s.recover(ctx, user, Recovery{Factors: true, Clear: []Hash{codeLimits(user)[0].Name}}, act,
		audit.ActionResetFactors, mail.T("Your authenticator and passkeys were removed"),
		mail.T("An operator of this installation removed your authenticator, recovery codes and passkeys, and ended all "+
			"your sessions. Set up new ones after you signed in."))
}

// EndSessions ends every session of a user on behalf of an operator.
func (s *Service) EndSessions(ctx context.Context, user User, act audit.Act) error {
	return s.recover(ctx, user, Recovery{}, act, audit.ActionEndSessions, mail.T("You were signed out"),
		mail.T("An operator of this installation ended all your sessions."))
}

// recover does it and mails the user what was done.
func (s *Service) recover(
	ctx context.Context, user User, r Recovery, act audit.Act, action audit.Action, subject, done mail.Words,
) error {
	record := act.Record(user.ID, action, user.Email, "",
		s.byOperator(act, user, subject, done)...)
	return s.update(ctx, user.ID, func(a Account) (Change, error) {
		return a.Recover(r, s.now().UTC(), record), nil
	})
}

// byOperator returns a mail about what an operator did for a user.
func (s *Service) byOperator(act audit.Act, user User, subject, text mail.Words) []mail.Mail {
	return s.opts.Mail.To(act.At, user.Email, subject, text,
		mail.T("If you did not ask for it, ask them at once.").Then(s.opts.Mail.Home()))
}

// SetOperator makes a user an operator of the installation, or takes that back. It
// fails with ErrAsItIs.
func (s *Service) SetOperator(ctx context.Context, user User, operator bool, act audit.Act) error {
	action := audit.ActionMakeOperator
	now := mail.T("{{.Email}} is an operator of this installation now.", "Email", user.Email)
	if !operator {
		action = audit.ActionDropOperator
		now = mail.T("{{.Email}} is no operator of this installation any more.", "Email", user.Email)
	}
	r := act.Record(user.ID, action, user.Email, "",
		s.byOperator(act, user, mail.T("Your rights in Florin changed"), now)...)
	return s.update(ctx, user.ID, func(a Account) (Change, error) { return a.SetOperator(operator, r) })
}
