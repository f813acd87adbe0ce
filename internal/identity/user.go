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
	// Language is the BCP 47 tag of the language of pages and mails, such as de; empty: never chosen.
	Language   string
	Operator   bool
	CreatedAt  time.Time
	DisabledAt time.Time // zero unless the operator disabled the user
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
	Language  string // User.Language
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
	a, err := s.store.UpdateUser(ctx, By{}, func(a Account) (Change, error) {
		return a.Create(u, act.Record(0, audit.ActionSignUp, "", "")), nil
	})
	return a.User, err
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
	err := errors.Join(badEmail, checkPassword(in.Password, email), badFirst, badLast, checkLanguage(in.Language))
	if err != nil {
		return User{}, err
	}
	u := User{
		PublicID: cmp.Or(in.PublicID, s.newID(now)), Email: email, FirstName: first, LastName: last,
		Language: in.Language, Operator: in.Operator, CreatedAt: now,
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
	return s.user(ctx, By{Email: email})
}

// user returns a user, or ErrUnknownUser.
func (s *Service) user(ctx context.Context, by By) (User, error) {
	u, err := s.store.User(ctx, by)
	if err == nil && u.ID == 0 {
		err = ErrUnknownUser
	}
	return u, err
}

// update changes the account of a user.
func (s *Service) update(ctx context.Context, userID int64, decide func(Account) (Change, error)) error {
	_, err := s.store.UpdateUser(ctx, By{ID: userID}, decide)
	return err
}

// record stores what an act left that changed nothing else.
func (s *Service) record(ctx context.Context, r audit.Record) error {
	return s.update(ctx, 0, func(a Account) (Change, error) { return Change{Account: a, Record: r}, nil })
}

// addLink stores a link.
func (s *Service) addLink(ctx context.Context, l Link, r audit.Record) error {
	return s.update(ctx, 0, func(a Account) (Change, error) {
		a.Link = l
		return Change{Account: a, Record: r}, nil
	})
}

// linked returns the account that a link was made for, with the link.
func (s *Service) linked(ctx context.Context, kind LinkKind, token Hash) (Account, error) {
	return s.store.UserAccount(ctx, By{Link: kind, Token: token})
}

// NormalizeEmail returns the address in the form users are stored under. It
// fails with fault.Invalid naming email.
func NormalizeEmail(text string) (string, error) { return input.Email("email", text) }
