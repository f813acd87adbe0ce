package store

import (
	"context"
	"slices"
	"sync"

	"github.com/florinpay/florin/internal/payment"
)

// channel is where PostgreSQL notifies every instance of the payments that have
// changed.
const channel = "florin_payment"

// hooks are called after changes.
type hooks struct {
	mu  sync.RWMutex
	all []func(payment.ID)
}

// OnChange calls hook after a payment was changed, by this program or, on
// PostgreSQL while Listen runs, by any other; on PostgreSQL nothing is called
// unless Listen runs. A call may be lost, so the hook must not rely on it: the
// truth is in the payment. An empty ID means that calls may have been lost and
// any payment may have changed. The hook must return quickly and must not call the
// store.
func (s *Store) OnChange(hook func(payment.ID)) {
	s.hooks.mu.Lock()
	defer s.hooks.mu.Unlock()
	s.hooks.all = append(slices.Clone(s.hooks.all), hook)
}

func (h *hooks) call(id payment.ID) {
	h.mu.RLock()
	all := h.all
	h.mu.RUnlock()
	for _, hook := range all {
		hook(id)
	}
}

// changed calls the hooks for a change of this program. On PostgreSQL, Listen
// does.
func (s *Store) changed(id payment.ID, op *changeOp) {
	if op.change.None() {
		return
	}
	s.recent.forget(id)
	if !s.db.Dialect().ManyWriters {
		s.hooks.call(id)
	}
}

// Listen passes on the changes of every instance until ctx ends, and returns nil
// then. A lost connection is made again. On SQLite it only waits.
func (s *Store) Listen(ctx context.Context) error {
	return s.db.Listen(ctx, channel, s.log, func(id string) {
		s.recent.forget(payment.ID(id))
		s.hooks.call(payment.ID(id))
	})
}
