// Package webhooktest is for tests of whatever delivers webhooks: an outbox in
// memory and the conformance suite of webhook.Store.
//
// Its one invariant: the memory outbox passes the same suite as the databases.
package webhooktest

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/florinpay/florin/internal/webhook"
)

// Memory is an outbox that lives as long as the process. It is safe for
// concurrent use.
type Memory struct {
	mu   sync.Mutex
	rows map[int64]*row
}

type row struct {
	webhook.Delivery
	state    webhook.State
	nextAt   time.Time
	holder   string
	until    time.Time
	attempts []webhook.Attempt
}

// Row is what an outbox knows of a delivery.
type Row struct {
	State    webhook.State
	NextAt   time.Time
	Made     int // attempts made so far
	Attempts []webhook.Attempt
}

var _ webhook.Store = (*Memory)(nil)

// NewMemory returns an empty outbox.
func NewMemory() *Memory { return &Memory{rows: make(map[int64]*row)} }

// Add puts a delivery in, due at the time given, and returns its id.
func (m *Memory) Add(d webhook.Delivery, due time.Time) int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	d.ID = int64(len(m.rows) + 1)
	m.rows[d.ID] = &row{Delivery: d, state: webhook.Waiting, nextAt: due}
	return d.ID
}

// Row returns what is known of a delivery that was added.
func (m *Memory) Row(id int64) Row {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.rows[id]
	return Row{State: r.state, NextAt: r.nextAt, Made: r.Attempt, Attempts: slices.Clone(r.attempts)}
}

// Count returns how many deliveries are in the state.
func (m *Memory) Count(s webhook.State) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := 0
	for _, r := range m.rows {
		if r.state == s {
			n++
		}
	}
	return n
}

// Claim implements webhook.Store: the longest due come first.
func (m *Memory) Claim(_ context.Context, holder string, now, until time.Time, limit, perURL int) ([]webhook.Delivery, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	held := make(map[string]int)
	var due []*row
	for _, r := range m.rows {
		switch {
		case r.heldAt(now):
			held[r.URL]++
		case r.state == webhook.Waiting && !r.nextAt.After(now):
			due = append(due, r)
		}
	}
	slices.SortFunc(due, func(a, b *row) int {
		return cmp.Or(a.nextAt.Compare(b.nextAt), cmp.Compare(a.ID, b.ID))
	})
	var claimed []webhook.Delivery
	for _, r := range due {
		if len(claimed) == limit {
			break
		}
		if held[r.URL] >= perURL {
			continue
		}
		held[r.URL]++
		r.holder, r.until = holder, until
		claimed = append(claimed, r.Delivery)
	}
	return claimed, nil
}

// Settle implements webhook.Store.
func (m *Memory) Settle(_ context.Context, holder string, o webhook.Outcome) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	r, ok := m.rows[o.DeliveryID]
	if !ok || r.holder != holder {
		return nil
	}
	r.holder, r.until = "", time.Time{}
	r.state, r.nextAt = o.State, o.NextAt
	r.Delivery.Attempt++
	r.attempts = append(r.attempts, o.Attempt)
	return nil
}

// NextDue implements webhook.Store.
func (m *Memory) NextDue(_ context.Context, now time.Time) (at time.Time, ok bool, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, r := range m.rows {
		if r.state == webhook.Waiting && !r.heldAt(now) && (!ok || r.nextAt.Before(at)) {
			at, ok = r.nextAt, true
		}
	}
	return at, ok, nil
}

func (r *row) heldAt(now time.Time) bool { return r.holder != "" && r.until.After(now) }
