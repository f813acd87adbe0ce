package account

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/idempotency"
	"github.com/florinpay/florin/internal/ledger"
)

// book is a Store in memory that keeps the promises of the port: each method
// is one transaction, written whole or not at all.
type book struct {
	mu         sync.Mutex
	users      map[string]User
	keys       map[int64]Key
	custodians map[int64]Custodian
	sessions   map[Hash]Session
	balances   map[int64]ledger.Balance
	booked     map[string]ledger.Entry // by Ref and Unit
	lookups    int                     // calls of KeyByHash
	fail       error                   // what every method fails with, if set
	races      int                     // how often change runs in UpdateCustodian before its result is kept
}

var (
	_ Store      = (*book)(nil)
	_ UsageStore = (*book)(nil)
)

func newBook() *book {
	return &book{
		users: map[string]User{}, keys: map[int64]Key{}, custodians: map[int64]Custodian{},
		sessions: map[Hash]Session{}, balances: map[int64]ledger.Balance{}, booked: map[string]ledger.Entry{}, races: 2,
	}
}

// begin locks the book for one transaction.
func (b *book) begin() (end func(), err error) {
	b.mu.Lock()
	if b.fail != nil {
		b.mu.Unlock()
		return nil, b.fail
	}
	return b.mu.Unlock, nil
}

func (b *book) CreateUser(_ context.Context, u User) (User, error) {
	end, err := b.begin()
	if err != nil {
		return User{}, err
	}
	defer end()
	if _, taken := b.users[u.Email]; taken {
		return User{}, ErrEmailTaken
	}
	u.ID = int64(len(b.users) + 1)
	b.users[u.Email] = u
	return u, nil
}

func (b *book) UserByEmail(_ context.Context, email string) (User, error) {
	end, err := b.begin()
	if err != nil {
		return User{}, err
	}
	defer end()
	u, ok := b.users[email]
	if !ok {
		return User{}, ErrUnknownUser
	}
	return u, nil
}

// CreateKeyWithin does not count: the limits are the database's to keep.
func (b *book) CreateKeyWithin(ctx context.Context, k Key, entries func(int64) []ledger.Entry) (Key, error) {
	return b.CreateKey(ctx, k, entries)
}

func (b *book) CreateKey(_ context.Context, k Key, entries func(int64) []ledger.Entry) (Key, error) {
	end, err := b.begin()
	if err != nil {
		return Key{}, err
	}
	defer end()
	k.ID = int64(len(b.keys) + 1)
	if err := b.apply(k.ID, entries(k.ID)); err != nil {
		return Key{}, err
	}
	b.keys[k.ID] = k
	return k, nil
}

func (b *book) KeyByHash(_ context.Context, h Hash) (Key, error) {
	end, err := b.begin()
	if err != nil {
		return Key{}, err
	}
	defer end()
	b.lookups++
	for _, k := range b.keys {
		if k.Hash == h && k.RevokedAt.IsZero() {
			return k, nil
		}
	}
	return Key{}, ErrBadKey
}

func (b *book) RotateKey(_ context.Context, r Replacement) (ledger.Balance, error) {
	end, err := b.begin()
	if err != nil {
		return ledger.Balance{}, err
	}
	defer end()
	k, ok := b.keys[r.KeyID]
	if !ok || k.Hash != r.Old {
		return ledger.Balance{}, ErrBadKey
	}
	if err := b.apply(r.KeyID, r.Entries); err != nil {
		return ledger.Balance{}, err
	}
	k.Hash = r.Next
	b.keys[r.KeyID] = k
	return b.balances[r.KeyID], nil
}

// RetiredAnswer knows none: what is kept with a replacement is the store's.
func (b *book) RetiredAnswer(context.Context, Hash, string, idempotency.Hash, time.Time) (int64, idempotency.Answer, error) {
	return 0, idempotency.Answer{}, ErrBadKey
}

func (b *book) Balance(_ context.Context, keyID int64) (ledger.Balance, error) {
	end, err := b.begin()
	if err != nil {
		return ledger.Balance{}, err
	}
	defer end()
	return b.balances[keyID], nil
}

