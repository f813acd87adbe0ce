package app

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/florinpay/florin/internal/alert"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/recharge"
	"github.com/florinpay/florin/internal/settlement"
	"github.com/florinpay/florin/internal/webhook"
	"github.com/florinpay/florin/web"
)

const (
	// turnWithin bounds a turn of a loop that says nothing else.
	turnWithin = 30 * time.Second
	// lateBy is how late a turn may be before GET /health names the loop.
	lateBy = 15 * time.Second
	// lastWithin bounds what a loop does at its end.
	lastWithin = 5 * time.Second
	// complainEvery bounds how often the same failure of a loop is logged, and an outage of the database by all.
	complainEvery = time.Minute
)

// loop is work that is repeated until the program stops.
type loop struct {
	name   string        // as GET /health names it
	first  time.Duration // before the first turn
	every  time.Duration // from one turn to the next
	within time.Duration // bounds one turn; 0: turnWithin
	turn   func(context.Context) error
	failed string // what a turn that fails is logged as
	// last is called at the end; nil: nothing is left to do.
	last func(context.Context)
	// fatal reports whether the program must not go on after an error; nil: it goes on after every one.
	fatal func(error) bool
}

// bound is how long a loop that is well may take from one turn to the end of the next.
func (l loop) bound() time.Duration { return l.every + l.limit() + lateBy }

func (l loop) limit() time.Duration {
	if l.within == 0 {
		return turnWithin
	}
	return l.within
}

// loops runs the loops and knows when each has last turned.
type loops struct {
	log *slog.Logger

	mu    sync.Mutex
	turns []*lastTurn
}

// lastTurn is when a loop has last turned.
type lastTurn struct {
	name  string
	bound time.Duration

	mu sync.Mutex
	at time.Time
}

// watch has GET /health name the loop when turned was not called for longer than the bound.
func (s *loops) watch(name string, bound time.Duration) (turned func()) {
	b := &lastTurn{name: name, bound: bound, at: time.Now()}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.turns = append(s.turns, b)
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.at = time.Now()
	}
}

// ages returns the loops by name, with the time since each has last turned.
func (s *loops) ages() (list []web.Loop) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range s.turns {
		b.mu.Lock()
		list = append(list, web.Loop{Name: b.name, Age: time.Since(b.at), Bound: b.bound})
		b.mu.Unlock()
	}
	slices.SortFunc(list, func(a, b web.Loop) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// run repeats the loop until ctx ends. It returns the error after which the program must not go on.
func (s *loops) run(ctx context.Context, l loop) error {
	turned := s.watch(l.name, l.first+l.bound())
	defer s.end(ctx, l)
	pause := time.NewTimer(l.first)
	defer pause.Stop()
	var failures complaints
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-pause.C:
		}
		pause.Reset(l.every) // from its beginning, so that long turns do not add up
		err := once(ctx, l)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil && l.fatal != nil && l.fatal(err):
			return err
		case err != nil && failures.say(err):
			s.log.Warn(l.failed, "error", err)
		case err == nil:
			failures = complaints{}
		}
		// A loop that waits for the database, or whose turn was ended, has not turned.
		if err == nil || !errors.Is(err, fault.ErrStorage) && !errors.Is(err, context.DeadlineExceeded) {
			turned()
		}
	}
}

// once makes one turn.
func once(ctx context.Context, l loop) error {
	bounded, cancel := context.WithTimeout(ctx, l.limit())
	defer cancel()
	return l.turn(bounded)
}

// end makes the last turn.
func (*loops) end(ctx context.Context, l loop) {
	if l.last == nil {
		return
	}
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastWithin)
	defer cancel()
	l.last(bounded)
}

// complaints are the failures in a row of a loop.
type complaints struct {
	text string
	at   time.Time
}

// say reports whether the failure is to be logged: it is another one, or the last was logged some time ago.
func (c *complaints) say(err error) bool {
	if text := err.Error(); text != c.text || time.Since(c.at) >= complainEvery {
		c.text, c.at = text, time.Now()
		return true
	}
	return false
}

