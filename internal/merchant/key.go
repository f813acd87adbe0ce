package merchant

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // a container has no time zones of its own

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/exchange"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/idempotency"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/input"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/mail"
	"github.com/florinpay/florin/internal/secret"
)

// Key is an API key. Its secret is known only as a hash.
type Key struct {
	ID          int64
	PublicID    string // ULID
	UserID      int64  // the owner
	UserPublic  string // the owner's public id
	Hash        identity.Hash
	Label       string
	Wallet      chain.Address // the EVM wallet registered on the key; may be empty
	Permissions Permissions
	Sources     Sources // the networks it may be used from
	// Currency is what its shop counts in, where a price does not say it and for lists; empty: US dollars.
	Currency exchange.Currency
	// Zone is the time zone of its shop, by its name in the IANA database, such as Europe/Berlin; empty: UTC.
	Zone string
	// Confirmed: the command line made the key, or an owner who re-authenticated.
	// Only such a key may add a custodian to an account that has one.
	Confirmed  bool
	FirstName  string // of the owner
	LastName   string
	Email      string
	CreatedAt  time.Time
	LastUsedAt time.Time // zero if never
	RevokedAt  time.Time // zero while it is in use
	DisabledAt time.Time // zero unless the operator disabled the key
}

// Name is the label of the key, or when it was created if it has none.
func (k Key) Name() string {
	if k.Label != "" {
		return k.Label
	}
	return "Key of " + k.CreatedAt.UTC().Format("2 Jan 2006")
}

// Authenticate returns the key in use with this text, or ErrBadKey. A malformed
// text is refused without a database query.
//
// A rotated key must fail at once, on every instance, so nothing is cached here.
// A cache belongs behind Store.KeyByHash, which sees rotations.
func (s *Service) Authenticate(ctx context.Context, text string) (Key, error) {
	h, ok := hashOfKey(text)
	if !ok {
		return Key{}, ErrBadKey
	}
	key, err := s.store.KeyByHash(ctx, h)
	if err == nil && key.ID == 0 {
		err = ErrBadKey
	}
	if err != nil {
		return Key{}, err
	}
	s.usage.note(key, s.now())
	return key, nil
}

// hashOfKey is what a key is stored as. A file that the key was read from ends in a line feed, and a page that it was
// copied from may add what nobody sees.
func hashOfKey(text string) (identity.Hash, bool) {
	return identity.APIKey.Hash(strings.TrimSpace(input.Visible(text)))
}

// NewKey is the input of CreateKey.
type NewKey struct {
	Label   string // at most 100 characters; may be empty
	Wallet  string // the EVM wallet registered on the key; may be empty
	Credits int64  // free credits, 0 to ledger.MaxTopUp
	Queries int64  // free queries, 0 to ledger.MaxRecharge
	// Limited: the user creates it, so MaxKeys and MaxEverKeys apply.
	Limited bool
	// By is the role of the member who makes the key, and bounds its permissions.
	// Empty: the command line, or the sign-up, whose user is the owner; both may give all, and nobody is mailed.
	By Role
	// Reauthenticated: the member did so for this key.
	Reauthenticated bool
	Permissions     Permissions // empty: all that By allows
	Sources         Sources     // the networks it may be used from; empty: all
	ID              string      // the key's public id; empty: a new one
}

// CreatedKey is a new key, its text, and what it received for nothing.
type CreatedKey struct {
	Key  Key
	Text secret.Text
	Left ledger.Balance
}

// free returns what a new key receives for nothing, given how many keys its
// user had before. A user who creates keys gets the free credits once.
func (n NewKey) free(earlier int) Grant {
	if n.Limited && earlier > 0 {
		return Grant{}
	}
	return Grant{Credits: n.Credits, Queries: n.Queries}
}

// permissions returns what the key may do, or fault.Forbidden if its maker may give
// less than was asked for.
func (n NewKey) permissions() (Permissions, error) {
	most := AllPermissions()
	if n.By != "" {
		most = n.By.Permissions()
	}
	if n.Permissions.Empty() {
		return most, nil
	}
	for _, p := range n.Permissions.List() {
		if !most.Has(p) {
			return Permissions{}, fault.About(fault.Forbidden, "permissions",
				"must be among what %s may give: %s", fault.Text(n.By.Noun()), most)
		}
	}
	return n.Permissions, nil
}

func (n NewKey) confirmed() bool { return n.By == "" || (n.By == RoleOwner && n.Reauthenticated) }

// Check returns every field that CreateKey would refuse, each a fault (fault.All).
func (n NewKey) Check() error {
	_, err := n.checked()
	return err
}

