package account

import (
	"context"
	"time"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/idempotency"
	"github.com/florinpay/florin/internal/ledger"
)

// Refusals.
var (
	ErrBadKey         = fault.New(fault.Unauthorized, "the API key is missing or not valid")
	ErrNoCustodian    = fault.New(fault.Conflict, "this API key has no custodian yet; create one with createCustodianAccount")
	ErrHasCustodian   = fault.New(fault.Conflict, "this API key already has a custodian; change it with updateCustodianDetails")
	ErrUnknownUser    = fault.New(fault.NotFound, "there is no user with this e-mail address")
	ErrEmailTaken     = fault.New(fault.Conflict, "there is already a user with this e-mail address")
	ErrUnknownKey     = fault.New(fault.NotFound, "there is no such API key")
	ErrBadCredentials = fault.New(fault.Unauthorized, "the e-mail address or the password is wrong")
	ErrTooManyKeys    = fault.New(fault.Conflict, "a user has at most %d API keys in use, and %d in all", MaxKeys, MaxEverKeys)
	ErrDisabled       = fault.New(fault.Forbidden, "this account is disabled; ask whoever runs this service")
	ErrKeyDisabled    = fault.New(fault.Forbidden, "this API key is disabled; ask whoever runs this service")
	ErrClosed         = fault.New(fault.Forbidden, "this merchant account is disabled; ask whoever runs this service")
	ErrBadSession     = fault.New(fault.Unauthorized, "sign in first: the session is missing, has ended or is not valid")
)

// Store keeps users, keys and custodians. Every method is one transaction.
type Store interface {
	// CreateUser stores a new user, the owner of a merchant account of their
	// own, and returns it with its ID, or ErrEmailTaken.
	CreateUser(ctx context.Context, u User) (User, error)
	// UserByEmail returns the user, or ErrUnknownUser.
	UserByEmail(ctx context.Context, email string) (User, error)
	// CreateKey stores a new key with its first entries and returns it with its ID.
	// entries are given the key's ID by the function, for it is known only then.
	CreateKey(ctx context.Context, k Key, entries func(id int64) []ledger.Entry) (Key, error)
	// CreateKeyWithin is CreateKey for a user who has fewer than MaxKeys in use
	// and fewer than MaxEverKeys in all, or fails with ErrTooManyKeys.
	CreateKeyWithin(ctx context.Context, k Key, entries func(id int64) []ledger.Entry) (Key, error)
	// KeyByHash returns the key in use with the hash and its owner's name, or ErrBadKey.
	KeyByHash(ctx context.Context, h Hash) (Key, error)
	// RotateKey carries a replacement out and returns what the key has left;
	// the old key fails from then on. It fails with ErrBadKey if that is no
	// longer in use.
	RotateKey(ctx context.Context, r Replacement) (ledger.Balance, error)
	// RetiredAnswer returns what the request was answered that replaced the
	// old key, and the key; or ErrBadKey for any other request.
	RetiredAnswer(ctx context.Context, old Hash, name string, request idempotency.Hash, now time.Time) (int64, idempotency.Answer, error)
	// Balance returns what the key has left.
	Balance(ctx context.Context, keyID int64) (ledger.Balance, error)
	// Book writes entries by themselves and returns the balance of the key, or
	// credit.ErrNoCredits / ErrNoQueries with nothing written. An entry whose
	// Ref and Unit are booked already is left out.
	Book(ctx context.Context, keyID int64, entries []ledger.Entry) (ledger.Balance, error)

	// CreateCustodian stores the custodian of a key with the entries that pay
	// for it, or ErrHasCustodian.
	CreateCustodian(ctx context.Context, c Custodian, entries []ledger.Entry) (Custodian, error)
	// Custodian returns the custodian of the key, or ErrNoCustodian.
	Custodian(ctx context.Context, keyID int64) (Custodian, error)
	// UpdateCustodian locks the custodian, calls change and stores the result
	// with the entries; change may run again, so it must have no effects.
	UpdateCustodian(ctx context.Context, keyID int64, entries []ledger.Entry, change func(Custodian) (Custodian, error)) (Custodian, error)

	// CreateSession stores a session, which acts for the merchant its user
	// chose last; SeatBySession returns its user, while it has neither expired
	// at now nor been revoked, and for whom it acts, read afresh: who was
	// removed has no role. Otherwise it fails with fault.Unauthorized.
	CreateSession(ctx context.Context, s Session) error
	SeatBySession(ctx context.Context, token Hash, now time.Time) (Seat, error)
	RevokeSession(ctx context.Context, token Hash, now time.Time) error
}

// Session is a signed-in user: a Bearer token or a browser's cookie.
type Session struct {
	Token     Hash
	UserID    int64
	CreatedAt time.Time
	ExpiresAt time.Time
	UserAgent string // at most 200 characters
}
