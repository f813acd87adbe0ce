package store

import (
	"context"
	"hash/maphash"
	"slices"
	"sync"
	"time"

	"github.com/florinpay/florin/internal/payment"
)

// Limits of the cache of recent reads.
const (
	// recentFor bounds how old an answer may be if a command wrote and its
	// notification was lost.
	recentFor = time.Second
	// singleFor is for how long a server knows that it is alone. One that comes waits for joinFor before it serves.
	singleFor = 1500 * time.Millisecond
	joinFor   = 2 * time.Second
	// maxRecent payments are kept, some 10 MB when full.
	maxRecent = 4_096
	// maxRecentDeposits leaves out payments that would take too much of it.
	maxRecentDeposits = 16
	// recentStripes is how many change counters there are: payments that share
	// one only lose a cached read to each other's changes.
	recentStripes = 256
)

// recent caches payments for a moment, for callers that poll the same one. A
// change by this program drops the payment before the changing method returns,
// so a caller that has changed a payment reads it changed.
type recent struct {
	mu      sync.Mutex
	kept    map[payment.ID]recentPayment
	changes [recentStripes]uint64 // how many changes there were, by stripe
	// shared: other servers may write to the database. Then payments are kept until singleUntil only.
	shared      bool
	singleUntil time.Time
	seed        maphash.Seed
}

type recentPayment struct {
	p  payment.Payment
	at time.Time
}

func newRecent(shared bool) *recent {
	return &recent{kept: make(map[payment.ID]recentPayment), seed: maphash.MakeSeed(), shared: shared}
}

// alone reports whether no other server writes now.
func (r *recent) alone(now time.Time) bool { return !r.shared || now.Before(r.singleUntil) }

// look records whether there was another server at a time.
func (r *recent) look(others bool, at time.Time) {
	if others {
		r.forget("") // what was read before it came
		at = time.Time{}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.singleUntil = at.Add(singleFor)
}

func (r *recent) stripe(id payment.ID) *uint64 {
	return &r.changes[maphash.String(r.seed, string(id))%recentStripes]
}

// get returns the payment if it was read in the last second, and otherwise the
// count of changes that put needs.
func (r *recent) get(id payment.ID, now time.Time) (p payment.Payment, ok bool, changes uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	k, ok := r.kept[id]
	if ok && now.Sub(k.at) < recentFor && r.alone(now) {
		return k.p, true, 0
	}
	return payment.Payment{}, false, *r.stripe(id)
}

// changesOf returns the count of changes for a payment that is about to be
// created.
func (r *recent) changesOf(id payment.ID) uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return *r.stripe(id)
}

// put keeps a payment that was read after the changes were counted, unless it may
// have changed since.
func (r *recent) put(p payment.Payment, changes uint64, now time.Time) {
	if len(p.Deposits) > maxRecentDeposits {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if *r.stripe(p.ID) != changes || !r.alone(time.Now()) {
		return
	}
	if len(r.kept) >= maxRecent {
		clear(r.kept)
	}
	r.kept[p.ID] = recentPayment{p, now}
}

// forget drops a payment that has changed; an empty ID means that any payment may
// have changed.
func (r *recent) forget(id payment.ID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if id != "" {
		*r.stripe(id)++
		delete(r.kept, id)
		return
	}
	for i := range r.changes {
		r.changes[i]++
	}
	clear(r.kept)
}

// RecentPayment is Payment for callers that poll: the result may be up to a second old, but never older than a change
// by this program; nor than what another one has answered, since beside another one it is read. Its parts must not be
// changed.
func (s *Store) RecentPayment(ctx context.Context, id payment.ID) (payment.Payment, error) {
	p, ok, changes := s.recent.get(id, time.Now())
	if ok {
		return p, nil
	}
	// The age of what is read counts from before it is read.
	begun := time.Now()
	p, err := s.Payment(ctx, id)
	if err == nil {
		s.recent.put(p, changes, begun)
	}
	return p, err
}

// channel is where PostgreSQL notifies every instance of the payments that have
// changed.
const channel = "florin_payment"

// hooks are called after changes.
type hooks struct {
	mu      sync.RWMutex
	all     []func(payment.ID)
	watches []func(context.Context, payment.Stored)
}

// OnStored calls watch once for every change of a payment that this program stored, after its commit.
func (s *Store) OnStored(watch func(context.Context, payment.Stored)) {
	s.hooks.mu.Lock()
	defer s.hooks.mu.Unlock()
	s.hooks.watches = append(slices.Clone(s.hooks.watches), watch)
}

func (h *hooks) stored(ctx context.Context, x payment.Stored) {
	h.mu.RLock()
	all := h.watches
	h.mu.RUnlock()
	for _, watch := range all {
		watch(ctx, x)
	}
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
func (s *Store) changed(ctx context.Context, op *changeOp) {
	s.hooks.stored(ctx, payment.Stored{Before: *op.before, Change: op.change, Began: op.began})
	if op.change.None() {
		return
	}
	s.recent.forget(op.id)
	if !s.db.Dialect().ManyWriters {
		s.hooks.call(op.id)
	}
}

// Listen passes on the changes of every instance until ctx ends, and returns nil
// then. A lost connection is made again. It calls listening often while the database answers. On SQLite it only waits.
func (s *Store) Listen(ctx context.Context, listening func()) error {
	return s.db.Listen(ctx, channel, s.log, listening, func(id string) {
		s.recent.forget(payment.ID(id))
		s.hooks.call(payment.ID(id))
	})
}
