package exchange

import (
	"context"
	"slices"
	"time"
)

// Shared is what was read, for all instances on one database: several cost no more calls than one. Its zero value is
// for an instance by itself.
type Shared struct {
	// Begin reports whether no instance has begun to read within the time before now, and records that this one has. It
	// returns what was read last.
	Begin func(ctx context.Context, now time.Time, within time.Duration) (mine bool, last Snapshot, err error)
	// Save stores what was read.
	Save func(ctx context.Context, now time.Time, read Snapshot) error
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
	if s.o.Shared.Begin == nil {
		return true
	}
	for {
		mine, last, err := s.o.Shared.Begin(ctx, now, s.o.Every)
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

// take keeps what another instance has read later than this one, of what this one would read.
func (s *Service) take(last Snapshot) {
	for _, src := range s.o.Sources {
		readings := slices.DeleteFunc(last.Sources[src.Name], func(r Reading) bool {
			return !slices.Contains(src.Of, r.Of)
		})
		if newest(readings).After(newest(s.bySource[src.Name])) {
			s.bySource[src.Name] = readings
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
	if s.o.Shared.Save == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), coldLimit)
	defer cancel()
	// A reading that cannot be stored costs the other instances one of their own; this one has its rates.
	_ = s.o.Shared.Save(ctx, s.o.Now(), Snapshot{Sources: s.bySource, Fence: s.fence, FenceReadAt: s.fenceReadAt})
}
