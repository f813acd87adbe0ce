package identity

import (
	"context"

	"github.com/florinpay/florin/internal/audit"
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
func (s *Service) RecoverPassword(ctx context.Context, user User, next secret.Text, trail ...audit.Entry) error {
	if err := checkPassword(next, user.Email); err != nil {
		return err
	}
	hash, err := s.hashOf(ctx, next)
	if err != nil {
		return err
	}
	return s.recover(
		ctx, user, Recovery{PasswordHash: hash, Clear: []Hash{perUser.limit("user", user.Email).Name}}, trail,
	)
}

// RecoverFactors removes every second factor of a user on behalf of an operator. The
// password alone signs in then.
func (s *Service) RecoverFactors(ctx context.Context, user User, trail ...audit.Entry) error {
	return s.recover(ctx, user, Recovery{Factors: true, Clear: []Hash{codeLimits(user)[0].Name}}, trail)
}

// EndSessions ends every session of a user on behalf of an operator.
func (s *Service) EndSessions(ctx context.Context, user User, trail ...audit.Entry) error {
	return s.recover(ctx, user, Recovery{}, trail)
}

func (s *Service) recover(ctx context.Context, user User, r Recovery, trail []audit.Entry) error {
	return s.store.RecoverUser(ctx, user.ID, r, s.now().UTC(), trail...)
}

// SetOperator makes a user an operator of the installation, or takes that back. It
// fails with ErrAsItIs.
func (s *Service) SetOperator(ctx context.Context, user User, operator bool, trail ...audit.Entry) error {
	changed, err := s.store.SetOperator(ctx, user.ID, operator, trail...)
	if err == nil && !changed {
		return ErrAsItIs
	}
	return err
}
