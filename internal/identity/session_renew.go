package identity

import (
	"bytes"
	"context"
	"crypto/hkdf"
	"crypto/sha256"
	"errors"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/mail"
	"github.com/florinpay/florin/internal/secret"
)

// Renewed is the new token of a session, which goes on otherwise as it was. It is
// shown only here.
type Renewed struct {
	Token     secret.Text
	ExpiresAt time.Time // as before
}

// renewGrace is for how long the token of before leads to its session: the answer with the new one can be lost in a
// lift, and a double click sends the old one twice.
const renewGrace = 30 * time.Second

// mostRenewals is how many renewals within renewGrace are followed: a user re-authenticates by hand.
const mostRenewals = 4

// Renew gives a session a new token after its user re-authenticated. The one before is good for renewGrace (Current);
// a copy of it ends then (ASVS 5.0, 7.2.4). What the session has begun, such as an authenticator to confirm, goes on.
// It fails with ErrBadSession if the session has ended.
func (s *Service) Renew(ctx context.Context, token secret.Text) (Renewed, error) {
	old, ok := SessionToken.Hash(token.Reveal())
	if !ok {
		return Renewed{}, ErrBadSession
	}
	next, hash := s.next(token)
	expires, err := s.store.RenewSession(ctx, old, hash, s.now().UTC())
	if errors.Is(err, ErrBadSession) { // another request of the same user renewed it at the same moment
		return s.Current(ctx, token)
	}
	return Renewed{Token: next, ExpiresAt: expires}, err
}

// Current is the token of the session that the given one belonged to until renewGrace ago, or ErrBadSession.
func (s *Service) Current(ctx context.Context, token secret.Text) (Renewed, error) {
	if _, ok := SessionToken.Hash(token.Reveal()); !ok {
		return Renewed{}, ErrBadSession
	}
	now := s.now().UTC()
	for range mostRenewals {
		next, hash := s.next(token)
		expires, err := s.store.SessionConfirmed(ctx, hash, now.Add(-renewGrace), now)
		if !errors.Is(err, ErrBadSession) {
			return Renewed{Token: next, ExpiresAt: expires}, err
		}
		token = next
	}
	return Renewed{}, ErrBadSession
}

// next is the token that follows another: the same whenever it is asked for, and known to nobody without the
// key. So the server need not keep it to give it out again.
func (s *Service) next(token secret.Text) (secret.Text, Hash) {
	const enough = 512 // bytes: a token takes 43 of 62 in 64 characters
	stream, err := hkdf.Key(sha256.New, s.opts.SessionKey, []byte(token.Reveal()), "renewed session", enough)
	if err != nil {
		panic(err) // only more bytes than SHA-256 derives are refused
	}
	return SessionToken.New(bytes.NewReader(stream))
}

// EndOtherLogins revokes every session of the user but that of the act. The caller
// has re-authenticated the user.
func (s *Service) EndOtherLogins(ctx context.Context, user User, act audit.Act) error {
	keep, ok := SessionToken.Hash(act.Session.Reveal())
	if !ok {
		return ErrBadSession
	}
	r := act.Record(user.ID, audit.ActionRevokeSession, "", mail.T("all but this one").Kept())
	return s.update(ctx, user.ID, func(a Account) (Change, error) {
		return Change{Account: a, Ends: Ending{At: s.now().UTC(), Keep: keep}, Record: r}, nil
	})
}
