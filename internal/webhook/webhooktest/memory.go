// Package webhooktest has an outbox in memory and the conformance suite of
// webhook.Store, which the outbox passes like the databases.
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

// Row is a delivery as an outbox stores it.
type Row struct {
	State    webhook.State
	NextAt   time.Time
	Made     int // attempts made so far
	Attempts []webhook.Attempt
}

var _ webhook.Store = (*Memory)(nil)

// NewMemory returns an empty outbox.
func NewMemory() *Memory { return &Memory{rows: make(map[int64]*row)} }

// Add adds a delivery that is due at the given time, and returns its id.
func (m *Memory) Add(d webhook.Delivery, due time.Time) int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	d.ID, d.Receiver = int64(len(m.rows)+1), webhook.ReceiverOf(d.URL)
	m.rows[d.ID] = &row{Delivery: d, state: webhook.Waiting, nextAt: due}
	return d.ID
}

// Row returns a delivery that was added.
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

// DueReceivers implements webhook.Store.
func (m *Memory) DueReceivers(_ context.Context, now time.Time) ([]webhook.DueReceiver, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	held := make(map[webhook.ReceiverID]int)
	since := make(map[webhook.ReceiverID]time.Time)
	for _, r := range m.rows {
		first, known := since[r.Receiver]
		switch {
		case r.heldAt(now):
			held[r.Receiver]++
		case r.dueAt(now) && (!known || r.nextAt.Before(first)):
			since[r.Receiver] = r.nextAt
		}
	}
	var list []webhook.DueReceiver
	for id, at := range since {
		list = append(list, webhook.DueReceiver{ID: id, Since: at, Held: held[id]})
	}
	return list, nil
}

// Claim implements webhook.Store.
func (m *Memory) Claim(
	_ context.Context, holder string, now, until time.Time, shares []webhook.Share,
) ([]webhook.Delivery, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	left := make(map[webhook.ReceiverID]int)
	for _, s := range shares {
		left[s.Receiver] = s.N
	}
	var due []*row
	for _, r := range m.rows {
		if r.dueAt(now) && !r.heldAt(now) && left[r.Receiver] > 0 {
			due = append(due, r)
		}
	}
	slices.SortFunc(due, func(a, b *row) int {
		return cmp.Or(a.nextAt.Compare(b.nextAt), cmp.Compare(a.ID, b.ID))
	})
	var claimed []webhook.Delivery
	for _, r := range due {
		if left[r.Receiver] == 0 {
			continue
		}
		left[r.Receiver]--
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

func (r *row) dueAt(now time.Time) bool { return r.state == webhook.Waiting && !r.nextAt.After(now) }

func (r *row) heldAt(now time.Time) bool { return r.holder != "" && r.until.After(now) }
