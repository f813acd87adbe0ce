package store

import (
	"context"
	"hash/maphash"
	"sync"
	"time"

	"github.com/florinpay/florin/internal/payment"
)

// Limits of what was read recently.
const (
	// recentFor bounds how old an answer may be where no news of a change
	// arrived: another process wrote, and the server's notice was lost.
	recentFor = time.Second
	// maxRecent payments are kept, some 10 MB when full.
	maxRecent = 4_096
	// maxRecentDeposits leaves out payments that would make the rest small.
	maxRecentDeposits = 16
	// recentStripes is how finely changes are told apart while a read is on
	// its way.
	recentStripes = 256
)

// recent keeps payments as they were read a moment ago, for those who ask about
// the same one again and again. A change of this program is known before the
// method that made it returns, so whoever has changed a payment reads it changed.
type recent struct {
	mu      sync.Mutex
	kept    map[payment.ID]recentPayment
	changes [recentStripes]uint64 // how many changes there were, by stripe
	seed    maphash.Seed
}

type recentPayment struct {
	p  payment.Payment
	at time.Time
}

func newRecent() *recent {
	return &recent{kept: make(map[payment.ID]recentPayment), seed: maphash.MakeSeed()}
}

func (r *recent) stripe(id payment.ID) *uint64 {
	return &r.changes[maphash.String(r.seed, string(id))%recentStripes]
}

// get returns the payment if it was read in the last second, and otherwise what
// put needs to know.
func (r *recent) get(id payment.ID, now time.Time) (p payment.Payment, ok bool, changes uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	k, ok := r.kept[id]
	if ok && now.Sub(k.at) < recentFor {
		return k.p, true, 0
	}
	return payment.Payment{}, false, *r.stripe(id)
}

// changesOf returns what put needs to know for a payment that is not there yet.
func (r *recent) changesOf(id payment.ID) uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return *r.stripe(id)
}

// put keeps what was read since get returned the number of changes, unless it
// may have changed meanwhile.
func (r *recent) put(p payment.Payment, changes uint64, now time.Time) {
	if len(p.Deposits) > maxRecentDeposits {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if *r.stripe(p.ID) != changes {
		return
	}
	if len(r.kept) >= maxRecent {
		clear(r.kept)
	}
	r.kept[p.ID] = recentPayment{p, now}
}

// forget is told of a change; an empty ID says that any payment may have changed.
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

// RecentPayment is Payment for those who poll: what it returns may be up to a
// second old, but never older than a change that this program has made, nor, on
// PostgreSQL while Listen runs, than the news of another's. Its parts must not
// be changed.
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
