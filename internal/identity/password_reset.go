package identity

import (
	"context"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/secret"
)

// ResetTTL is how long a reset link is valid: long enough for slow mail, short
// enough that a link in an old mailbox is worthless.
const ResetTTL = time.Hour

// BeginReset returns a token by which the user with the address can set a new
// password; the token is empty for an unknown address. The caller sends it to
// that address and gives the same answer in both cases.
func (s *Service) BeginReset(ctx context.Context, email string, trail ...audit.Entry) (User, secret.Text, error) {
	user, err := s.UserByEmail(ctx, email)
	if fault.Is(err, fault.NotFound) {
		return User{}, secret.Text{}, nil
	}
	if err != nil {
		return User{}, secret.Text{}, err
	}
	token, hash, err := resetToken.New(s.opts.Random)
	if err != nil {
		return User{}, secret.Text{}, err
	}
	now := s.now().UTC()
	return user, token, s.store.AddReset(ctx, hash, user.ID, now, now.Add(ResetTTL), trail...)
}

// Reset is what a new password by mail has changed.
type Reset struct {
	User User
	// Dropped: the address was not verified, so factors, passkeys, keys and other
	// members were dropped: somebody else may have made them.
	Dropped bool
}

// FinishReset sets a new password by the token of BeginReset, once, and ends
// all sessions of the user. Where addresses are verified it verifies this one, and
// takes away what was made before. It fails with ErrBadReset, or fault.Invalid for a
// password that breaks a rule, which leaves the token valid.
func (s *Service) FinishReset(
	ctx context.Context, token string, next secret.Text, trail ...audit.Entry,
) (Reset, error) {
	hash, ok := resetToken.Hash(token)
	if !ok {
		return Reset{}, ErrBadReset
	}
	if err := checkPassword(next, ""); err != nil {
		return Reset{}, err
	}
	user, err := s.store.ResetUser(ctx, hash, s.now().UTC())
	if err != nil {
		return Reset{}, err
	}
	if err := s.checkWordsOf(ctx, next, user); err != nil {
		return Reset{}, err
	}
	password, err := s.hashOf(ctx, next)
	if err != nil {
		return Reset{}, err
	}
	return s.store.UseReset(ctx, hash, password, s.opts.VerifyEmail, s.now().UTC(), trail...)
}
