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

// Store keeps keys, custodians, memberships and the audit log. Every method is
// one transaction.
type Store interface {
	LockStore

	// CreateKey stores a new key with its first entries and returns it with its
	// ID. entries is called with that ID.
	CreateKey(ctx context.Context, k Key, entries func(id int64) []ledger.Entry, r audit.Record) (Key, error)
	// CreateKeyWithin is CreateKey for a user who has fewer than MaxKeys in use
	// and fewer than MaxEverKeys in all, or fails with ErrTooManyKeys. entries
	// is also given how many keys the user had before, revoked ones included. keep is
	// called after it, with the stored key.
	CreateKeyWithin(
		ctx context.Context, k Key, entries func(id, earlier int64) []ledger.Entry, keep idempotency.Keep[Key],
		r audit.Record,
	) (Key, error)
	// KeyByHash returns the key in use with the hash and its owner's name, or ErrBadKey.
	KeyByHash(ctx context.Context, h identity.Hash) (Key, error)
	// RotateKey replaces the text of a key and returns the balance of the key;
	// the old key fails from then on. It fails with ErrBadKey if that is no
	// longer in use.
	RotateKey(ctx context.Context, r Replacement) (ledger.Balance, error)
	// RetiredAnswer returns the kept answer of the request that replaced the
	// old key, and the key's ID; or ErrBadKey for any other request.
	RetiredAnswer(
		ctx context.Context, old identity.Hash, name string, request idempotency.Hash, now time.Time,
	) (int64, idempotency.Answer, error)
	// SetKeyRights sets what a key of the user may do, from where, and that an
	// owner confirms it, or fails with ErrUnknownKey.
	SetKeyRights(
		ctx context.Context, userID, keyID int64, p Permissions, from Sources, r audit.Record,
	) error
	// SetKeyText and RevokeKey change a key of the user, or fail with ErrUnknownKey.
	SetKeyText(ctx context.Context, userID, keyID int64, which KeyText, text string, r audit.Record) error
	RevokeKey(ctx context.Context, userID, keyID int64, now time.Time, r audit.Record) error
	// DisableKey disables the key at the time given; the zero time enables it.
	// changed is false if nothing changed.
	DisableKey(ctx context.Context, keyID int64, when time.Time, r audit.Record) (changed bool, err error)
	// TouchKeys sets when the keys with these ids were last used, where that
	// is later than what is stored.
	TouchKeys(ctx context.Context, used map[int64]time.Time) error
	// KeysOfUser returns all keys the user ever had, the oldest first, revoked ones last.
	KeysOfUser(ctx context.Context, userID int64) ([]Key, error)
	// Key returns a key, revoked or not, or ErrUnknownKey.
	Key(ctx context.Context, keyID int64) (Key, error)
	// RecordSales stores a mail of the kind about sales of the key, unless one waits, or the last one ended less than
	// RefusedEvery ago.
	RecordSales(ctx context.Context, kind mail.Kind, keyID int64, now time.Time) error
	// Balance returns the credits and queries of the key.
	Balance(ctx context.Context, keyID int64) (ledger.Balance, error)
	// PostEntries posts entries of the key and returns its new balance.
	PostEntries(
		ctx context.Context, keyID int64, entries []ledger.Entry, r audit.Record,
	) (ledger.Balance, error)

	// CreateCustodian and UpdateCustodian keep the answers that keep makes.
	// CreateCustodian stores the custodian of a key with the entries that pay
	// for it, or fails with ErrHasCustodian.
	CreateCustodian(
		ctx context.Context, c Custodian, entries []ledger.Entry, r audit.Record,
		keep ...idempotency.Keep[CustodianWrite],
	) (Custodian, error)
	// Custodian returns the custodian of the key, or ErrNoCustodian.
	Custodian(ctx context.Context, keyID int64) (Custodian, error)
	// UpdateCustodian locks the custodian, calls decide and stores the result
	// with the entries; decide may run again, so it must have no effects.
	UpdateCustodian(
		ctx context.Context, keyID int64, entries []ledger.Entry, decide func(Custodian) (CustodianChange, error),
		keep ...idempotency.Keep[CustodianWrite],
	) (Custodian, error)

	// PutLogo stores the logo of the key's custodian in place of the one before;
	// an empty logo removes it. It fails with ErrNoCustodian.
	PutLogo(ctx context.Context, keyID int64, l Logo, now time.Time, r audit.Record) error
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
	// Members lists the members of the merchant, owners first.
	Members(ctx context.Context, merchantID int64) ([]Member, error)
	// SetRole and RemoveMember fail with ErrUnknownMember, or with ErrLastOwner
	// where no owner would be left.
	SetRole(ctx context.Context, merchantID, userID int64, role Role, r audit.Record) error
	RemoveMember(ctx context.Context, merchantID, userID int64, r audit.Record) error

	// AddInvited stores an invitation in place of an open one for the same
	// address, or fails with ErrIsMember or ErrTeamFull.
	AddInvited(ctx context.Context, token identity.Hash, n Invited, r audit.Record) error
	// Invitations lists the open ones, expired ones included, the newest first.
	Invitations(ctx context.Context, merchantID int64) ([]Invited, error)
	// InvitedBy returns the open invitation with the token and its merchant, or
	// fails with identity.ErrBadInvitation.
	InvitedBy(ctx context.Context, token identity.Hash, now time.Time) (Invited, identity.User, error)
	// RenewInvited gives an invitation another token; RevokeInvited ends it.
	// Both fail with ErrUnknownInvited.
	RenewInvited(
		ctx context.Context, merchantID int64, id string, token identity.Hash, by string, until time.Time,
		r audit.Record,
	) (Invited, error)
	RevokeInvited(ctx context.Context, merchantID int64, id string, now time.Time, r audit.Record) error
	// JoinTeam uses an invitation for the user's address up and makes the user
	// a member; a user without an ID is stored first. It fails with
	// identity.ErrBadInvitation or ErrEmailTaken and changes nothing.
	JoinTeam(
		ctx context.Context, token identity.Hash, user identity.User, now time.Time, r audit.Record,
	) (identity.User, Invited, error)

	// Record stores what an act left that changed nothing else. AuditLog lists what the user
	// did to their own sign-in, and what was done for the merchant (0: none),
	// before the entry given (0: from the newest), the newest first.
	Record(ctx context.Context, r audit.Record) error
	AuditLog(ctx context.Context, userID, merchantID, before int64, limit int) ([]audit.Entry, error)
}

