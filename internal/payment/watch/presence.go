package watch

import (
	"context"
	"errors"
	"maps"
	"sync"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/payment"
)

// PresenceStore keeps until when a payer looks at payments of a network, for the instance that reads it.
type PresenceStore interface {
	Attend(ctx context.Context, n chain.Network, until time.Time) error
	// LookAt stores that the page of one payment was open at a time, for payments that ended.
	LookAt(ctx context.Context, n chain.Network, id payment.ID, at time.Time) error
	// Attended stores that pages of payments that strangers started were open at a time.
	Attended(ctx context.Context, ids []payment.ID, at time.Time) error
}

// Presence passes on that a payer looks at a payment: an open page, or a program that asks for its status. The network
// is then read at the pace of a payer who waits, by whichever instance reads it.
type Presence struct {
	store    PresenceStore
	watchers map[chain.Network]*Watcher
	now      func() time.Time

	mu   sync.Mutex
	last map[presence]time.Time // when it was last to be stored
	due  map[presence]time.Time // what is to be stored
}

// presence is what is stored of an open page: that some page of a network is open, that of an ended payment, or that of
// a payment that a stranger started, which names no network.
type presence struct {
	network chain.Network
	id      payment.ID
}

const (
	// presenceEvery bounds how often a presence is stored; far below PageFor. attendEvery is the same for the page of a
	// stranger's payment; far below payment.HoldFor.
	presenceEvery = 10 * time.Second
	attendEvery   = time.Minute
	// attendFor is for how long after its start the page of a payment has its network read at the full pace: as long as
	// a payer has by default. A page that stays open, or a program that asks again and again, costs no more than that.
	attendFor = 30 * time.Minute
	// lookFor is the same after its end, where late money would otherwise be seen slowly.
	lookFor = 2 * time.Hour
	// mostPresences bounds the memory that open pages take.
	mostPresences = 20_000
)

// NewPresence returns the presence of the networks' pages.
func NewPresence(s PresenceStore, watchers map[chain.Network]*Watcher, now func() time.Time) *Presence {
	return &Presence{
		store: s, watchers: watchers, now: now,
		last: make(map[presence]time.Time), due: make(map[presence]time.Time),
	}
}

// Look says that a payer looks at the payment. It does not block. One that waits for the choice of a network makes
// sure that the networks' health is not old.
func (a *Presence) Look(p payment.Payment) {
	if p.Status == payment.Pending {
		for _, w := range a.watchers {
			w.Refresh()
		}
	}
	if p.Status == payment.Started && p.ByStranger() {
		a.note(presence{id: p.ID}, attendEvery)
	}
	lapsed := p.Status.Final() && p.Status != payment.Completed // its payer may still send money
	for _, r := range p.Routes {
		switch _, read := a.watchers[r.Network]; {
		case !read:
		case p.Status == payment.Started && a.now().Sub(r.Since) <= attendFor:
			a.note(presence{network: r.Network}, presenceEvery)
		case lapsed && rests(r.Network) && (p.EndedAt.IsZero() || a.now().Sub(p.EndedAt) <= lookFor):
			a.note(presence{r.Network, p.ID}, presenceEvery)
		}
	}
}

// note has a presence stored, unless it was a moment ago.
func (a *Presence) note(p presence, every time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := a.now()
	if at, known := a.last[p]; known && now.Sub(at) < every || len(a.due) >= mostPresences {
		return
	}
	if len(a.last) >= mostPresences {
		clear(a.last)
	}
	a.last[p], a.due[p] = now, now
}

// RunOnce stores what is due, and wakes the watchers of the networks. What fails is not tried again: an open page comes
// again.
func (a *Presence) RunOnce(ctx context.Context) (failed error) {
	a.mu.Lock()
	now, due := a.now(), a.due
	a.due = make(map[presence]time.Time)
	maps.DeleteFunc(a.last, func(_ presence, at time.Time) bool { return now.Sub(at) > attendEvery })
	a.mu.Unlock()
	var strangers []payment.ID
	for p, at := range due {
		switch {
		case p.network == "":
			strangers = append(strangers, p.id)
			continue
		case p.id == "":
			failed = errors.Join(failed, a.store.Attend(ctx, p.network, at.Add(PageFor)))
		default:
			failed = errors.Join(failed, a.store.LookAt(ctx, p.network, p.id, at))
		}
		a.watchers[p.network].Wake()
	}
	if len(strangers) > 0 {
		failed = errors.Join(failed, a.store.Attended(ctx, strangers, now))
	}
	return failed
}
