package merchant

import (
	"context"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/idempotency"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/mail"
)

// By says which account: that of the ID, or of an open invitation or change by its token.
type By struct {
	ID    int64
	Token identity.Hash
}

// Store keeps merchant accounts. Every method is one transaction.
type Store interface {
	// UpdateAccount locks the account, calls decide and writes its Change, all in one transaction. keyID is the key
	// that is acted on, 0 for none: decide is given its custodian. decide may run again, so it must have no effects.
	// It fails with decide's own error, with ledger.ErrNoCredits, with idempotency.ErrRunning, or with
	// identity.ErrEmailTaken where a member is a new user; nothing is written then.
	UpdateAccount(ctx context.Context, id, keyID int64, decide func(Account) (Change, error)) (Done, error)
	// Account reads an account without a custodian; one that there is not is empty.
	Account(ctx context.Context, by By) (Account, error)
	// Keys lists all keys that the account ever had, revoked ones last.
	Keys(ctx context.Context, id int64) ([]Key, error)
	// Locked reports whether the owners locked where the account's money goes.
	Locked(ctx context.Context, id int64) (bool, error)
	// DueWaiting returns changes of any account that are due at now, the longest due first.
	DueWaiting(ctx context.Context, now time.Time, limit int) ([]Waiting, error)

	// KeyByHash returns the key in use with the hash and its owner's name; one without an ID if there is none.
	KeyByHash(ctx context.Context, h identity.Hash) (Key, error)
	// RetiredAnswer returns the kept answer of the request that replaced the
	// old key, and the key's ID, which is 0 for any other request.
	RetiredAnswer(
		ctx context.Context, old identity.Hash, name string, request idempotency.Hash, now time.Time,
	) (int64, idempotency.Answer, error)
	// TouchKeys sets when the keys with these ids were last used, where that
	// is later than what is stored.
	TouchKeys(ctx context.Context, used map[int64]time.Time) error
	// Key returns a key, revoked or not, or ErrUnknownKey.
	Key(ctx context.Context, keyID int64) (Key, error)
	// RecordSales stores a mail of the kind about sales of the key, unless one waits, or the last one ended less than
	// RefusedEvery ago.
	RecordSales(ctx context.Context, kind mail.Kind, keyID int64, now time.Time) error
	// Balance returns the credits and queries of the key.
	Balance(ctx context.Context, keyID int64) (ledger.Balance, error)
	// Custodian returns the custodian of the key, or ErrNoCustodian.
	Custodian(ctx context.Context, keyID int64) (Custodian, error)
	// Logo returns the logo with the hash, or fault.NotFound.
	Logo(ctx context.Context, hash string) (Logo, error)

	// MembershipBySession returns the user of a session that has neither
	// expired at now nor been revoked, and the merchant it acts for. The role
	// is read afresh: a removed member has none. Otherwise it fails with
	// fault.Unauthorized.
	MembershipBySession(ctx context.Context, token identity.Hash, now time.Time) (Membership, error)
	// MembershipsOf lists the merchants the user belongs to, their own first.
	MembershipsOf(ctx context.Context, user identity.User) ([]Membership, error)
	// ChooseMerchant makes the session, and the user's next ones, act for the
	// merchant, or fails with ErrNoMerchant.
	ChooseMerchant(ctx context.Context, token identity.Hash, userID, merchantID int64, now time.Time) error
	// AuditLog lists what the user did to their own sign-in, and what was done for the merchant (0: none),
	// before the entry given (0: from the newest), the newest first.
	AuditLog(ctx context.Context, userID, merchantID, before int64, limit int) ([]audit.Entry, error)
}
