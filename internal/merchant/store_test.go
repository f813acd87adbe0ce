package merchant

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/idempotency"
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

// CreateKeyWithin enforces no limits: the database does.
func (m *memory) CreateKeyWithin(
	ctx context.Context, k Key, entries func(id, earlier int64) []ledger.Entry, _ idempotency.Keep[Key],
	r audit.Record,
) (Key, error) {
	var earlier int64
	for _, other := range m.keys {
		if other.UserID == k.UserID {
			earlier++
		}
	}
	return m.CreateKey(ctx, k, func(id int64) []ledger.Entry { return entries(id, earlier) }, r)
}

func (m *memory) PostEntries(
	_ context.Context, keyID int64, entries []ledger.Entry, r audit.Record,
) (ledger.Balance, error) {
	end, err := m.begin()
	if err != nil {
		return ledger.Balance{}, err
	}
	defer end()
	if err := m.apply(keyID, entries); err != nil {
		return ledger.Balance{}, err
	}
	m.audit = append(m.audit, r.Entries...)
	return m.balances[keyID], nil
}

func (m *memory) CreateKey(
	_ context.Context, k Key, entries func(int64) []ledger.Entry, _ audit.Record,
) (Key, error) {
	end, err := m.begin()
	if err != nil {
		return Key{}, err
	}
	defer end()
	k.ID = int64(len(m.keys) + 1)
	if err := m.apply(k.ID, entries(k.ID)); err != nil {
		return Key{}, err
	}
	m.keys[k.ID] = k
	return k, nil
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
	return Key{}, ErrBadKey
}

func (m *memory) RotateKey(_ context.Context, r Replacement) (ledger.Balance, error) {
	end, err := m.begin()
	if err != nil {
		return ledger.Balance{}, err
	}
	defer end()
	k, ok := m.keys[r.KeyID]
	if !ok || k.Hash != r.Old {
		return ledger.Balance{}, ErrBadKey
	}
	if err := m.apply(r.KeyID, r.Entries); err != nil {
		return ledger.Balance{}, err
	}
	if k.Permissions = k.Permissions.Within(r.Most); k.Permissions.Empty() {
		return ledger.Balance{}, ErrNothingLeft
	}
	k.Hash = r.Next
	m.keys[r.KeyID] = k
	return m.balances[r.KeyID], nil
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
		m.posted[e.Ref+"/"+string(e.Unit)] = e
	}
	m.balances[keyID] = after
	return nil
}

func (m *memory) CreateCustodian(
	_ context.Context, c Custodian, entries []ledger.Entry, _ audit.Record, _ ...idempotency.Keep[CustodianWrite],
) (Custodian, error) {
	end, err := m.begin()
	if err != nil {
		return Custodian{}, err
	}
	defer end()
	if _, has := m.custodians[c.KeyID]; has {
		return Custodian{}, ErrHasCustodian
	}
	if err := m.apply(c.KeyID, entries); err != nil {
		return Custodian{}, err
	}
	c.ID = int64(len(m.custodians) + 1)
	m.custodians[c.KeyID] = c
	return c, nil
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

func (m *memory) UpdateCustodian(
	_ context.Context, keyID int64, entries []ledger.Entry, decide func(Custodian) (CustodianChange, error),
	_ ...idempotency.Keep[CustodianWrite],
) (Custodian, error) {
	end, err := m.begin()
	if err != nil {
		return Custodian{}, err
	}
	defer end()
	before, ok := m.custodians[keyID]
	if !ok {
		return Custodian{}, ErrNoCustodian
	}
	var change CustodianChange
	for range m.races {
		if change, err = decide(before); err != nil {
			return Custodian{}, err
		}
	}
	if err := m.apply(keyID, entries); err != nil {
		return Custodian{}, err
	}
	m.custodians[keyID] = change.Custodian
	return change.Custodian, nil
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
