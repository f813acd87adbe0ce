package account

import (
	"context"

	"github.com/florinpay/florin/internal/secret"
)

// NewUser asks for a user.
type NewUser struct {
	Email     string
	Password  secret.Text
	FirstName string // at most 100 characters; may be empty
	LastName  string
	Operator  bool
}

// CreateUser makes a user. It fails with fault.Invalid naming the field, or
// ErrEmailTaken.
func (s *Service) CreateUser(ctx context.Context, in NewUser) (User, error) {
	u, err := s.newUserWithPassword(ctx, in)
	if err != nil {
		return User{}, err
	}
	return s.store.CreateUser(ctx, u)
}

func (s *Service) newUserWithPassword(ctx context.Context, in NewUser) (User, error) {
	u, err := s.newUser(in)
	if err != nil {
		return User{}, err
	}
	password, _ := normalPassword(in.Password)
	u.PasswordHash, err = s.passwords.hash(ctx, password)
	return u, err
}

func (s *Service) newUser(in NewUser) (User, error) {
	now := s.now().UTC()
	email, err := NormalizeEmail(in.Email)
	if err != nil {
		return User{}, err
	}
	if err := checkPassword(in.Password, email); err != nil {
		return User{}, err
	}
	first, err := cleanText("firstName", in.FirstName, maxName)
	if err != nil {
		return User{}, err
	}
	last, err := cleanText("lastName", in.LastName, maxName)
	if err != nil {
		return User{}, err
	}
	id, err := s.newID(now)
	if err != nil {
		return User{}, err
	}
	return User{PublicID: id, Email: email, FirstName: first, LastName: last, Operator: in.Operator, CreatedAt: now}, nil
}

// UserByEmail returns the user with the address, or ErrUnknownUser.
func (s *Service) UserByEmail(ctx context.Context, email string) (User, error) {
	email, err := NormalizeEmail(email)
	if err != nil {
		return User{}, err
	}
	return s.store.UserByEmail(ctx, email)
}
