package identity

import (
	"context"
	"fmt"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/secret"
)

// Renewed is the new token of a session, which goes on otherwise as it was. It is
// shown only here.
type Renewed struct {
	Token     secret.Text
	ExpiresAt time.Time // as before
}

// Renew gives a session a new token after its user re-authenticated, and voids the
// one before: a copy of that ends with the next change (ASVS 5.0, 7.2.4). What the
// session has begun, such as an authenticator to confirm, goes on. It fails with
// ErrBadSession if the session has ended, or another request renewed it.
func (s *Service) Renew(ctx context.Context, token secret.Text) (Renewed, error) {
	old, ok := SessionToken.Hash(token.Reveal())
	if !ok {
		return Renewed{}, ErrBadSession
	}
	next, hash, err := SessionToken.New(s.opts.Random)
	if err != nil {
		return Renewed{}, fmt.Errorf("make a session token: %w", err)
	}
	expires, err := s.store.RenewSession(ctx, old, hash, s.now().UTC())
	return Renewed{Token: next, ExpiresAt: expires}, err
}

// EndOtherLogins revokes every session of the user but that of the act. The caller
// has re-authenticated the user.
func (s *Service) EndOtherLogins(ctx context.Context, user User, act audit.Act) error {
	keep, ok := SessionToken.Hash(act.Session.Reveal())
	if !ok {
		return ErrBadSession
	}
	return s.store.RevokeOtherSessions(ctx, user.ID, keep, s.now().UTC(),
		act.Record(user.ID, audit.ActionRevokeSession, "", "all but this one"))
}
