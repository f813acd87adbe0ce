package identity

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"

	"github.com/florinpay/florin/internal/mail"
)

// Halfway is a sign-in with a correct password whose second factor is still
// missing. The surface keeps it for a few minutes where a client cannot forge it,
// such as a sealed cookie.
type Halfway string

// Email is the address of the user who signs in.
func (h Halfway) Email() string {
	email, _, _ := strings.Cut(string(h), " ")
	return email
}

// Enter is SignIn for a page with a second form for the second factor: if the user
// has one, only half is set.
func (s *Service) Enter(ctx context.Context, c Credentials) (in SignedIn, half Halfway, err error) {
	c.Code = ""
	in, err = s.SignIn(ctx, c)
	if !errors.Is(err, ErrNeedCode) {
		return in, "", err
	}
	user, err := s.UserByEmail(ctx, c.Email)
	if err != nil {
		return SignedIn{}, "", err
	}
	return SignedIn{}, halfway(user), nil
}

// EnterWithCode completes what Enter began, by c.Code. It fails with ErrBadCode,
// ErrBadSession if the password was changed in the meantime, or fault.Limited.
func (s *Service) EnterWithCode(ctx context.Context, half Halfway, c Credentials) (SignedIn, error) {
	in, err := s.enterWithCode(ctx, half, c)
	return in, s.limited(ctx, c, err)
}

func (s *Service) enterWithCode(ctx context.Context, half Halfway, c Credentials) (SignedIn, error) {
	email := half.Email()
	user, err := s.UserByEmail(ctx, email)
	if err != nil {
		return SignedIn{}, ErrBadSession
	}
	if halfway(user) != half {
		return SignedIn{}, ErrBadSession
	}
	limits, err := s.takeSignIn(ctx, email, c)
	if err != nil {
		return SignedIn{}, err
	}
	var refusal error = ErrBadCode
	if strings.TrimSpace(c.Code) != "" {
		refusal = s.checkCode(ctx, user, c.Code, c.Address)
	}
	if err := s.settle(ctx, email, c, limits, refusal); err != nil {
		return SignedIn{}, err
	}
	return s.startSession(ctx, user, c.UserAgent, s.signedIn(user, c, mail.T("with a code")))
}

// halfway binds the sign-in to the password it began with.
func halfway(user User) Halfway {
	sum := sha256.Sum256([]byte("halfway " + user.PasswordHash))
	return Halfway(user.Email + " " + hex.EncodeToString(sum[:16]))
}
