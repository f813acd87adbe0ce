package shell

import (
	"context"
	"sync"
	"time"
)

// bounded is a context with a deadline, as context.WithDeadline makes it, whose timer begins with the first who waits
// for it: a request that is answered from memory waits for nothing, and a timer for each costs as much as its answer.
type bounded struct {
	context.Context //nolint:containedctx // it is one itself

	deadline time.Time
	mu       sync.Mutex
	ended    bool
	timed    context.Context //nolint:containedctx // made by the first who waits
	cancel   context.CancelFunc
}

func newBounded(parent context.Context, limit time.Duration) *bounded {
	return &bounded{Context: parent, deadline: time.Now().Add(limit)}
}

// Deadline is when the context ends.
func (b *bounded) Deadline() (time.Time, bool) {
	if before, ok := b.Context.Deadline(); ok && before.Before(b.deadline) {
		return before, true
	}
	return b.deadline, true
}

// Done is closed when the context ends.
func (b *bounded) Done() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.timed == nil {
		b.timed, b.cancel = context.WithDeadline(b.Context, b.deadline)
		if b.ended {
			b.cancel()
		}
	}
	return b.timed.Done()
}

// Err is why the context has ended.
func (b *bounded) Err() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.timed != nil:
		return b.timed.Err()
	case b.ended:
		return context.Canceled
	case b.Context.Err() != nil:
		return b.Context.Err()
	case !time.Now().Before(b.deadline):
		return context.DeadlineExceeded
	}
	return nil
}

// Value returns the value of the key. Contexts that are made of this one find its timer by a key.
func (b *bounded) Value(key any) any {
	b.mu.Lock()
	timed := b.timed
	b.mu.Unlock()
	if timed != nil {
		return timed.Value(key)
	}
	return b.Context.Value(key)
}

// end ends the context.
func (b *bounded) end() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ended = true
	if b.cancel != nil {
		b.cancel()
	}
}
