package identity

import (
	"context"
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
	fail     error // every method fails with it, if set
}

func newMemory() *memory { return &memory{users: map[string]User{}, sessions: map[Hash]Session{}} }

// begin locks the store for one transaction.
func (m *memory) begin() (end func(), err error) {
	m.mu.Lock()
	if m.fail != nil {
		m.mu.Unlock()
		return nil, m.fail
	}
	return m.mu.Unlock, nil
}

func (m *memory) CreateUser(_ context.Context, u User, trail ...audit.Entry) (User, error) {
	end, err := m.begin()
	if err != nil {
		return User{}, err
	}
	defer end()
	if _, taken := m.users[u.Email]; taken {
		return User{}, ErrEmailTaken
	}
	u.ID = int64(len(m.users) + 1)
	m.users[u.Email] = u
	return u, nil
}

func (m *memory) UserByEmail(_ context.Context, email string) (User, error) {
	end, err := m.begin()
	if err != nil {
		return User{}, err
	}
	defer end()
	u, ok := m.users[email]
	if !ok {
		return User{}, ErrUnknownUser
	}
	return u, nil
}

func (m *memory) CreateSession(_ context.Context, s Session, trail ...audit.Entry) error {
	end, err := m.begin()
	if err != nil {
		return err
	}
	defer end()
	m.sessions[s.Token] = s
	return nil
}

func (m *memory) RevokeSession(_ context.Context, token Hash, _ time.Time, trail ...audit.Entry) error {
	end, err := m.begin()
	if err != nil {
		return err
	}
	defer end()
	delete(m.sessions, token)
	return nil
}

func (m *memory) SecondFactor(context.Context, int64) (SecondFactor, bool, error) {
	return SecondFactor{}, false, m.fail
}
