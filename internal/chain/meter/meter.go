// Package meter counts the calls to the networks' endpoints: by day (UTC), network, endpoint and method. What every
// instance counts is added up in the database, so that a restart forgets at most the last seconds, and the budget of a
// day is one for all.
//
// Its invariant: a call is counted once, whatever becomes of it; what could not be stored is kept for the next time.
package meter

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/florinpay/florin/internal/chain"
)

// Calls is how often a method was called at an endpoint on a day.
type Calls struct {
	Day      string // as time.DateOnly, UTC
	Network  chain.Network
	Endpoint string // host and port, without credentials
	Method   string
	Count    int64
}

// Store adds up what all instances count.
type Store interface {
	// AddCalls adds the counts to what is stored, and forgets days before the one given.
	AddCalls(ctx context.Context, calls []Calls, forget string) error
	// CallsSince lists what is stored of the day and later ones.
	CallsSince(ctx context.Context, day string) ([]Calls, error)
}

const (
	// FlushEvery is how often counts are to be stored.
	FlushEvery = 15 * time.Second
	// keepDays is how long the counts of a day are kept: a month, to compare with a bill.
	keepDays = 40
)

// place is what calls are counted by.
type place struct {
	day, endpoint, method string
	network               chain.Network
}

// Meter counts calls. It is safe for concurrent use.
type Meter struct {
	store Store
	now   func() time.Time
	log   *slog.Logger

	mu     sync.Mutex
	fresh  map[place]int64 // not stored yet
	stored map[place]int64 // of yesterday and today, by all instances, as of the last flush
}

// New returns a meter.
func New(s Store, now func() time.Time, log *slog.Logger) *Meter {
	return &Meter{store: s, now: now, log: log, fresh: make(map[place]int64), stored: make(map[place]int64)}
}

// Counter returns what the adapter of a network calls for every call.
func (m *Meter) Counter(n chain.Network) func(endpoint, method string) {
	return func(endpoint, method string) {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.fresh[place{m.day(0), endpoint, method, n}]++
	}
}

// day returns the present day, or one so many days before.
func (m *Meter) day(before int) string {
	return m.now().UTC().AddDate(0, 0, -before).Format(time.DateOnly)
}

// Flush stores what was counted and reads what all instances have.
func (m *Meter) Flush(ctx context.Context) error {
	fresh, err := m.keep(ctx)
	if err != nil {
		return err
	}
	all, err := m.store.CallsSince(ctx, m.day(1))
	m.mu.Lock()
	defer m.mu.Unlock()
	if err != nil {
		for p, n := range fresh {
			m.stored[p] += n
		}
		return err
	}
	m.stored = make(map[place]int64, len(all))
	for _, c := range all {
		m.stored[place{c.Day, c.Endpoint, c.Method, c.Network}] = c.Count
	}
	return nil
}

// Store stores what was counted last, at the end of the program.
func (m *Meter) Store(ctx context.Context) {
	if _, err := m.keep(ctx); err != nil {
		m.log.Warn("the last counts of RPC calls are lost", "error", err)
	}
}

// keep stores what was counted since it last did, and returns it.
func (m *Meter) keep(ctx context.Context) (map[place]int64, error) {
	m.mu.Lock()
	fresh := m.fresh
	m.fresh = make(map[place]int64)
	m.mu.Unlock()
	if len(fresh) == 0 {
		return fresh, nil
	}
	err := m.store.AddCalls(ctx, list(fresh), m.day(keepDays))
	if err != nil {
		m.mu.Lock()
		defer m.mu.Unlock()
		for p, n := range fresh {
			m.fresh[p] += n
		}
	}
	return fresh, err
}

func list(counts map[place]int64) []Calls {
	all := make([]Calls, 0, len(counts))
	for p, n := range counts {
		all = append(all, Calls{p.day, p.network, p.endpoint, p.method, n})
	}
	slices.SortFunc(all, func(a, b Calls) int {
		return cmp.Or(cmp.Compare(
			a.Network, b.Network,
		), cmp.Compare(a.Endpoint, b.Endpoint), cmp.Compare(b.Count, a.Count),
			cmp.Compare(a.Method, b.Method), cmp.Compare(a.Day, b.Day))
	})
	return all
}

// Today lists the calls of the present day on a network, by endpoint and most frequent method.
func (m *Meter) Today(n chain.Network) []Calls {
	return m.of(n, m.day(0))
}

func (m *Meter) of(n chain.Network, day string) []Calls {
	m.mu.Lock()
	defer m.mu.Unlock()
	counts := make(map[place]int64)
	for _, part := range []map[place]int64{m.stored, m.fresh} {
		for p, calls := range part {
			if p.network == n && p.day == day {
				counts[p] += calls
			}
		}
	}
	return list(counts)
}

// Total adds up the calls.
func Total(calls []Calls) (sum int64) {
	for _, c := range calls {
		sum += c.Count
	}
	return sum
}

// ByEndpoint adds up the calls of each endpoint.
func ByEndpoint(calls []Calls) map[string]int64 {
	sums := make(map[string]int64)
	for _, c := range calls {
		sums[c.Endpoint] += c.Count
	}
	return sums
}

// DaysOfMonth is how many days a month has on average.
const DaysOfMonth = 365.0 / 12

// Month returns how many calls on a network a month will come to, if it goes on as since yesterday's midnight, or as
// today where nothing was counted yesterday.
func (m *Meter) Month(n chain.Network) int64 {
	now := m.now().UTC()
	calls, days := Total(m.Today(n)), now.Sub(now.Truncate(24*time.Hour)).Hours()/24
	if before := Total(m.of(n, m.day(1))); before > 0 {
		calls, days = calls+before, days+1
	}
	const least = 1.0 / 24 // of a day: less says nothing
	return int64(float64(calls) / max(days, least) * DaysOfMonth)
}
