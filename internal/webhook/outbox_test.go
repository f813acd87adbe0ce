package webhook_test

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/webhook"
)

// memory is an outbox in memory, for tests whose time is not real: a database is not part of their bubble. Its
// deliveries are those of one merchant.
type memory struct {
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

// stateOf is a delivery as an outbox stores it.
type stateOf struct {
	State    webhook.State
	NextAt   time.Time
	Made     int // attempts made so far
	Attempts []webhook.Attempt
}

func newMemory() *memory { return &memory{rows: make(map[int64]*row)} }

func (m *memory) Enqueue(_ *testing.T, url string, due time.Time) int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	d := delivery(url)
	d.ID, d.Receiver = int64(len(m.rows)+1), webhook.ReceiverOf(d.URL)
	d.EventID = fmt.Sprintf("evt_01JD3ZQ0000000000000000000_%d", d.ID)
	m.rows[d.ID] = &row{Delivery: d, state: webhook.Waiting, nextAt: due}
	return d.ID
}

func (m *memory) Look(_ *testing.T, id int64) stateOf {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.rows[id]
	return stateOf{State: r.state, NextAt: r.nextAt, Made: r.Attempt, Attempts: slices.Clone(r.attempts)}
}

// Count returns how many deliveries are in the state.
func (m *memory) Count(s webhook.State) int {
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

func (m *memory) DueReceivers(_ context.Context, now time.Time) ([]webhook.DueReceiver, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	held := make(map[webhook.ReceiverID]int)
	since := make(map[webhook.ReceiverID]time.Time)
	for _, r := range m.rows {
		first, known := since[r.Receiver]
		switch {
		case r.heldAt(webhook.ClaimedLately(now)):
			held[r.Receiver]++
		case r.heldAt(now):
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

func (m *memory) Claim(
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

func (m *memory) Settle(_ context.Context, holder string, o webhook.Outcome) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	r, ok := m.rows[o.DeliveryID]
	if !ok || r.holder != holder {
		return nil
	}
	r.holder, r.until = "", time.Time{}
	r.state, r.nextAt = o.State, o.NextAt
	if !o.Spared {
		r.Delivery.Attempt++
		r.attempts = append(r.attempts, o.Attempt)
	}
	return nil
}

func (m *memory) NextDue(_ context.Context, now time.Time) (at time.Time, ok bool, err error) {
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
