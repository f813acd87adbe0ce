package identity

import (
	"context"
	"time"

	"github.com/florinpay/florin/internal/audit"
)

// Store keeps users, their sessions and credentials. Every method is
// one transaction.
type Store interface { //nolint:interfacebloat // sessions, factors and passkeys end with the user, in one transaction
	// UpdateUser locks the account, calls decide and writes its Change, all in one transaction. decide may run again,
	// so it must have no effects. A user without an ID is stored, the owner of a merchant account of their own. It
	// fails with decide's own error, with ErrHasPasskey for a passkey of another user, or with ErrEmailTaken; nothing
	// is written then. It returns the account that it has stored.
	UpdateUser(ctx context.Context, by By, decide func(Account) (Change, error)) (Account, error)
	// UserAccount reads an account, an empty one if there is none. User reads its user alone.
	UserAccount(ctx context.Context, by By) (Account, error)
	User(ctx context.Context, by By) (User, error)
	// ShopNames returns the names of the shops of the merchants that the user belongs to.
	ShopNames(ctx context.Context, userID int64) ([]string, error)
	// CreateSession stores a session, which acts for the merchant its user
	// chose last.
	CreateSession(ctx context.Context, s Session, r audit.Record) error
	// RenewSession replaces the token of a session that has not ended, also in the
	// challenges and the authenticator that wait for it, and returns when the session
	// ends; or fails with ErrBadSession.
	RenewSession(ctx context.Context, old, next Hash, now time.Time) (expires time.Time, err error)
	// SessionConfirmed returns when the session of a token ends, if its user re-authenticated since, or fails with
	// ErrBadSession.
	SessionConfirmed(ctx context.Context, token Hash, since, now time.Time) (expires time.Time, err error)
	// Logins lists the sessions that are neither over, idle nor revoked, the newest
	// first, with the hash of each token.
	Logins(ctx context.Context, userID int64, now time.Time) ([]Session, error)

	// TakeAttempt counts one against every limit (Limit.Take), or nothing if one
	// is used up, and returns how long to wait then. ReturnAttempt undoes it, and
	// clears the limits to forget.
	TakeAttempt(ctx context.Context, limits []Limit, now time.Time) (wait time.Duration, err error)
	ReturnAttempt(ctx context.Context, limits []Limit, forget ...Hash) error
	// AttemptWait returns how long TakeAttempt would have to wait, and counts nothing.
	AttemptWait(ctx context.Context, limits []Limit, now time.Time) (time.Duration, error)
	// PruneAttempts deletes the counts of limits that are whole at now.
	PruneAttempts(ctx context.Context, now time.Time) error
	// FailSignIn appends an entry to the audit log of the user with the e-mail
	// address. It takes as long if no user has it.
	FailSignIn(ctx context.Context, email string, touch Hash, entry audit.Entry) error
	// FailReauth counts a failed re-authentication of the session, and stores what decide returns for how many there
	// were since the last one that did not fail; end ends the session.
	FailReauth(ctx context.Context, token Hash, now time.Time, decide func(wrong int) (end bool, r audit.Record)) error
	// NoteGuesses stores that the user with the address is notified of guesses at
	// now. notify is false if there is no such user, or if they were notified at
	// another time after since.
	NoteGuesses(ctx context.Context, email string, now, since time.Time) (notify bool, err error)
	// SecondFactor returns the second factor of the user; ok is false if there is none.
	SecondFactor(ctx context.Context, userID int64) (f SecondFactor, ok bool, err error)

	// AddChallenge stores a challenge, replaces an earlier one of the same
	// holder and purpose, and drops those that expired before now.
	AddChallenge(ctx context.Context, c Challenge, now time.Time) error
	// TakeChallenge uses a challenge up, whether the answer is right or not, or
	// fails with ErrBadPasskey if there is none at now.
	TakeChallenge(ctx context.Context, holder Hash, p Purpose) (Challenge, error)
}
