package chain

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"
)

// Calls is how often a method was called at an endpoint on a day.
type Calls struct {
	Day      string // as time.DateOnly, UTC
	Network  Network
	Endpoint string // host and port, without credentials
	Method   string
	Count    int64
}

// CallStore adds up what all instances count.
type CallStore interface {
	// AddCalls adds the counts to what is stored, and forgets days before the one given.
	AddCalls(ctx context.Context, calls []Calls, forget string) error
	// CallsSince lists what is stored of the day and later ones.
	CallsSince(ctx context.Context, day string) ([]Calls, error)
}

const (
	// FlushEvery is how often counts are to be stored.
	FlushEvery = 15 * time.Second
	// keepCallDays is how long the counts of a day are kept: a month, to compare with a bill.
	keepCallDays = 40
)

// callPlace is what calls are counted by.
type callPlace struct {
	day, endpoint, method string
	network               Network
}

// Meter counts the calls to the networks' endpoints: by day (UTC), network, endpoint and method. What every instance
// counts is added up in the database, so that a restart forgets at most the last seconds, and the budget of a day is
// one for all. A call is counted once, whatever becomes of it; what could not be stored is kept for the next time.
type Meter struct {
	store CallStore
	now   func() time.Time
	log   *slog.Logger

	mu     sync.Mutex
	fresh  map[callPlace]int64 // not stored yet
	stored map[callPlace]int64 // of yesterday and today, by all instances, as of the last flush
}

// NewMeter returns a meter.
func NewMeter(s CallStore, now func() time.Time, log *slog.Logger) *Meter {
	return &Meter{store: s, now: now, log: log, fresh: make(map[callPlace]int64), stored: make(map[callPlace]int64)}
}

// Counter returns what the adapter of a network calls for every call.
func (m *Meter) Counter(n Network) func(endpoint, method string) {
	return func(endpoint, method string) {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.fresh[callPlace{m.day(0), endpoint, method, n}]++
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
	m.stored = make(map[callPlace]int64, len(all))
	for _, c := range all {
		m.stored[callPlace{c.Day, c.Endpoint, c.Method, c.Network}] = c.Count
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
func (m *Meter) keep(ctx context.Context) (map[callPlace]int64, error) {
	m.mu.Lock()
	fresh := m.fresh
	m.fresh = make(map[callPlace]int64)
	m.mu.Unlock()
	if len(fresh) == 0 {
		return fresh, nil
	}
	err := m.store.AddCalls(ctx, listCalls(fresh), m.day(keepCallDays))
	if err != nil {
		m.mu.Lock()
		defer m.mu.Unlock()
		for p, n := range fresh {
			m.fresh[p] += n
		}
	}
	return fresh, err
}

func listCalls(counts map[callPlace]int64) []Calls {
	all := make([]Calls, 0, len(counts))
	for p, n := range counts {
		all = append(all, Calls{p.day, p.network, p.endpoint, p.method, n})
	}
	slices.SortFunc(all, func(a, b Calls) int {
		return cmp.Or(
			cmp.Compare(a.Network, b.Network), cmp.Compare(a.Endpoint, b.Endpoint), cmp.Compare(b.Count, a.Count),
			cmp.Compare(a.Method, b.Method), cmp.Compare(a.Day, b.Day),
		)
	})
	return all
}

// Today lists the calls of the present day on a network, by endpoint and most frequent method.
func (m *Meter) Today(n Network) []Calls {
	return m.of(n, m.day(0))
}

func (m *Meter) of(n Network, day string) []Calls {
	m.mu.Lock()
	defer m.mu.Unlock()
	counts := make(map[callPlace]int64)
	for _, part := range []map[callPlace]int64{m.stored, m.fresh} {
		for p, calls := range part {
			if p.network == n && p.day == day {
				counts[p] += calls
			}
		}
	}
	return listCalls(counts)
}

// TotalCalls adds up the calls.
func TotalCalls(calls []Calls) (sum int64) {
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
func (m *Meter) Month(n Network) int64 {
	now := m.now().UTC()
	calls, days := TotalCalls(m.Today(n)), now.Sub(now.Truncate(24*time.Hour)).Hours()/24
	if before := TotalCalls(m.of(n, m.day(1))); before > 0 {
		calls, days = calls+before, days+1
	}
	const least = 1.0 / 24 // of a day: less says nothing
	return int64(float64(calls) / max(days, least) * DaysOfMonth)
}
