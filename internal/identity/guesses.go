package identity

import (
	"context"
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
	// A client that is asked for a code has the password: the user is notified
	// even if the limit of codes was the one reached.
	if !s.attempts.alarm(email, c.Address, c.Code != "", now) {
		return User{}, false, nil
	}
	return s.store.NoteGuesses(ctx, email, now, now.Add(-GuessNoticeEvery))
}

// alarm reports, once in GuessNoticeEvery, whether sign-ins of the user are being
// throttled, from the address or from all addresses. It saves a database query
// for each try of an attacker.
func (t *throttle) alarm(email, address string, slowed bool, now time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	both, _ := senders(email, address)
	slowed = slowed || t.wait(both, perUserAndAddress, now) > 0 || t.wait(sender{email, everywhere}, perUser, now) > 0
	if !slowed || now.Before(t.alarmed[email]) {
		return false
	}
	if len(t.alarmed) >= maxTracked {
		clear(t.alarmed) // the database also stores who was notified
	}
	t.alarmed[email] = now.Add(GuessNoticeEvery)
	return true
}
