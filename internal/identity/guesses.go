package identity

import (
	"context"
	"time"
)

// GuessNoticeEvery is how often at most a user is told that sign-in guesses at
// them are being slowed: a guesser must not be able to fill a mailbox.
const GuessNoticeEvery = 24 * time.Hour

// Guessed returns the user at whom too many sign-ins failed, so that they can
// be told; tell is false if the refused one was not slowed for that user's
// sake, if nobody has the address, or if they were told within
// GuessNoticeEvery. c is what SignIn or EnterWithCode refused with fault.Limited.
func (s *Service) Guessed(ctx context.Context, c Credentials) (user User, tell bool, err error) {
	email, err := NormalizeEmail(c.Email)
	if err != nil {
		return User{}, false, nil //nolint:nilerr // what is no address has nobody to be told
	}
	now := s.now().UTC()
	// Whoever is asked for a code has the password: that is worth telling even
	// if it was the codes that ran out.
	if !s.attempts.alarm(email, c.Address, c.Code != "", now) {
		return User{}, false, nil
	}
	return s.store.NoteGuesses(ctx, email, now, now.Add(-GuessNoticeEvery))
}

// alarm reports whether tries at the user are being slowed, from the address or
// from everywhere, once in GuessNoticeEvery. It spares the database what a
// guesser would otherwise have it do with every try.
func (t *throttle) alarm(email, address string, slowed bool, now time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	both, _ := senders(email, address)
	slowed = slowed || t.wait(both, perUserAndAddress, now) > 0 || t.wait(sender{email, everywhere}, perUser, now) > 0
	if !slowed || now.Before(t.alarmed[email]) {
		return false
	}
	if len(t.alarmed) >= maxTracked {
		clear(t.alarmed) // the database still knows who was told
	}
	t.alarmed[email] = now.Add(GuessNoticeEvery)
	return true
}
