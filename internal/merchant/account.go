package merchant

import (
	"slices"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/idempotency"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/ledger"
)

// Account is a merchant account as its decisions see it. They are pure: each returns the Change that it makes, and
// leaves the account as it is, so it may run again.
type Account struct {
	ID      int64         // of its founder
	Founder identity.User // zero: there is no such account
	Keys    []Key         // all that it ever had, revoked ones last
	Members []Member      // owners first
	Invited []Invited     // open invitations, expired ones included, the newest first
	// LockedAt is since when the owners have locked where its money goes; zero: they have not.
	LockedAt time.Time
	Chat     Chat
	Waiting  []Waiting // changes that wait, the oldest first
	// Custodian is that of the key that is acted on; without an ID if there is none.
	Custodian Custodian
}

// Change is what a decision yields. Rows of the account that differ from what was loaded are written.
type Change struct {
	Account Account
	Entries []ledger.Entry // an account of key 0 is that of the key that is made
	// Once: it only posts entries, and leaves no Record if they were posted before.
	Once bool
	Logo *Logo // of the custodian; an empty one takes it away
	// Campaign is what becomes of a campaign.
	Campaign *CampaignChange
	// Retired is the text of the key until now, by which the same request finds the answer that is kept.
	Retired identity.Hash
	// Keep makes the answer of the request to be kept; nil, as none of it, keeps nothing.
	Keep func(Done) (*idempotency.Kept, error)
	// Record is what the act leaves.
	audit.Record
}

// CampaignChange gives a campaign another key of its account, other texts, or both.
type CampaignChange struct {
	Slug        string
	KeyID       int64   // 0: it stays
	Title, Text *string // nil: they stay
	At          time.Time
}

// Done is what a change has made, as it is stored.
type Done struct {
	Account Account
	Key     Key            // that was acted on, or made
	Left    ledger.Balance // of the key
}

// key returns a key of the account that is in use, or ErrUnknownKey.
func (a Account) key(id int64) (Key, error) {
	for _, k := range a.Keys {
		if k.ID == id && k.RevokedAt.IsZero() {
			return k, nil
		}
	}
	return Key{}, ErrUnknownKey
}

// withKey is the account with the key in place of the one with its ID.
func (a Account) withKey(k Key) Account {
	a.Keys = slices.Clone(a.Keys)
	for i := range a.Keys {
		if a.Keys[i].ID == k.ID {
			a.Keys[i] = k
		}
	}
	return a
}

// ChangeKey changes a key in use, or fails with ErrUnknownKey.
func (a Account) ChangeKey(id int64, r audit.Record, change func(*Key)) (Change, error) {
	k, err := a.key(id)
	if err == nil {
		change(&k)
	}
	return Change{Account: a.withKey(k), Record: r}, err
}

// DisableKey disables a key, revoked or not, or enables it with the zero time; or fails with identity.ErrAsItIs.
func (a Account) DisableKey(id int64, when time.Time, r audit.Record) (Change, error) {
	for _, k := range a.Keys {
		if k.ID == id && k.DisabledAt.IsZero() != when.IsZero() {
			k.DisabledAt = when
			return Change{Account: a.withKey(k), Record: r}, nil
		}
	}
	return Change{}, identity.ErrAsItIs
}

// AddKey makes a key. The entries, of key 0, are posted with it.
func (a Account) AddKey(k Key, entries []ledger.Entry, r audit.Record) Change {
	a.Keys = append(slices.Clone(a.Keys), k)
	return Change{Account: a, Entries: entries, Record: r}
}

// MayMakeKey fails with ErrTooManyKeys for an account that has as many as a user may make.
func (a Account) MayMakeKey() error {
	used := 0
	for _, k := range a.Keys {
		if k.RevokedAt.IsZero() {
			used++
		}
	}
	if used >= MaxKeys || len(a.Keys) >= MaxEverKeys {
		return ErrTooManyKeys
	}
	return nil
}

// Replace gives a key another text, or fails with ErrBadKey if it was replaced in the meantime, or ErrNothingLeft.
func (a Account) Replace(r Replacement) (Change, error) {
	k, err := a.key(r.KeyID)
	switch {
	case err != nil || k.Hash != r.Old:
		return Change{}, ErrBadKey
	case k.Permissions.Within(r.Most).Empty():
		return Change{}, ErrNothingLeft
	}
	k.Hash, k.Permissions = r.Next, k.Permissions.Within(r.Most)
	return Change{
		Account: a.withKey(k), Entries: r.Entries, Record: r.Record, Keep: r.Keep, Retired: r.Old,
	}, nil
}

// ChangeCustodian gives a custodian that there is other settings, or fails with ErrNoCustodian.
func (a Account) ChangeCustodian(decide func(Custodian) (CustodianChange, error)) (Change, error) {
	if a.Custodian.ID == 0 {
		return Change{}, ErrNoCustodian
	}
	next, err := decide(a.Custodian)
	a.Custodian = next.Custodian
	return Change{Account: a, Record: next.Record}, err
}

// AddCustodian makes the custodian of a key, or fails with ErrHasCustodian.
func (a Account) AddCustodian(c Custodian, r audit.Record) (Change, error) {
	if a.Custodian.ID != 0 {
		return Change{}, ErrHasCustodian
	}
	a.Custodian = c
	return Change{Account: a, Record: r}, nil
}

// EnabledOwner reports whether one who owns the account has the e-mail address, and is not disabled.
func (a Account) EnabledOwner(email string) bool {
	return slices.ContainsFunc(a.Members, func(m Member) bool {
		return m.Email == email && m.Role == RoleOwner && m.DisabledAt.IsZero()
	})
}