const (
	// pruneEvery is how often expired records are deleted.
	pruneEvery = 10 * time.Minute
	// lookEvery is how late a page that was opened may raise the pace of its network.
	lookEvery = time.Second / 4
	// endHoldsEvery is how late the hold of a payment that nobody looks at may end.
	endHoldsEvery = time.Minute
	// listenBound is how long the connection for notifications may be silent, and deliverBound how long it may not
	// have been looked for webhooks.
	listenBound  = time.Minute
	deliverBound = time.Minute
)

// repeated are the loops that the program runs, beside those that have a pace of their own.
func (a *App) repeated() []loop {
	list := []loop{
		{
			name: "RPC calls", every: chain.FlushEvery, turn: a.calls.Flush, last: a.calls.Store,
			failed: "the count of RPC calls is not stored yet",
		},
		{
			name: "expiry", every: expireEvery, within: expireWithin, turn: a.expirer.RunOnce,
			failed: "payments cannot expire yet",
		},
		{
			name: "recharges", every: recharge.Every, within: recharge.Within, turn: a.recharge.RunOnce,
			failed: "recharges wait",
		},
		{
			name: "waiting changes", every: merchant.ApplyEvery, turn: a.applier.RunOnce,
			failed: "changes of where money goes are due and could not be made",
		},
		{
			name: "key usage", first: merchant.UsageEvery, every: merchant.UsageEvery, turn: a.Merchants.SaveUsage,
			failed: "key usage not stored", last: func(ctx context.Context) { _ = a.Merchants.SaveUsage(ctx) },
		},
		{
			name: "holds", first: endHoldsEvery, every: endHoldsEvery, turn: a.Payments.EndHolds,
			failed: "credits stay held for payments that nobody looks at",
		},
		{
			name: "old counts", first: pruneEvery, every: pruneEvery, turn: a.Users.PruneAttempts,
			failed: "old counts of attempts not pruned",
		},
		{
			name: "presence", every: webhook.PresentFor / 3,
			turn:   func(ctx context.Context) error { return a.Store.Join(ctx, a.holder, a.clock.Now()) },
			last:   func(ctx context.Context) { a.Store.Leave(ctx, a.holder) },
			failed: "others may take this instance for dead",
		},
		{
			name: "other instances", every: time.Second,
			turn:   func(ctx context.Context) error { return a.Store.LookForOthers(ctx, a.holder, a.clock.Now()) },
			failed: "webhooks of instances that have died wait",
		},
		{
			name: "alerts", every: alert.Every, within: alert.Within, turn: a.alerts.RunOnce, last: a.alerts.Release,
			failed: "not everything that an operator should know could be judged",
		},
		{
			name: "ledger checks", every: time.Second, within: ledger.CheckLimit + 2*lastWithin, turn: a.checker.Turn,
			failed: "the result of a ledger check was not stored",
		},
		{
			name: "open pages", every: lookEvery, turn: a.presence.RunOnce,
			failed: "open pages do not raise the pace of their networks, nor keep the credits of their payments",
		},
		a.refundLoop(), a.summaries(), a.rateLoop(), a.retention(), a.timekeeping(), a.marking(), a.replaying(),
	}
	for _, n := range a.networks.inOrder() {
		list = append(list, a.comparing(n))
		if n.sweeper != nil {
			list = append(list, loop{
				name: "sweeps of " + string(n.Profile.Network), every: settlement.Every, within: 2 * settlement.Within,
				turn: n.sweeper.Turn, last: n.sweeper.Release, failed: "sweeps wait",
			})
		}
	}
	return append(list, a.monitor.loops(a.Store)...)
}

const (
	// expireEvery is how late a payment may expire.
	expireEvery = time.Second
	// expireWithin is longer than a search of all addresses of a payment takes.
	expireWithin = 2 * time.Minute
)
