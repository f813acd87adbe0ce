package exchange

import (
	"context"
	"time"
)

// Store shares what was read between instances, so that several cost no more calls than one.
type Store interface {
	// BeginReading reports whether no instance has begun to read within the time before now, and records that this one
	// has. It returns what was read last.
	BeginReading(ctx context.Context, now time.Time, within time.Duration) (mine bool, last Snapshot, err error)
	// SaveReading stores what was read.
	SaveReading(ctx context.Context, now time.Time, read Snapshot) error
}

// Snapshot is what an instance has read.
type Snapshot struct {
	Sources     map[string][]Reading
	Fence       Fence
	FenceReadAt time.Time
	Ended       bool `json:"-"` // the reading that began last has ended
}

// lookEvery is how often it is looked whether another instance has read.
const lookEvery = 50 * time.Millisecond

// begins reports whether this instance is to read. If another one reads now, or has, it takes over what that says.
func (s *Service) begins(ctx context.Context, now time.Time) bool {
	if s.o.Store == nil {
		return true
	}
	for {
		mine, last, err := s.o.Store.BeginReading(ctx, now, s.o.Every)
		if err != nil {
			return false // without the database there is no payment to price
		}
		s.take(last)
		if mine || last.Ended {
			return mine
		}
		select {
		case <-ctx.Done():
			return false
		case <-time.After(lookEvery):
		}
	}
}

// take keeps what another instance has read later than this one.
func (s *Service) take(last Snapshot) {
	for name, readings := range last.Sources {
		if newest(readings).After(newest(s.bySource[name])) {
			s.bySource[name] = readings
		}
	}
	if last.FenceReadAt.After(s.fenceReadAt) || s.fenceReadAt.IsZero() && s.fence.Name == "" {
		s.fence, s.fenceReadAt = last.Fence, last.FenceReadAt
	}
}

// newest is when the latest of them was read.
func newest(readings []Reading) (at time.Time) {
	for _, r := range readings {
		if r.ReadAt.After(at) {
			at = r.ReadAt
		}
	}
	return at
}

// share stores what was read.
func (s *Service) share(ctx context.Context) {
	if s.o.Store == nil {
		return
	}
	// A reading that cannot be stored costs the other instances one of their own; this one has its rates.
	_ = s.o.Store.SaveReading(ctx, s.o.Now(), Snapshot{Sources: s.bySource, Fence: s.fence, FenceReadAt: s.fenceReadAt})
}
