package merchant

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/ledger"
)

// memory is a Store in memory: each method is one transaction, written whole or
// not at all. It lacks the methods that no test of this package calls; those are
// tested on the databases.
type memory struct {
	Store

	mu         sync.Mutex
	keys       map[int64]Key
	custodians map[int64]Custodian
	sessions   map[identity.Hash]Membership
	balances   map[int64]ledger.Balance
	posted     map[string]ledger.Entry // by Ref and Unit
	audit      []audit.Entry
	lookups    int   // calls of KeyByHash
	fail       error // what every method fails with, if set
	races      int   // how often change runs in UpdateCustodian before its result is kept
}

func newMemory() *memory {
	return &memory{
		keys: map[int64]Key{}, custodians: map[int64]Custodian{},
		sessions: map[identity.Hash]Membership{},
		balances: map[int64]ledger.Balance{}, posted: map[string]ledger.Entry{}, races: 2,
	}
}

// begin locks the store for one transaction.
func (m *memory) begin() (end func(), err error) {
	m.mu.Lock()
	if m.fail != nil {
		m.mu.Unlock()
		return nil, m.fail
	}
	return m.mu.Unlock, nil
}

// UpdateAccount keeps keys, custodians and balances.
func (m *memory) UpdateAccount(
	_ context.Context, id, keyID int64, decide func(Account) (Change, error),
) (done Done, err error) {
	end, err := m.begin()
	if err != nil {
		return Done{}, err
	}
	defer end()
	a := Account{ID: id, Custodian: m.custodians[keyID]}
	for n := range int64(len(m.keys)) {
		if k := m.keys[n+1]; k.UserID == id {
			a.Keys = append(a.Keys, k)
		}
	}
	var c Change
	for range m.races {
		if c, err = decide(a); err != nil {
			return Done{}, err
		}
	}
	for i, k := range c.Account.Keys {
		if k.ID == 0 {
			keyID = int64(len(m.keys) + 1)
			c.Account.Keys[i].ID = keyID
		}
	}
	if err := m.apply(keyID, c.Entries); err != nil {
		return Done{}, err
	}
	done = Done{Account: c.Account, Left: m.balances[keyID]}
	for _, k := range c.Account.Keys {
		if m.keys[k.ID] = k; k.ID == keyID {
			done.Key = k
		}
	}
	if custodian := &done.Account.Custodian; custodian.KeyID != 0 {
		if custodian.ID == 0 {
			custodian.ID = int64(len(m.custodians) + 1)
		}
		m.custodians[keyID] = *custodian
	}
	m.audit = append(m.audit, c.Record.Entries...)
	return done, nil
}

func (m *memory) KeyByHash(_ context.Context, h identity.Hash) (Key, error) {
	end, err := m.begin()
	if err != nil {
		return Key{}, err
	}
	defer end()
	m.lookups++
	for _, k := range m.keys {
		if k.Hash == h && k.RevokedAt.IsZero() {
			return k, nil
		}
	}
	return Key{}, nil
}

func (m *memory) Balance(_ context.Context, keyID int64) (ledger.Balance, error) {
	end, err := m.begin()
	if err != nil {
		return ledger.Balance{}, err
	}
	defer end()
	return m.balances[keyID], nil
}

// apply posts entries of a key, all or none.
func (m *memory) apply(keyID int64, entries []ledger.Entry) error {
	after := m.balances[keyID]
	var fresh []ledger.Entry
	for _, e := range entries {
		if e.Count < 1 || e.Ref == "" || e.From == e.To {
			return errors.New("the entry is not valid")
		}
		if _, done := m.posted[e.Ref+"/"+string(e.Unit)]; done {
			continue
		}
		count := e.Count
		if e.From == ledger.Key(keyID) || e.From == ledger.Key(0) {
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
		m.posted[e.Ref+"/"+string(e.Unit)] = e
	}
	m.balances[keyID] = after
	return nil
}

func (m *memory) Custodian(_ context.Context, keyID int64) (Custodian, error) {
	end, err := m.begin()
	if err != nil {
		return Custodian{}, err
	}
	defer end()
	c, ok := m.custodians[keyID]
	if !ok {
		return Custodian{}, ErrNoCustodian
	}
	return c, nil
}

func (m *memory) MembershipBySession(_ context.Context, token identity.Hash, _ time.Time) (Membership, error) {
	end, err := m.begin()
	if err != nil {
		return Membership{}, err
	}
	defer end()
	found, ok := m.sessions[token]
	if !ok {
		return Membership{}, fault.New(fault.Unauthorized, "no such session")
	}
	return found, nil
}

func (m *memory) TouchKeys(_ context.Context, used map[int64]time.Time) error {
	end, err := m.begin()
	if err != nil {
		return err
	}
	defer end()
	for id, at := range used {
		k := m.keys[id]
		if at.After(k.LastUsedAt) {
			k.LastUsedAt = at
		}
		m.keys[id] = k
	}
	return nil
}