// checked returns what a key has from the request.
func (n NewKey) checked() (Key, error) {
	wallet, badWallet := parseKeyWallet(n.Wallet)
	label, badLabel := input.Text("label", n.Label, input.MaxName)
	permissions, badPermissions := n.permissions()
	return Key{Wallet: wallet, Label: label, Permissions: permissions, Sources: n.Sources, Confirmed: n.confirmed()},
		errors.Join(badWallet, badLabel, checkFree(n), badPermissions)
}

// How many keys a user may have.
const (
	MaxKeys     = 20  // in use
	MaxEverKeys = 100 // revoked ones included
)

// CreateKey creates an API key for the user and posts its free credits and
// queries; a user who creates keys themselves (Limited) gets them once. The text of
// the key is returned here and never again. It fails with fault.Invalid naming the
// field.
func (s *Service) CreateKey(
	ctx context.Context, user identity.User, in NewKey, act audit.Act,
) (Key, secret.Text, error) {
	key, err := in.checked()
	if err != nil {
		return Key{}, secret.Text{}, err
	}
	now := s.now().UTC()
	text, hash := identity.APIKey.New(s.opts.Random)
	key.PublicID, key.UserID, key.UserPublic, key.Hash = cmp.Or(in.ID, s.newID(now)), user.ID, user.PublicID, hash
	key.FirstName, key.LastName, key.Email, key.CreatedAt = user.FirstName, user.LastName, user.Email, now
	// A key without a label is named by its id.
	made := act.Record(user.ID, audit.ActionCreateKey, cmp.Or(key.Label, key.PublicID), "")
	if in.By != "" && !act.At.IsZero() {
		made.Mails = s.opts.Mail.Owners(act.At, user.ID, mail.T("An API key was made"),
			mail.T("{{.Who}} made the API key “{{.Key}}” for your Florin merchant account. It may: {{.Rights}}.",
				"Who", act.Who, "Key", key.Name(), "Rights", key.Permissions.words()))
	}
	done, err := s.store.UpdateAccount(ctx, user.ID, 0, func(a Account) (Change, error) {
		if err := a.MayMakeKey(); in.Limited && err != nil {
			return Change{}, err
		}
		entries := grantEntries(0, in.free(len(a.Keys)), ledger.ReasonSignup, "signup:"+key.PublicID, now)
		c := a.AddKey(key, entries, made)
		c.Keep = func(d Done) (*idempotency.Kept, error) { return act.Keep.Of(CreatedKey{d.Key, text, d.Left}) }
		return c, nil
	})
	if err != nil {
		return Key{}, secret.Text{}, err
	}
	return done.Key, text, nil
}

func parseKeyWallet(text string) (chain.Address, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return "", nil
	}
	w, err := chain.ParseAddress(chain.BEP20, text)
	if err != nil {
		return "", fault.Within("wallet", err)
	}
	return w.Address, nil
}

func checkFree(in NewKey) error {
	if in.Credits < 0 || in.Credits > ledger.MaxTopUp {
		return fault.About(fault.Invalid, "credits", "must be between 0 and %d", ledger.MaxTopUp)
	}
	if in.Queries < 0 || in.Queries > ledger.MaxRecharge {
		return fault.About(fault.Invalid, "queries", "must be between 0 and %d", ledger.MaxRecharge)
	}
	return nil
}

// grantEntries returns the entries by which a key receives the units.
func grantEntries(keyID int64, g Grant, reason ledger.Reason, ref string, now time.Time) []ledger.Entry {
	var entries []ledger.Entry
	if g.Credits > 0 {
		entries = append(entries, ledger.Grant(keyID, ledger.Credit, g.Credits, reason, ref, now))
	}
	if g.Queries > 0 {
		entries = append(entries, ledger.Grant(keyID, ledger.Query, g.Queries, reason, ref, now))
	}
	return entries
}

// Balance returns the credits and queries the key has left.
func (s *Service) Balance(ctx context.Context, keyID int64) (ledger.Balance, error) {
	return s.store.Balance(ctx, keyID)
}

// charge returns the entry by which the key pays one credit for an operation.
// Its ref is fresh for every call, so each call that succeeds costs one, while
// a retry of the same transaction does not cost two.
func (s *Service) charge(key Key, operation string, now time.Time) []ledger.Entry {
	ref := operation + ":" + s.newID(now)
	return s.opts.Meter.Charge(ledger.Spend(key.ID, ledger.Credit, ledger.ReasonOperation, ref, now))
}

