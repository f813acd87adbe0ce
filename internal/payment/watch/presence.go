package watch

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/payment"
)

// presenceEvery bounds how often it is stored that a payer looks; far below PageFor.
const presenceEvery = 10 * time.Second

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
	log      *slog.Logger
	wake     chan struct{}

	mu     sync.Mutex
	stored map[chain.Network]time.Time // when presence was last stored
	due    map[chain.Network]bool
	looks  map[payment.ID]look
	// attended has, of payments of strangers whose page is open, when that was last stored; zero: it is due.
	attended map[payment.ID]time.Time
}

// look is an ended payment whose page is open.
type look struct {
	network chain.Network
	at      time.Time
	due     bool // it is to be stored
}

const (
	// attendFor is for how long after its start the page of a payment has its network read at the full pace: as long as
	// a payer has by default. A page that stays open, or a program that asks again and again, costs no more than that.
	attendFor = 30 * time.Minute
	// lookFor is the same after its end, where late money would otherwise be seen slowly.
	lookFor = 2 * time.Hour
)

// attendEvery is how often it is stored that the page of a stranger's payment is open; far below payment.HoldFor.
const attendEvery = time.Minute

// mostLooks bounds the memory that open pages of ended payments take, and those of strangers' payments.
const mostLooks = 10_000

// NewPresence returns the presence of the networks' pages.
func NewPresence(
	s PresenceStore, watchers map[chain.Network]*Watcher, now func() time.Time, log *slog.Logger,
) *Presence {
	return &Presence{
		store: s, watchers: watchers, now: now, log: log, wake: make(chan struct{}, 1),
		stored: make(map[chain.Network]time.Time), due: make(map[chain.Network]bool),
		looks: make(map[payment.ID]look), attended: make(map[payment.ID]time.Time),
	}
}

// Look says that a payer looks at the payment. It does not block. One that waits for the choice of a network makes
// sure that the networks' health is not old.
func (a *Presence) Look(p payment.Payment) {
	switch p.Status {
	case payment.Pending:
		for _, w := range a.watchers {
			w.Refresh()
		}
	case payment.Started:
		a.attend(p.Routes)
		if p.ByStranger() {
			a.attendPage(p.ID)
		}
	case payment.Completed, payment.Expired, payment.Cancelled:
		a.lookAgain(p)
	}
}

// lookAgain notes that a page of a payment that ended is open, where its addresses would otherwise be read slowly.
func (a *Presence) lookAgain(p payment.Payment) {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := a.now()
	for _, r := range p.Routes {
		_, read := a.watchers[r.Network]
		if !read || !rests(r.Network) || now.Sub(a.looks[p.ID].at) < presenceEvery ||
			!p.EndedAt.IsZero() && now.Sub(p.EndedAt) > lookFor {
			continue
		}
		if len(a.looks) >= mostLooks {
			clear(a.looks)
		}
		a.looks[p.ID] = look{r.Network, now, true}
		a.signal()
	}
}

// attendPage notes that the page of a stranger's payment is open.
func (a *Presence) attendPage(id payment.ID) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if at, ok := a.attended[id]; ok && (at.IsZero() || a.now().Sub(at) < attendEvery) {
		return
	}
	if len(a.attended) >= mostLooks {
		clear(a.attended)
	}
	a.attended[id] = time.Time{}
	a.signal()
}

// takeAttended returns the pages that are due to be stored.
func (a *Presence) takeAttended(now time.Time) (due []payment.ID) {
	for id, at := range a.attended {
		switch {
		case at.IsZero():
			due, a.attended[id] = append(due, id), now
		case now.Sub(at) > attendEvery:
			delete(a.attended, id)
		}
	}
	return due
}

// signal has what is due stored. It does not block.
func (a *Presence) signal() {
	select {
	case a.wake <- struct{}{}:
	default:
	}
}

func (a *Presence) attend(routes []payment.Route) {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := a.now()
	for _, r := range routes {
		_, read := a.watchers[r.Network]
		if !read || now.Sub(a.stored[r.Network]) < presenceEvery || now.Sub(r.Since) > attendFor {
			continue
		}
		a.stored[r.Network], a.due[r.Network] = now, true
	}
	if len(a.due) > 0 {
		a.signal()
	}
}

// Run stores who looks until ctx ends.
func (a *Presence) Run(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-a.wake:
			a.RunOnce(ctx)
		}
	}
}

// RunOnce stores what is due, and wakes the watchers of the networks.
func (a *Presence) RunOnce(ctx context.Context) {
	a.mu.Lock()
	due := a.due
	a.due = make(map[chain.Network]bool)
	looks := make(map[payment.ID]look)
	for id, l := range a.looks {
		switch {
		case l.due:
			looks[id] = l
			a.looks[id] = look{l.network, l.at, false}
		case a.now().Sub(l.at) > presenceEvery:
			delete(a.looks, id)
		}
	}
	now := a.now()
	attended := a.takeAttended(now)
	a.mu.Unlock()
	if len(attended) > 0 {
		if err := a.store.Attended(ctx, attended, now); err != nil && ctx.Err() == nil {
			a.log.Warn("open pages do not keep the credits of their payments", "error", err)
		}
	}
	for id, l := range looks {
		if err := a.store.LookAt(ctx, l.network, id, l.at); err != nil && ctx.Err() == nil {
			a.log.Warn("the open page of an ended payment does not raise its pace", "txnid", id, "error", err)
		}
		a.watchers[l.network].Wake()
	}
	for n := range due {
		if err := a.store.Attend(ctx, n, a.now().Add(PageFor)); err != nil && ctx.Err() == nil {
			a.log.Warn("an open page does not raise the pace of its network", "network", n, "error", err)
		}
		a.watchers[n].Wake()
	}
}
