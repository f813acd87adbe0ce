// Package identity manages users: signing in by password, second factor or
// passkey, sessions, and throttling of guesses.
//
// Its one invariant: a secret is stored only as a hash or sealed, and shown
// once, when it is made.
//
// # Verified addresses
//
// Where mail is sent (Options.VerifyEmail), signing up makes no user: a SignUp
// waits until its link is opened and its password typed again. Every sign-up is
// answered alike, so it does not reveal who has an account; the owner of a taken
// address is mailed instead. UserSignUp answers 202 then, without a token, and
// UserLogin follows once the link was opened.
//
// Where no mail is sent, no address can be verified. Then configuration allows open
// sign-up only to installations that are not public, where UserSignUp answers 200
// with a token at once; on others users need an invitation or the operator.
// Users made so are unverified (User.VerifiedAt). Once mail is sent they go on,
// but make no factor, passkey, key or member, and join no team, before they
// verify their address (Service.RequireVerified); and a reset by mail takes away
// all of these, since somebody else may have made them.
package identity

import (
	"crypto/rand"
	"crypto/sha256"
	"io"
	"time"

	"github.com/alexedwards/argon2id"
	"github.com/oklog/ulid/v2"

	"github.com/florinpay/florin/internal/mail"
	"github.com/florinpay/florin/internal/secret"
)

// Options are the dependencies beside the store. The zero value works.
type Options struct {
	// RelyingParty speaks the passkey protocol; nil offers no passkeys.
	RelyingParty RelyingParty
	// VerifyEmail: mail is sent, so users verify their addresses.
	VerifyEmail bool
	// Mail makes mails to users; nil: none is sent.
	Mail *mail.Writer
	// Words are names of this installation, such as its host: no password has them.
	Words []string
	// SessionKey is what the token of a renewed session derives from; nil: a key of this service alone, which other
	// instances do not know.
	SessionKey []byte
	// Random is the source of tokens and ids; nil means crypto/rand.
	Random io.Reader
	// Hashing is the cost of a password's hash; nil means what OWASP recommends. Only tests pay less.
	Hashing *argon2id.Params
}

// Service signs users in and changes their credentials. It is safe for
// concurrent use.
type Service struct {
	store     Store
	now       func() time.Time
	opts      Options
	passwords *hasher
	guesses   guesses
}

// New returns the service. now returns the current time.
func New(store Store, now func() time.Time, opts Options) *Service {
	if opts.Random == nil {
		opts.Random = rand.Reader
	}
	if opts.SessionKey == nil {
		opts.SessionKey = make([]byte, sha256.Size)
		_, _ = rand.Read(opts.SessionKey) // never fails (crypto/rand)
	}
	if opts.Hashing == nil {
		opts.Hashing = hashing
	}
	return &Service{
		store: store, now: now, opts: opts,
		passwords: newHasher(opts.Hashing), guesses: guesses{until: make(map[string]time.Time)},
	}
}

// link returns an address of this installation that ends in a token, for a mail.
func (s *Service) link(path string, token secret.Text) string {
	return s.opts.Mail.Link(path + token.Reveal())
}

// security returns the address of the page where users change what they sign in with, and forgot that of the page that
// mails a link to a new password.
func (s *Service) security() string { return s.opts.Mail.Link("/dashboard/security") }

func (s *Service) forgot() string { return s.opts.Mail.Link("/forgot") }

// newID returns a fresh ULID.
func (s *Service) newID(now time.Time) string {
	return ulid.MustNew(ulid.Timestamp(now), s.opts.Random).String()
}