func (b *book) Book(_ context.Context, keyID int64, entries []ledger.Entry) (ledger.Balance, error) {
	end, err := b.begin()
	if err != nil {
		return ledger.Balance{}, err
	}
	defer end()
	err = b.apply(keyID, entries)
	return b.balances[keyID], err
}

// apply books entries of a key, all or none.
func (b *book) apply(keyID int64, entries []ledger.Entry) error {
	after := b.balances[keyID]
	var fresh []ledger.Entry
	for _, e := range entries {
		if e.Count < 1 || e.Ref == "" || e.From == e.To {
			return errors.New("the entry is not valid")
		}
		if _, done := b.booked[e.Ref+"/"+string(e.Unit)]; done {
			continue
		}
		count := e.Count
		if e.From == ledger.Key(keyID) {
			count = -count
		}
		total := &after.Credits
		if e.Unit == ledger.Query {
			total = &after.Queries
		}
		if *total += count; *total < 0 {
			return ledger.Shortage(e.Unit)
		}
		fresh = append(fresh, e)
	}
	for _, e := range fresh {
		b.booked[e.Ref+"/"+string(e.Unit)] = e
	}
	b.balances[keyID] = after
	return nil
}

func (b *book) CreateCustodian(_ context.Context, c Custodian, entries []ledger.Entry) (Custodian, error) {
	end, err := b.begin()
	if err != nil {
		return Custodian{}, err
	}
	defer end()
	if _, has := b.custodians[c.KeyID]; has {
		return Custodian{}, ErrHasCustodian
	}
	if err := b.apply(c.KeyID, entries); err != nil {
		return Custodian{}, err
	}
	c.ID = int64(len(b.custodians) + 1)
	b.custodians[c.KeyID] = c
	return c, nil
}

func (b *book) Custodian(_ context.Context, keyID int64) (Custodian, error) {
	end, err := b.begin()
	if err != nil {
		return Custodian{}, err
	}
	defer end()
	c, ok := b.custodians[keyID]
	if !ok {
		return Custodian{}, ErrNoCustodian
	}
	return c, nil
}

func (b *book) UpdateCustodian(_ context.Context, keyID int64, entries []ledger.Entry, change func(Custodian) (Custodian, error)) (Custodian, error) {
	end, err := b.begin()
	if err != nil {
		return Custodian{}, err
	}
	defer end()
	before, ok := b.custodians[keyID]
	if !ok {
		return Custodian{}, ErrNoCustodian
	}
	var after Custodian
	for range b.races {
		if after, err = change(before); err != nil {
			return Custodian{}, err
		}
	}
	if err := b.apply(keyID, entries); err != nil {
		return Custodian{}, err
	}
	b.custodians[keyID] = after
	return after, nil
}

func (b *book) CreateSession(_ context.Context, s Session) error {
	end, err := b.begin()
	if err != nil {
		return err
	}
	defer end()
	b.sessions[s.Token] = s
	return nil
}

func (b *book) SeatBySession(_ context.Context, token Hash, now time.Time) (Seat, error) {
	end, err := b.begin()
	if err != nil {
		return Seat{}, err
	}
	defer end()
	s, ok := b.sessions[token]
	for _, u := range b.users {
		if ok && u.ID == s.UserID && now.Before(s.ExpiresAt) {
			return Seat{User: u, Merchant: u, Role: RoleOwner}, nil
		}
	}
	return Seat{}, fault.New(fault.Unauthorized, "no such session")
}

func (b *book) RevokeSession(_ context.Context, token Hash, _ time.Time) error {
	end, err := b.begin()
	if err != nil {
		return err
	}
	defer end()
	delete(b.sessions, token)
	return nil
}

func (b *book) TouchKeys(_ context.Context, used map[int64]time.Time) error {
	end, err := b.begin()
	if err != nil {
		return err
	}
	defer end()
	for id, at := range used {
		k := b.keys[id]
		if at.After(k.LastUsedAt) {
			k.LastUsedAt = at
		}
		b.keys[id] = k
	}
	return nil
}
