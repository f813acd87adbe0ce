package watch

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/payment"
)

// presenceEvery bounds how often it is stored that somebody looks; far below PageFor.
const presenceEvery = 10 * time.Second

// PresenceStore keeps until when somebody looks at payments of a network, for the instance that reads it.
type PresenceStore interface {
	Attend(ctx context.Context, n chain.Network, until time.Time) error
}

// Presence passes on that somebody looks at a payment: an open page, or a program that asks for its status. The network
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
}

// NewPresence returns the presence of the networks' pages.
func NewPresence(
	s PresenceStore, watchers map[chain.Network]*Watcher, now func() time.Time, log *slog.Logger,
) *Presence {
	return &Presence{
		store: s, watchers: watchers, now: now, log: log, wake: make(chan struct{}, 1),
		stored: make(map[chain.Network]time.Time), due: make(map[chain.Network]bool),
	}
}

// Look says that somebody looks at the payment. It does not block. One that waits for the choice of a network makes
// sure that the networks' health is not old.
func (a *Presence) Look(p payment.Payment) {
	switch p.Status {
	case payment.Pending:
		for _, w := range a.watchers {
			w.Refresh()
		}
	case payment.Started:
		a.attend(p.Routes)
	case payment.Completed, payment.Expired, payment.Cancelled:
	}
}

func (a *Presence) attend(routes []payment.Route) {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := a.now()
	for _, r := range routes {
		if _, read := a.watchers[r.Network]; !read || now.Sub(a.stored[r.Network]) < presenceEvery {
			continue
		}
		a.stored[r.Network], a.due[r.Network] = now, true
	}
	if len(a.due) == 0 {
		return
	}
	select {
	case a.wake <- struct{}{}:
	default:
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
	a.mu.Unlock()
	for n := range due {
		if err := a.store.Attend(ctx, n, a.now().Add(PageFor)); err != nil && ctx.Err() == nil {
			a.log.Warn("an open page does not raise the pace of its network", "network", n, "error", err)
		}
		a.watchers[n].Wake()
	}
}