// LockStore keeps the lock on where money goes, and the changes that wait.
type LockStore interface {
	// Locked reports whether the owners locked where the merchant's money goes; Lock
	// locks it.
	Locked(ctx context.Context, merchantID int64) (bool, error)
	Lock(ctx context.Context, merchantID int64, now time.Time, r audit.Record) error
	// AddWaiting stores a change that waits, or fails with ErrChangeWaits.
	AddWaiting(ctx context.Context, w Waiting, token identity.Hash, r audit.Record) error
	// WaitingOf lists the changes of the merchant that wait, the oldest first.
	// WaitingBy returns the one that the token stops, or ErrNoChange.
	WaitingOf(ctx context.Context, merchantID int64) ([]Waiting, error)
	WaitingBy(ctx context.Context, token identity.Hash) (Waiting, error)
	// DueWaiting returns changes that are due at now, the longest due first.
	// PostponeWaiting makes one that could not be made due again later.
	DueWaiting(ctx context.Context, now time.Time, limit int) ([]Waiting, error)
	PostponeWaiting(ctx context.Context, id string, next time.Time) error
	// CheckAuthor fails with ErrAuthorGone unless who asked for the change is an owner still, and with ErrNoChange if
	// it does not wait any more.
	CheckAuthor(ctx context.Context, w Waiting) error
	// StopWaiting, FailWaiting and ApplyWaiting end a change that waits, or fail
	// with ErrNoChange. ApplyWaiting makes it in the same transaction; fresh is the
	// custodian of a key that has none.
	StopWaiting(ctx context.Context, merchantID int64, id string, now time.Time, r audit.Record) error
	FailWaiting(ctx context.Context, id string, now time.Time, r audit.Record) error
	ApplyWaiting(
		ctx context.Context, w Waiting, now time.Time, fresh Custodian, decide func(Custodian) (CustodianChange, error),
	) error
}
