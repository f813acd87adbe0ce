package account

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"
	"time"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/secret"
)

// CheckPassword asks somebody who is signed in for their password again. It
// fails with ErrBadPassword, or fault.Limited after too many failures.
func (s *Service) CheckPassword(ctx context.Context, user User, password secret.Text, address string) error {
	if err := s.attempts.take(user.Email, address, true, s.now()); err != nil {
		return err
	}
	_, err := s.verify(ctx, user.Email, password)
	if errors.Is(err, ErrBadCredentials) {
		return ErrBadPassword
	}
	s.attempts.giveBack(user.Email, address, true)
	return err
}

// Confirm asks somebody who is signed in to show once more who they are: by
// their password or, where an authenticator is in force, by a code of it. No
// password is as short as a code, so one text is enough to tell them apart. It
// fails with ErrBadPassword, ErrBadCode, or fault.Limited.
func (s *Service) Confirm(ctx context.Context, user User, proof secret.Text, address string) error {
	if !isCode(proof.Reveal()) || s.opts.Security == nil {
		return s.CheckPassword(ctx, user, proof, address)
	}
	f, ok, err := s.opts.Security.SecondFactor(ctx, user.ID)
	if err != nil {
		return err
	}
	if !ok || !f.InForce() {
		return s.CheckPassword(ctx, user, proof, address)
	}
	if err := s.attempts.take(user.Email, address, true, s.now()); err != nil {
		return err
	}
	err = s.checkCode(ctx, user, proof.Reveal(), address)
	if !errors.Is(err, ErrBadCode) {
		s.attempts.giveBack(user.Email, address, true)
	}
	return err
}

// isCode reports whether the text has the form of an authenticator's code.
func isCode(text string) bool {
	digits := strings.Map(withoutSpace, text)
	return len(digits) == int(totpDigits) && strings.Trim(digits, "0123456789") == ""
}

// ChangePassword gives the user a new password, ends all their sessions and
// starts a fresh one. It fails with ErrBadPassword, or fault.Invalid for a new
// password that breaks a rule.
func (s *Service) ChangePassword(ctx context.Context, user User, old, next secret.Text, address, userAgent string) (SignedIn, error) {
	if err := checkPassword(next, user.Email); err != nil {
		return SignedIn{}, err
	}
	if err := s.CheckPassword(ctx, user, old, address); err != nil {
		return SignedIn{}, err
	}
	current, err := s.store.UserByEmail(ctx, user.Email)
	if err != nil {
		return SignedIn{}, err
	}
	hash, err := s.hashOf(ctx, next)
	if err != nil {
		return SignedIn{}, err
	}
	if err := s.opts.Security.SetPassword(ctx, user.ID, current.PasswordHash, hash, s.now().UTC()); err != nil {
		return SignedIn{}, err
	}
	current.PasswordHash = hash
	return s.startSession(withoutLines(ctx), current, userAgent)
}

func (s *Service) hashOf(ctx context.Context, password secret.Text) (string, error) {
	normal, ok := normalPassword(password)
	if !ok {
		return "", fault.New(fault.Invalid, "password must be text in UTF-8")
	}
	return s.passwords.hash(ctx, normal)
}

// ResetTTL is how long a link to a new password works: long enough for slow
// mail, short enough that an old mailbox is no key.
const ResetTTL = time.Hour

// BeginReset returns a token by which the user with the address can set a new
// password; the token is empty for an address nobody has. The caller sends it
// to that address and answers alike in both cases.
func (s *Service) BeginReset(ctx context.Context, email string) (User, secret.Text, error) {
	user, err := s.UserByEmail(ctx, email)
	if fault.Is(err, fault.NotFound) {
		return User{}, secret.Text{}, nil
	}
	if err != nil {
		return User{}, secret.Text{}, err
	}
	token, hash, err := resetToken.make(s.opts.Random)
	if err != nil {
		return User{}, secret.Text{}, err
	}
	now := s.now().UTC()
	return user, token, s.opts.Security.AddReset(ctx, hash, user.ID, now, now.Add(ResetTTL))
}

// FinishReset sets a new password by the token of BeginReset, once, and ends
// all sessions of the user. It fails with ErrBadReset, or fault.Invalid for a
// password that breaks a rule, which leaves the token good.
func (s *Service) FinishReset(ctx context.Context, token string, next secret.Text) (User, error) {
	hash, ok := resetToken.hash(token)
	if !ok {
		return User{}, ErrBadReset
	}
	if err := checkPassword(next, ""); err != nil {
		return User{}, err
	}
	password, err := s.hashOf(ctx, next)
	if err != nil {
		return User{}, err
	}
	return s.opts.Security.UseReset(ctx, hash, password, s.now().UTC())
}

// InvitationTTL is how long an invitation holds.
const InvitationTTL = 7 * 24 * time.Hour

// Invite lets somebody sign up with the address. The token is shown only here.
func (s *Service) Invite(ctx context.Context, by User, email string) (secret.Text, error) {
	email, err := NormalizeEmail(email)
	if err != nil {
		return secret.Text{}, err
	}
	token, hash, err := inviteToken.make(s.opts.Random)
	if err != nil {
		return secret.Text{}, err
	}
	now := s.now().UTC()
	return token, s.opts.Security.AddInvitation(ctx, hash, email, by.ID, now, now.Add(InvitationTTL))
}

// CreateInvited makes a user by an invitation, which is used up with it. It
// fails as CreateUser does, or with ErrBadInvitation; the invitation stays good
// then.
func (s *Service) CreateInvited(ctx context.Context, token string, in NewUser) (User, error) {
	hash, ok := inviteToken.hash(token)
	if !ok {
		return User{}, ErrBadInvitation
	}
	u, err := s.newUserWithPassword(ctx, in)
	if err != nil {
		return User{}, err
	}
	return s.opts.Security.CreateInvited(ctx, hash, u)
}

// Logins lists the user's sessions.
func (s *Service) Logins(ctx context.Context, user User) ([]Login, error) {
	sessions, err := s.opts.Security.Logins(ctx, user.ID, s.now())
	logins := make([]Login, len(sessions))
	for i, x := range sessions {
		logins[i] = Login{ID: loginID(x.Token), CreatedAt: x.CreatedAt, ExpiresAt: x.ExpiresAt, UserAgent: x.UserAgent}
	}
	return logins, err
}

// LoginOf names the session of a token as Logins does.
func LoginOf(token string) string {
	h, ok := sessionToken.hash(token)
	if !ok {
		return ""
	}
	return loginID(h)
}

// loginID is a hash of the hash, cut short: enough to tell a user's sessions
// apart, and of no use to anybody.
func loginID(token Hash) string {
	sum := sha256.Sum256(token[:])
	return hex.EncodeToString(sum[:8])
}

// EndLogin revokes one of the user's sessions, or fails with ErrUnknownLogin.
func (s *Service) EndLogin(ctx context.Context, user User, id string) error {
	sessions, err := s.opts.Security.Logins(ctx, user.ID, s.now())
	if err != nil {
		return err
	}
	for _, x := range sessions {
		if loginID(x.Token) == id {
			return s.store.RevokeSession(ctx, x.Token, s.now())
		}
	}
	return ErrUnknownLogin
}