// changeKey changes a key in use, or fails with ErrUnknownKey.
func (s *Service) changeKey(ctx context.Context, key Key, r audit.Record, change func(*Key)) error {
	return s.update(ctx, key.UserID, func(a Account) (Change, error) { return a.ChangeKey(key.ID, r, change) })
}

// keyCurrency reads what a shop counts in; empty for US dollars.
func keyCurrency(code string) (exchange.Currency, error) {
	if code == "" {
		return "", nil
	}
	c, err := exchange.ParseCurrency(code)
	if c == exchange.USD {
		c = ""
	}
	return c, err
}

// checkZone refuses what is no time zone of the IANA database. "Local" would be that of the server.
func checkZone(name string) error {
	if _, err := time.LoadLocation(name); err != nil || name == "Local" {
		return fault.About(fault.Invalid, "zone", "must be a time zone such as Europe/Berlin")
	}
	return nil
}

// KeyNames are what the shop of a key is called, what it counts in (empty: US dollars), and its time zone (empty: UTC).
// What is nil stays.
type KeyNames struct{ Label, Currency, Zone *string }

// NameKey changes the names of a key's shop in one transaction. It fails with fault.Invalid for each that breaks a rule
// (fault.All), or with ErrUnknownKey.
func (s *Service) NameKey(ctx context.Context, key Key, to KeyNames, act audit.Act) error {
	var wrong []error
	var r audit.Record
	var set []func(*Key)
	take := func(action audit.Action, detail string, err error, change func(*Key)) {
		wrong, set = append(wrong, err), append(set, change)
		r.Entries = append(r.Entries, act.Record(key.UserID, action, key.Name(), detail).Entries...)
	}
	if to.Currency != nil {
		c, err := keyCurrency(*to.Currency)
		take(audit.ActionKeyCurrency, string(cmp.Or(c, exchange.USD)), err, func(k *Key) { k.Currency = c })
	}
	if to.Zone != nil {
		zone := *to.Zone
		take(audit.ActionKeyZone, cmp.Or(zone, "UTC"), checkZone(zone), func(k *Key) { k.Zone = zone })
	}
	if to.Label != nil {
		label, err := input.Text("label", *to.Label, input.MaxName)
		take(audit.ActionRelabelKey, label, err, func(k *Key) { k.Label = label })
	}
	if err := errors.Join(wrong...); err != nil || len(set) == 0 {
		return err
	}
	return s.changeKey(ctx, key, r, func(k *Key) {
		for _, change := range set {
			change(k)
		}
	})
}

// Location is the time zone of the key's shop.
func (k Key) Location() *time.Location {
	at, err := time.LoadLocation(k.Zone)
	if err != nil { // a zone that this build does not know any more
		return time.UTC
	}
	return at
}

// RevokeKey ends a key for ever. Its payments stay and are still watched. The owners are mailed of what the
// operator did.
func (s *Service) RevokeKey(ctx context.Context, key Key, byOperator bool, act audit.Act) error {
	r := act.Record(key.UserID, audit.ActionRevokeKey, key.Name(), "")
	if byOperator {
		r.Mails = s.opts.Mail.Owners(act.At, key.UserID, mail.T("An API key was revoked"),
			mail.T("The operator of this installation revoked the API key “{{.Key}}”. It answers 401 from now on.",
				"Key", key.Name()))
	}
	return s.changeKey(ctx, key, r, func(k *Key) { k.RevokedAt = s.now().UTC() })
}

// SetKeyDisabled is SetUserDisabled for one key.
func (s *Service) SetKeyDisabled(ctx context.Context, by identity.User, key Key, disabled bool, act audit.Act) error {
	if !by.Operator {
		return identity.ErrNoOperator
	}
	var when time.Time
	action := audit.ActionEnableKey
	if disabled {
		when, action = s.now().UTC(), audit.ActionDisableKey
	}
	r := act.Record(key.UserID, action, key.Name(), "")
	return s.update(ctx, key.UserID, func(a Account) (Change, error) { return a.DisableKey(key.ID, when, r) })
}

// Keys returns the user's keys in use, the oldest first.
func (s *Service) Keys(ctx context.Context, userID int64) ([]Key, error) {
	keys, err := s.store.Keys(ctx, userID)
	return slices.DeleteFunc(keys, func(k Key) bool { return !k.RevokedAt.IsZero() }), err
}

// EveryKey returns all keys the user ever had, revoked ones last, since their
// payments still belong to the user.
func (s *Service) EveryKey(ctx context.Context, userID int64) ([]Key, error) {
	return s.store.Keys(ctx, userID)
}
