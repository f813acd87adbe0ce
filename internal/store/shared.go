package store

import (
	"context"
	"errors"
	"sync"
)

// shared lets those who ask the same at the same time be answered by one read.
// Nobody is told what was read before they asked: who comes while a read runs
// waits for the next one, together with all others who come meanwhile.
type shared[K comparable, V any] struct {
	mu   sync.Mutex
	last map[K]*sharedRead[V] // the newest of each that is under way
}

type sharedRead[V any] struct {
	begun bool
	done  chan struct{}
	value V
	err   error
}

// errCutShort is what the others are told if the one who reads for them panics.
var errCutShort = errors.New("a shared read did not end")

func newShared[K comparable, V any]() *shared[K, V] {
	return &shared[K, V]{last: make(map[K]*sharedRead[V])}
}

// get returns what read returns for the key. The value is shared too: its parts
// must not be changed.
func (s *shared[K, V]) get(ctx context.Context, key K, read func(context.Context) (V, error)) (V, error) {
	s.mu.Lock()
	before := s.last[key]
	if before != nil && !before.begun {
		s.mu.Unlock()
		return before.wait(ctx)
	}
	mine := &sharedRead[V]{begun: before == nil, done: make(chan struct{}), err: errCutShort}
	s.last[key] = mine
	s.mu.Unlock()
	defer s.end(key, mine)
	if before != nil {
		<-before.done
		s.mu.Lock()
		mine.begun = true
		s.mu.Unlock()
	}
	// The others must not lose their answer because the first of them leaves.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), batchTimeout)
	defer cancel()
	mine.value, mine.err = read(ctx)
	return mine.value, mine.err
}

func (s *shared[K, V]) end(key K, mine *sharedRead[V]) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last[key] == mine {
		delete(s.last, key)
	}
	close(mine.done)
}

func (r *sharedRead[V]) wait(ctx context.Context) (V, error) {
	select {
	case <-r.done:
		return r.value, r.err
	case <-ctx.Done():
		var none V
		return none, context.Cause(ctx)
	}
}
