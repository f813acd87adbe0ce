package identity

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"time"

	"github.com/florinpay/florin/internal/audit"
)

// Login is one of a user's sessions, without the token.
type Login struct {
	ID        string // identifies it to its owner; reveals nothing about the token
	CreatedAt time.Time
	ExpiresAt time.Time
	UserAgent string
}

// Logins lists the user's sessions.
func (s *Service) Logins(ctx context.Context, user User) ([]Login, error) {
	sessions, err := s.store.Logins(ctx, user.ID, s.now())
	logins := make([]Login, len(sessions))
	for i, x := range sessions {
		logins[i] = Login{ID: loginID(x.Token), CreatedAt: x.CreatedAt, ExpiresAt: x.ExpiresAt, UserAgent: x.UserAgent}
	}
	return logins, err
}

// LoginOf returns the ID that Logins gives the session of the token.
func LoginOf(token string) string {
	h, ok := SessionToken.Hash(token)
	if !ok {
		return ""
	}
	return loginID(h)
}

// loginID is a hash of the hash, cut short: enough to distinguish a
// user's sessions, and useless for signing in.
func loginID(token Hash) string {
	sum := sha256.Sum256(token[:])
	return hex.EncodeToString(sum[:8])
}

// EndLogin revokes one of the user's sessions, or fails with ErrUnknownLogin.
func (s *Service) EndLogin(ctx context.Context, user User, id string, act audit.Act) error {
	sessions, err := s.store.Logins(ctx, user.ID, s.now())
	if err != nil {
		return err
	}
	for _, x := range sessions {
		if loginID(x.Token) == id {
			return s.endSession(ctx, x.Token, act.Record(user.ID, audit.ActionRevokeSession, "", ""))
		}
	}
	return ErrUnknownLogin
}
