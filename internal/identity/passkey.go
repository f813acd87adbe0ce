package identity

import (
	"context"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/input"
	"github.com/florinpay/florin/internal/mail"
	"github.com/florinpay/florin/internal/secret"
)

// Limits of passkeys.
const (
	// MaxPasskeys bounds how many a user has: some devices and a spare.
	MaxPasskeys = 10
	// ChallengeTTL is how long a browser may take to answer.
	ChallengeTTL = 5 * time.Minute
)

// Refusals about passkeys. ErrBadPasskey does not say what was wrong: the
// client may be guessing.
var (
	ErrNoPasskeys      = fault.New(fault.Conflict, "passkeys are not available here: the public address of this installation is no https address with a host name")
	ErrBadPasskey      = fault.New(fault.Unauthorized, "the passkey was not accepted; try again")
	ErrCopiedPasskey   = fault.New(fault.Unauthorized, "this passkey may have been copied: its counter went back, so it is not accepted; sign in with your password and remove it")
	ErrHasPasskey      = fault.New(fault.Conflict, "this passkey is registered already")
	ErrTooManyPasskeys = fault.New(fault.Conflict, "there are at most %d passkeys; remove one first", MaxPasskeys)
	ErrUnknownPasskey  = fault.New(fault.NotFound, "there is no such passkey")
)

// Passkey is a discoverable credential of a user (Web Authentication Level 3).
type Passkey struct {
	ID         string // ULID
	UserID     int64
	Name       string      // at most 100 characters
	Credential []byte      // its id, as the authenticator chose it
	Record     secret.Text // public key, sign counter and flags, as RelyingParty writes them
	CreatedAt  time.Time
	UsedAt     time.Time // zero if never
}

// MayAddPasskey fails with ErrTooManyPasskeys for a user who has so many.
func MayAddPasskey(have int) error {
	if have >= MaxPasskeys {
		return ErrTooManyPasskeys
	}
	return nil
}

// Purpose is what a challenge is for; an answer for one purpose is refused for
// another.
type Purpose string

// The purposes.
const (
	PurposeRegister Purpose = "register"
	PurposeSignIn   Purpose = "sign in"
	PurposeConfirm  Purpose = "confirm"
)

// Challenge is a challenge to a browser, stored until it answers.
type Challenge struct {
	// Holder is the hash of the token of the browser that was challenged.
	Holder    Hash
	Purpose   Purpose
	State     string // as RelyingParty writes it
	ExpiresAt time.Time
}

// RelyingParty implements the protocol. It stores nothing.
type RelyingParty interface {
	// AskNew challenges a browser to create a passkey beside those the user has.
	AskNew(user User, have []Passkey) (Question, error)
	// Made returns Credential and Record of the new passkey, or ErrBadPasskey.
	Made(user User, state, answer string) (Passkey, error)
	// Ask challenges for one of the user's passkeys; of the zero User, for any user's.
	Ask(user User, have []Passkey) (Question, error)
	// Names returns the public id of the user the answer claims, which is not
	// verified yet, or ErrBadPasskey.
	Names(answer string) (publicID string, err error)
	// Answered returns the passkey that answered, with its new state to store,
	// or fails with ErrBadPasskey. If its counter went back, it returns the
	// passkey with ErrCopiedPasskey.
	Answered(user User, have []Passkey, state, answer string) (Passkey, error)
}

// Question is a challenge as the browser gets it.
type Question struct {
	Options string // JSON, for navigator.credentials
	State   string // what the answer is checked against
}

// HasPasskeys reports whether passkeys are available at all.
func (s *Service) HasPasskeys() bool { return s.opts.RelyingParty != nil }

// PasskeysOf lists the user's passkeys, the oldest first.
func (s *Service) PasskeysOf(ctx context.Context, user User) ([]Passkey, error) {
	if !s.HasPasskeys() {
		return nil, nil
	}
	a, err := s.store.UserAccount(ctx, By{ID: user.ID})
	return a.Passkeys, err
}

// keep stores a challenge for its holder.
func (s *Service) keep(ctx context.Context, holder Hash, p Purpose, q Question) error {
	now := s.now().UTC()
	return s.store.AddChallenge(
		ctx, Challenge{Holder: holder, Purpose: p, State: q.State, ExpiresAt: now.Add(ChallengeTTL)}, now,
	)
}

