package identity

import (
	"context"
	"errors"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/input"
	"github.com/florinpay/florin/internal/mail"
	"github.com/florinpay/florin/internal/secret"
)

// Session is a signed-in user: a Bearer token or a browser's cookie.
type Session struct {
	Token     Hash
	UserID    int64
	CreatedAt time.Time
	ExpiresAt time.Time
	UserAgent string // at most 200 characters
}

// How long a session lasts.
const (
	SessionTTL  = 30 * 24 * time.Hour // used or not
	SessionIdle = 7 * 24 * time.Hour  // since it was used last
	// SessionTouch is how exactly it is stored when a session was used: a write for every request would cost more than
	// the request.
	SessionTouch = time.Hour
)

// maxUserAgent bounds the stored User-Agent header, in characters.
const maxUserAgent = 200

// Credentials are what a user signs in with, and from where.
type Credentials struct {
	Email     string
	Password  secret.Text
	Code      string // of the second factor, if the user has one
	Address   string // IP address of the client; tries are counted by it
	UserAgent string
	// Device identifies a client that this user signed in from before; empty for
	// others. Failed sign-ins from elsewhere do not delay it.
	Device string
}

// SignedIn is a fresh session. Its token is shown only here.
type SignedIn struct {
	Token     secret.Text
	ExpiresAt time.Time
	User      User
}

// SignIn starts a session. It fails with ErrBadCredentials, which takes as
// long for an unknown user as for a wrong password, with ErrNeedCode or
// ErrBadCode where a second factor is in force, or with fault.Limited after
// too many failures.
func (s *Service) SignIn(ctx context.Context, c Credentials) (SignedIn, error) {
	in, err := s.signIn(ctx, c)
	c.Code = "" // a code in the request does not prove that the password was right
	return in, s.limited(ctx, c, err)
}

func (s *Service) signIn(ctx context.Context, c Credentials) (SignedIn, error) {
	email, err := NormalizeEmail(c.Email)
	if err != nil {
		return SignedIn{}, err
	}
	limits, err := s.takeSignIn(ctx, email, c)
	if err != nil {
		return SignedIn{}, err
	}
	user, err := s.verify(ctx, email, c.Password, c.Device != "")
	if err == nil {
		err = s.checkCode(ctx, user, c.Code, c.Address)
	}
	if err := s.settle(ctx, email, c, limits, err); err != nil {
		return SignedIn{}, err
	}
	return s.startSession(ctx, user, c.UserAgent, s.signedIn(user, c, mail.Words{}))
}

// verify returns the user if the password is right. It hashes a password in
// every case; first is as in hasher.turn.
func (s *Service) verify(ctx context.Context, email string, password secret.Text, first bool) (User, error) {
	normal, ok := normalPassword(password)
	if !ok {
		return User{}, ErrBadCredentials
	}
	user, err := s.user(ctx, By{Email: email})
	hash := user.PasswordHash
	if fault.Is(err, fault.NotFound) {
		hash = decoyHash(s.opts.Hashing)
	} else if err != nil {
		return User{}, err
	}
	match, failed := s.passwords.verify(ctx, normal, hash, first)
	if failed != nil {
		return User{}, failed
	}
	if err != nil || !match {
		return User{}, ErrBadCredentials
	}
	return user, nil
}

// startSession signs the user in without further checks, or fails with
// ErrDisabled, which only a client that showed the password learns.
func (s *Service) startSession(ctx context.Context, user User, userAgent string, r audit.Record) (SignedIn, error) {
	if !user.DisabledAt.IsZero() {
		return SignedIn{}, ErrDisabled
	}
	token, hash := SessionToken.New(s.opts.Random)
	now := s.now().UTC()
	session := Session{
		Token: hash, UserID: user.ID, CreatedAt: now, ExpiresAt: now.Add(SessionTTL),
		UserAgent: cleanUserAgent(userAgent),
	}
	if err := s.store.CreateSession(ctx, session, r); err != nil {
		return SignedIn{}, err
	}
	return SignedIn{Token: token, ExpiresAt: session.ExpiresAt, User: user}, nil
}

// signedIn records a sign-in; how says by which second factor, if there was one.
func (s *Service) signedIn(user User, c Credentials, how mail.Words) audit.Record {
	act := audit.Act{Who: user.Email, At: s.now().UTC(), Address: c.Address}
	return act.Record(user.ID, audit.ActionSignIn, c.UserAgent, how.Kept())
}

// SignOut ends the session. It succeeds for an unknown or ended one.
func (s *Service) SignOut(ctx context.Context, token string, r audit.Record) error {
	h, ok := SessionToken.Hash(token)
	if !ok {
		return nil
	}
	if err := s.endSession(ctx, h, r); err != nil {
		return err
	}
	// A browser that lost its last answer still carries the token of before.
	renewed, err := s.Current(ctx, secret.New(token))
	if errors.Is(err, ErrBadSession) {
		return nil
	}
	if err == nil {
		h, _ = SessionToken.Hash(renewed.Token.Reveal())
		err = s.endSession(ctx, h, r)
	}
	return err
}

// endSession ends a session; one that has ended or does not exist is left alone.
func (s *Service) endSession(ctx context.Context, token Hash, r audit.Record) error {
	_, err := s.store.UpdateUser(ctx, By{Session: token}, func(a Account) (Change, error) {
		return a.EndSession(token, s.now().UTC(), r)
	})
	if errors.Is(err, ErrBadSession) {
		return nil
	}
	return err
}

// EndSession ends a session of the account, or fails with ErrBadSession for the empty account, which has none.
func (a Account) EndSession(token Hash, now time.Time, r audit.Record) (Change, error) {
	if a.User.ID == 0 {
		return Change{}, ErrBadSession
	}
	return Change{Account: a, Ends: Ending{At: now, One: token}, Record: r}, nil
}

// cleanUserAgent keeps the printable characters of a header the client chose.
func cleanUserAgent(text string) string {
	text = text[:min(len(text), maxUserAgent*utf8.UTFMax)]
	clean := strings.Map(func(r rune) rune {
		if input.Hidden(r) {
			return -1
		}
		return r
	}, text)
	chars := []rune(clean)
	return string(chars[:min(len(chars), maxUserAgent)])
}
