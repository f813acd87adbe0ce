package identity

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/input"
	"github.com/florinpay/florin/internal/secret"
)

// User is a person who signs in.
type User struct {
	ID           int64
	PublicID     string // ULID
	Email        string // lower case, unique
	FirstName    string
	LastName     string
	PasswordHash string // argon2id
	Operator     bool
	CreatedAt    time.Time
	DisabledAt   time.Time // zero unless the operator disabled the user
	// VerifiedAt is since when the address is known to be the user's; zero if it
	// is not.
	VerifiedAt time.Time
}

// NewUser is the input of CreateUser.
type NewUser struct {
	// PublicID makes a repeated request the same user; empty for a fresh one.
	PublicID  string
	Email     string
	Password  secret.Text
	FirstName string // at most 100 characters; may be empty
	LastName  string
	Operator  bool
	// Team is the merchant whose team the user joins; 0 for none. The password must not
	// have the names of its shops.
	Team int64
	// Verified: the operator confirms the address, or a link was mailed there.
	Verified bool
}

// CreateUser creates a user. It fails with fault.Invalid naming the field, or
// ErrEmailTaken.
func (s *Service) CreateUser(ctx context.Context, in NewUser, act audit.Act) (User, error) {
	u, err := s.Prepare(ctx, in)
	if err != nil {
		return User{}, err
	}
	return s.store.CreateUser(ctx, u, act.Record(0, audit.ActionSignUp, "", ""))
}

// Prepare returns a user for another operation to store, such as joining a team.
// It fails as CreateUser does, except with ErrEmailTaken.
func (s *Service) Prepare(ctx context.Context, in NewUser) (User, error) {
	u, err := s.newUser(in)
	if err != nil {
		return User{}, err
	}
	around := User{ID: in.Team, Email: u.Email, FirstName: u.FirstName, LastName: u.LastName}
	if err := s.checkWordsOf(ctx, in.Password, around); err != nil {
		return User{}, err
	}
	password, _ := normalPassword(in.Password)
	u.PasswordHash, err = s.passwords.hash(ctx, password, false)
	return u, err
}

func (s *Service) newUser(in NewUser) (User, error) {
	now := s.now().UTC()
	email, badEmail := NormalizeEmail(in.Email)
	first, badFirst := input.Text("firstName", in.FirstName, input.MaxName)
	last, badLast := input.Text("lastName", in.LastName, input.MaxName)
	if err := errors.Join(badEmail, checkPassword(in.Password, email), badFirst, badLast); err != nil {
		return User{}, err
	}
	u := User{
		PublicID: cmp.Or(in.PublicID, s.newID(now)), Email: email, FirstName: first, LastName: last,
		Operator: in.Operator, CreatedAt: now,
	}
	if in.Verified {
		u.VerifiedAt = now
	}
	return u, nil
}

// UserByEmail returns the user with the address, or ErrUnknownUser.
func (s *Service) UserByEmail(ctx context.Context, email string) (User, error) {
	email, err := NormalizeEmail(email)
	if err != nil {
		return User{}, err
	}
	return s.store.UserByEmail(ctx, email)
}

// NormalizeEmail returns the address in the form users are stored under. It
// fails with fault.Invalid naming email.
func NormalizeEmail(text string) (string, error) { return input.Email("email", text) }
