package merchant

import (
	"context"
	"sync"
	"time"
)

const (
	// UsageEvery is the resolution of the last use of a key: a finer one would
	// cost a write for each request.
	UsageEvery = time.Minute
	// maxUsage bounds how many keys wait to be written; a key that does not fit
	// is recorded at its next use.
	maxUsage = 10_000
)

// usage collects which keys were used, so that a request costs only a map
// look-up. It is safe for concurrent use.
type usage struct {
	mu   sync.Mutex
	used map[int64]time.Time
}

func newUsage() *usage { return &usage{used: make(map[int64]time.Time)} }

func (u *usage) note(key Key, now time.Time) {
	if now.Sub(key.LastUsedAt) < UsageEvery {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if _, ok := u.used[key.ID]; ok || len(u.used) < maxUsage {
		u.used[key.ID] = now.UTC()
	}
}

// take returns the collected keys and empties the collection.
func (u *usage) take() map[int64]time.Time {
	u.mu.Lock()
	defer u.mu.Unlock()
	used := u.used
	u.used = make(map[int64]time.Time)
	return used
}

// SaveUsage writes which keys were used since the last call. What cannot be
// written is dropped: it is informative only, and the next use records it again.
func (s *Service) SaveUsage(ctx context.Context) error {
	used := s.usage.take()
	if len(used) == 0 {
		return nil
	}
	return s.store.TouchKeys(ctx, used)
}
