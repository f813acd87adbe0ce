package identity

import (
	"context"
	"maps"
	"sync"
	"time"

	"github.com/florinpay/florin/internal/audit"
)

// memory is a Store in memory: each method is one transaction, written whole or
// not at all. No user has a second factor. It lacks the methods that no test of
// this package calls; those are tested on the databases.
type memory struct {
	Store

	mu       sync.Mutex
	users    map[string]User
	sessions map[Hash]Session
	whole    map[Hash]time.Time // of limits
	failed   []audit.Entry
	names    map[int64][]string // of shops
	fail     error              // every method fails with it, if set
}

func newMemory() *memory {
	return &memory{users: map[string]User{}, sessions: map[Hash]Session{}, whole: map[Hash]time.Time{}}
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

// UpdateUser stores new users, and ends sessions.
func (m *memory) UpdateUser(_ context.Context, by By, decide func(Account) (Change, error)) (Account, error) {
	end, err := m.begin()
	if err != nil {
		return Account{}, err
	}
	defer end()
	var a Account
	a.User.ID = m.sessions[by.Session].UserID
	c, err := decide(a)
	u := c.Account.User
	if _, taken := m.users[u.Email]; taken && u.ID == 0 {
		err = ErrEmailTaken
	}
	if err != nil {
		return Account{}, err
	}
	delete(m.sessions, c.Ends.One)
	if u.ID == 0 && u.PublicID != "" {
		u.ID = int64(len(m.users) + 1)
		m.users[u.Email] = u
	}
	return Account{User: u}, nil
}

func (m *memory) ShopNames(_ context.Context, userID int64) ([]string, error) {
	end, err := m.begin()
	if err != nil {
		return nil, err
	}
	defer end()
	return m.names[userID], nil
}

func (m *memory) User(_ context.Context, by By) (User, error) {
	end, err := m.begin()
	if err != nil {
		return User{}, err
	}
	defer end()
	return m.users[by.Email], nil
}

func (m *memory) CreateSession(_ context.Context, s Session, _ audit.Record) error {
	end, err := m.begin()
	if err != nil {
		return err
	}
	defer end()
	m.sessions[s.Token] = s
	return nil
}

// SessionConfirmed knows no session that was renewed.
func (m *memory) SessionConfirmed(context.Context, Hash, time.Time, time.Time) (time.Time, error) {
	return time.Time{}, ErrBadSession
}

func (m *memory) TakeAttempt(_ context.Context, limits []Limit, now time.Time) (wait time.Duration, err error) {
	end, err := m.begin()
	if err != nil {
		return 0, err
	}
	defer end()
	next := map[Hash]time.Time{}
	for _, l := range limits {
		var w time.Duration
		next[l.Name], w = l.Take(m.whole[l.Name], now)
		wait = max(wait, w)
	}
	if wait == 0 {
		maps.Copy(m.whole, next)
	}
	return wait, nil
}

func (m *memory) ReturnAttempt(_ context.Context, limits []Limit, forget ...Hash) error {
	end, err := m.begin()
	if err != nil {
		return err
	}
	defer end()
	for _, l := range limits {
		m.whole[l.Name] = m.whole[l.Name].Add(-l.Interval)
	}
	for _, name := range forget {
		delete(m.whole, name)
	}
	return nil
}

func (m *memory) FailSignIn(_ context.Context, _ string, _ Hash, e audit.Entry) error {
	end, err := m.begin()
	if err != nil {
		return err
	}
	defer end()
	m.failed = append(m.failed, e)
	return nil
}

func (m *memory) SecondFactor(context.Context, int64) (SecondFactor, bool, error) {
	return SecondFactor{}, false, m.fail
}

func (m *memory) UserAccount(context.Context, By) (Account, error) { return Account{}, m.fail }
