package identity

import (
	"context"
	"sync"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/mail"
)

// GuessMailEvery is the shortest time between two mails that warn a user of
// throttled sign-in attempts: an attacker must not be able to fill a mailbox.
const GuessMailEvery = 24 * time.Hour

// limited returns the refusal of a sign-in. The user for whom too many failed is mailed, unless the limit of that user
// was not the one reached. The mail is stored whether or not a user has the address, and NoteGuesses decides when it is
// to be sent: how long this takes tells nobody.
func (s *Service) limited(ctx context.Context, c Credentials, refusal error) error {
	if !fault.Is(refusal, fault.Limited) {
		return refusal
	}
	return also(refusal, s.guessed(context.WithoutCancel(ctx), c))
}

func (s *Service) guessed(ctx context.Context, c Credentials) error {
	email, err := NormalizeEmail(c.Email)
	if err != nil || !s.opts.Mail.Enabled() {
		return nil //nolint:nilerr // an invalid address belongs to no user
	}
	now := s.now().UTC()
	if !s.guesses.due(email, now) {
		return nil
	}
	// A client that is asked for a code has the password: the user is notified
	// even if the limit of codes was the one reached.
	if c.Code == "" {
		wait, err := s.store.AttemptWait(ctx, userLimits(email, c), now)
		if err != nil || wait <= 0 {
			return err
		}
	}
	return s.noteGuesses(ctx, email)
}

// noteGuesses stores a mail to the user with the address, if there is one, that others guess at their password.
func (s *Service) noteGuesses(ctx context.Context, email string) error {
	now := s.now().UTC()
	if !s.opts.Mail.Enabled() || !s.guesses.due(email, now) {
		return nil
	}
	err := s.record(ctx, audit.Record{Mails: s.opts.Mail.Guessed(now, email,
		mail.T("Failed attempts to sign in to your account"),
		mail.T("There were too many failed attempts to sign in to your Florin account, so further attempts are slowed down. "+
			"The browsers you have signed in from before still work, and a new password by mail lets another in."),
		mail.T("If it was you, wait a little and try again. If it was not you, no one has signed in so far. "+
			"Use a password that you use nowhere else, and a second factor or a passkey:").Then(s.security()),
		mail.T("This mail is sent at most once in 24 hours."))})
	if err == nil {
		s.guesses.noted(email, now)
	}
	return err
}

// NoteGuesses stores that the user with the address is notified of guesses at the time given. It returns false if there
// is no such user, or if they were notified at another time within GuessMailEvery.
func (s *Service) NoteGuesses(ctx context.Context, email string, at time.Time) (bool, error) {
	return s.store.NoteGuesses(ctx, email, at, at.Add(-GuessMailEvery))
}

// userLimits are the limits of an attempt that are about one user.
func userLimits(email string, c Credentials) []Limit {
	c.Device = ""
	limits := signInLimits(email, c)
	return limits[:min(2, len(limits))]
}

// maxGuessed bounds the memory of guesses: beyond it the database is asked.
const maxGuessed = 20_000

// guesses holds until when each e-mail address needs no other notice. It saves a
// query for each try of an attacker; the database knows who was notified.
type guesses struct {
	mu    sync.Mutex
	until map[string]time.Time
}

func (g *guesses) due(email string, now time.Time) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return !now.Before(g.until[email])
}

func (g *guesses) noted(email string, now time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.until) >= maxGuessed {
		clear(g.until)
	}
	g.until[email] = now.Add(GuessMailEvery)
}
