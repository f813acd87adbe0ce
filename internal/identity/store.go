package identity

import (
	"context"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/mail"
)

// Store keeps users, their sessions and credentials. Every method is
// one transaction.
type Store interface { //nolint:interfacebloat // sessions, factors and passkeys end with the user, in one transaction
	// UpdateUser locks the user, calls decide and writes its Change, all in one transaction. decide may run again, so
	// it must have no effects. It fails with decide's own error, or with ErrHasPasskey for a passkey of another user;
	// nothing is written then.
	UpdateUser(ctx context.Context, userID int64, decide func(Account) (Change, error)) error
	// UserAccount reads a user with all that they sign in with.
	UserAccount(ctx context.Context, userID int64) (Account, error)
	// CreateUser stores a new user, the owner of a merchant account of their
	// own, and returns it with its ID, or ErrEmailTaken.
	CreateUser(ctx context.Context, u User, r audit.Record) (User, error)
	// ShopNames returns the names of the shops of the merchants that the user belongs to.
	ShopNames(ctx context.Context, userID int64) ([]string, error)
	// UserByEmail and UserByPublicID fail with ErrUnknownUser.
	UserByEmail(ctx context.Context, email string) (User, error)
	UserByPublicID(ctx context.Context, id string) (User, error)
	// CreateSession stores a session, which acts for the merchant its user
	// chose last.
	CreateSession(ctx context.Context, s Session, r audit.Record) error
	RevokeSession(ctx context.Context, token Hash, now time.Time, r audit.Record) error
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

	// AddReset stores the hash of a reset token; UseReset uses it up once and
	// sets the password as Account.SetPassword does, or fails with ErrBadReset. If
	// addresses are verified and this one was not, factors, passkeys,
	// keys and other members are dropped.
	// ResetUser returns the user of a token, which stays valid.
	AddReset(ctx context.Context, token Hash, userID int64, now, until time.Time, r audit.Record) error
	ResetUser(ctx context.Context, token Hash, now time.Time) (User, error)
	UseReset(
		ctx context.Context, token Hash, next string, verifies bool, now time.Time, r audit.Record,
	) (Reset, error)
	// AddSignUp stores a sign-up, and SignUp returns it, or ErrBadVerification.
	// FinishSignUp uses it up: it stores its user as CreateUser does, or verifies
	// the one with that ID. It fails with ErrBadVerification or ErrEmailTaken.
	AddSignUp(ctx context.Context, token Hash, p SignUp, now time.Time, mails []mail.Mail) error
	SignUp(ctx context.Context, token Hash, now time.Time) (SignUp, error)
	FinishSignUp(ctx context.Context, token Hash, now time.Time, r audit.Record) (User, error)
	// AddInvitation stores the hash of an invitation for an address.
	// CreateInvited uses it up and stores the user as CreateUser does, or fails
	// with ErrBadInvitation or ErrEmailTaken and changes nothing.
	AddInvitation(
		ctx context.Context, token Hash, email string, by int64, now, until time.Time, r audit.Record,
	) error
	// CheckInvitation fails with ErrBadInvitation for a token that CreateInvited would refuse.
	CheckInvitation(ctx context.Context, token Hash, now time.Time) error
	CreateInvited(ctx context.Context, token Hash, u User, r audit.Record) (User, error)
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
	FailReauth(
		ctx context.Context, token Hash, now time.Time, decide func(wrong int) (end bool, r audit.Record),
	) error
	// NoteGuesses stores that the user with the address is notified of guesses at
	// now. notify is false if there is no such user, or if they were notified at
	// another time after since.
	NoteGuesses(ctx context.Context, email string, now, since time.Time) (notify bool, err error)
	// Record stores what an act left that changed nothing else.
	Record(ctx context.Context, r audit.Record) error

	// SecondFactor returns the second factor of the user; ok is false if there is none.
	SecondFactor(ctx context.Context, userID int64) (f SecondFactor, ok bool, err error)

	// AddChallenge stores a challenge, replaces an earlier one of the same
	// holder and purpose, and drops those that expired before now.
	AddChallenge(ctx context.Context, c Challenge, now time.Time) error
	// TakeChallenge uses a challenge up, whether the answer is right or not, or
	// fails with ErrBadPasskey if there is none at now.
	TakeChallenge(ctx context.Context, holder Hash, p Purpose, now time.Time) (Challenge, error)
}
