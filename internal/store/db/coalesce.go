package db

import (
	"context"
	"errors"
	"sync"
)

// Coalescer answers callers that ask for the same key at the same time with one
// read. No caller gets a value that was read before the caller asked: one that
// arrives while a read runs waits for the next read, together with all others
// that arrive meanwhile.
type Coalescer[K comparable, V any] struct {
	mu   sync.Mutex
	last map[K]*pendingRead[V] // the newest of each key
}

type pendingRead[V any] struct {
	begun bool
	done  chan struct{}
	value V
	err   error
}

// errCutShort is what the others get if the reading caller panics.
var errCutShort = errors.New("a shared read did not end")

// NewCoalescer returns a coalescer without pending reads.
func NewCoalescer[K comparable, V any]() *Coalescer[K, V] {
	return &Coalescer[K, V]{last: make(map[K]*pendingRead[V])}
}

// Get returns what read returns for the key. Other callers get the same value:
// its parts must not be changed.
func (c *Coalescer[K, V]) Get(ctx context.Context, key K, read func(context.Context) (V, error)) (V, error) {
	c.mu.Lock()
	before := c.last[key]
	if before != nil && !before.begun {
		c.mu.Unlock()
		return before.wait(ctx)
	}
	mine := &pendingRead[V]{begun: before == nil, done: make(chan struct{}), err: errCutShort}
	c.last[key] = mine
	c.mu.Unlock()
	defer c.end(key, mine)
	if before != nil {
		<-before.done
		c.mu.Lock()
		mine.begun = true
		c.mu.Unlock()
	}
	// The others must get their answer even if the reading caller leaves.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), batchTimeout)
	defer cancel()
	mine.value, mine.err = read(ctx)
	return mine.value, mine.err
}

func (c *Coalescer[K, V]) end(key K, mine *pendingRead[V]) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.last[key] == mine {
		delete(c.last, key)
	}
	close(mine.done)
}

func (r *pendingRead[V]) wait(ctx context.Context) (V, error) {
	select {
	case <-r.done:
		return r.value, r.err
	case <-ctx.Done():
		var none V
		return none, context.Cause(ctx)
	}
}
