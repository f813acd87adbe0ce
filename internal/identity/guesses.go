package identity

import (
	"context"
	"sync"
	"time"
)

// GuessNoticeEvery is the shortest time between two mails that warn a user of
// throttled sign-in attempts: an attacker must not be able to fill a mailbox.
const GuessNoticeEvery = 24 * time.Hour

// Guessed returns the user for whom too many sign-ins failed, so that they can be
// notified. due is false if the limit of that user was not the one reached, if no
// user has the address, or if they were notified within GuessNoticeEvery. c are
// the credentials that SignIn or EnterWithCode refused with fault.Limited.
func (s *Service) Guessed(ctx context.Context, c Credentials) (user User, due bool, err error) {
	email, err := NormalizeEmail(c.Email)
	if err != nil {
		return User{}, false, nil //nolint:nilerr // an invalid address belongs to no user
	}
	now := s.now().UTC()
	if !s.guesses.due(email, now) {
		return User{}, false, nil
	}
	// A client that is asked for a code has the password: the user is notified
	// even if the limit of codes was the one reached.
	if c.Code == "" {
		wait, err := s.store.AttemptWait(ctx, userLimits(email, c), now)
		if err != nil || wait <= 0 {
			return User{}, false, err
		}
	}
	s.guesses.noted(email, now)
	return s.store.NoteGuesses(ctx, email, now, now.Add(-GuessNoticeEvery))
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
	g.until[email] = now.Add(GuessNoticeEvery)
}