// NewPasskey challenges the browser of the session to create a passkey for the
// user, and returns the options. The caller has re-authenticated the user: a
// passkey alone is enough to sign in. It fails with ErrNoPasskeys or ErrTooManyPasskeys.
func (s *Service) NewPasskey(ctx context.Context, user User, session secret.Text) (string, error) {
	have, holder, err := s.passkeysIn(ctx, user, session)
	if err != nil {
		return "", err
	}
	if err := s.RequireVerified(user); err != nil {
		return "", err
	}
	if err := MayAddPasskey(len(have)); err != nil {
		return "", err
	}
	q, err := s.opts.RelyingParty.AskNew(user, have)
	if err != nil {
		return "", err
	}
	return q.Options, s.keep(ctx, holder, PurposeRegister, q)
}

// passkeysIn returns the user's passkeys and the holder of the session's challenges.
func (s *Service) passkeysIn(ctx context.Context, user User, session secret.Text) ([]Passkey, Hash, error) {
	if !s.HasPasskeys() {
		return nil, Hash{}, ErrNoPasskeys
	}
	holder, ok := SessionToken.Hash(session.Reveal())
	if !ok {
		return nil, Hash{}, ErrBadSession
	}
	a, err := s.store.UserAccount(ctx, By{ID: user.ID})
	return a.Passkeys, holder, err
}

// PasskeyName returns the name as it is stored; "Passkey" for an empty one.
// It fails with fault.Invalid naming name.
func PasskeyName(name string) (string, error) {
	name, err := input.Text("name", name, input.MaxName)
	if err == nil && name == "" {
		name = "Passkey"
	}
	return name, err
}

// AddPasskey stores the passkey that answers the challenge of NewPasskey in the same session, and ends every other
// session of the user. It fails with ErrBadPasskey, ErrHasPasskey, ErrTooManyPasskeys, or fault.Invalid naming name.
func (s *Service) AddPasskey(
	ctx context.Context, user User, name, answer string, act audit.Act,
) (Passkey, error) {
	name, err := PasskeyName(name)
	if err != nil {
		return Passkey{}, err
	}
	if err := s.RequireVerified(user); err != nil {
		return Passkey{}, err
	}
	_, holder, err := s.passkeysIn(ctx, user, act.Session)
	if err != nil {
		return Passkey{}, err
	}
	now := s.now().UTC()
	c, err := s.challenge(ctx, holder, PurposeRegister)
	if err != nil {
		return Passkey{}, err
	}
	p, err := s.opts.RelyingParty.Made(user, c.State, answer)
	if err != nil {
		return Passkey{}, err
	}
	p.ID, p.UserID, p.Name, p.CreatedAt = s.newID(now), user.ID, name, now
	r := act.Record(user.ID, audit.ActionPasskeyAdd, p.Name, "", s.factorMails(act, user, mail.T("A passkey was added"),
		mail.T("A passkey called “{{.Name}}” was added to your account. The device that has it can sign in to Florin as you. "+
			"Every other session was ended.", "Name", p.Name),
		mail.T("If this was not you, remove it and change your password at once:").Then(s.security()))...)
	return p, s.update(ctx, user.ID, func(a Account) (Change, error) { return a.AddPasskey(p, holder, r) })
}

// RenamePasskey renames a passkey of the user. It fails with ErrUnknownPasskey, or
// fault.Invalid naming name.
func (s *Service) RenamePasskey(ctx context.Context, user User, id, name string, act audit.Act) error {
	if !s.HasPasskeys() {
		return ErrNoPasskeys
	}
	name, err := PasskeyName(name)
	if err != nil {
		return err
	}
	return s.update(ctx, user.ID, func(a Account) (Change, error) {
		return a.RenamePasskey(id, name, func(before string) audit.Record {
			return act.Record(user.ID, audit.ActionPasskeyName, before, name)
		})
	})
}

// RemovePasskey removes a passkey of the user and ends every session of theirs
// but this one. The caller has re-authenticated the user. It returns the removed
// passkey, or ErrUnknownPasskey.
func (s *Service) RemovePasskey(
	ctx context.Context, user User, id string, act audit.Act,
) (removed Passkey, err error) {
	if !s.HasPasskeys() {
		return Passkey{}, ErrNoPasskeys
	}
	keep, ok := SessionToken.Hash(act.Session.Reveal())
	if !ok {
		return Passkey{}, ErrBadSession
	}
	err = s.update(ctx, user.ID, func(a Account) (Change, error) {
		return a.RemovePasskey(id, keep, s.now().UTC(), func(p Passkey) audit.Record {
			removed = p
			mails := s.factorMails(act, user, mail.T("A passkey was removed"),
				mail.T("The passkey called “{{.Name}}” no longer signs in to Florin, and every other session was ended.",
					"Name", p.Name),
				mail.T("If this was not you, change your password at once:").Then(s.security()))
			return act.Record(user.ID, audit.ActionPasskeyRemove, p.Name, "", mails...)
		})
	})
	return removed, err
}
