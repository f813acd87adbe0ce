package watch

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/payment"
)

// Watcher records the deposits of one network. Each round it reads the heads, and then makes its passes.
//
// Its invariant: the cursor moves past a block only after every transfer in it to a watched address has been stored.
// Addresses are loaded after the heads are read, so an address shown before a block was made is known when that block
// is scanned.
//
// Several instances may run one each: a lease lets one scan, and every write is right even if two do.
type Watcher struct {
	*network

	leads   bool      // this instance has the lease to read the network
	renewed time.Time // when that was last taken or asked for
	pace    *pacer
	passes  passes
	quick   quick
	pushes  pushes
	health  *health
	wake    chan struct{}
	refresh atomic.Bool
	forget  func() // what the reader remembers of the chain; nil: it remembers nothing

	checked   bool      // the chain is the configured one
	recheckAt time.Time // when to ask again after that check has failed
}

// network is what every part of a watcher works on.
type network struct {
	profile   chain.Profile
	endpoints chain.Reader
	store     Store
	holder    string // this instance, in the lease
	now       func() time.Time
	log       *slog.Logger
}

// Limits of a watcher.
const (
	// PollEvery is the time between two rounds while there is more to read, and always for a node of one's own.
	PollEvery = 300 * time.Millisecond
	// roundLimit bounds one round, so that a hanging endpoint is noticed.
	roundLimit = 2 * time.Minute
	// lookEvery is the longest time between two looks at what is at risk. It costs no call to an endpoint, and finds
	// what another instance has started if no notification came.
	lookEvery = 2 * time.Second
	// wakeRest keeps many changes at once from costing a look each.
	wakeRest = 100 * time.Millisecond
	// recheckAfter is when a network that is not the configured one is checked again: an operator has to mend it.
	recheckAfter = 10 * time.Second
	// leaseFor is how long a crashed instance keeps others from scanning, and renewEvery how often a lease is taken or
	// renewed between rounds.
	leaseFor   = 10 * time.Second
	renewEvery = leaseFor / 3
)

// NewWatcher returns the watcher of the reader's network. holder names this instance in the lease.
func NewWatcher(
	p chain.Profile, r chain.Reader, s Store, holder string, now func() time.Time, log *slog.Logger,
) *Watcher {
	n := &network{profile: p, endpoints: r, store: s, holder: holder, now: now, log: log.With("network", p.Network)}
	pace, health := newPacer(), newHealth(n)
	return &Watcher{
		network: n, pace: pace,
		passes: newPasses(n, pace, health), quick: quick{network: n},
		pushes: pushes{money: make(chan struct{}, 1), blocks: make(chan struct{}, 1)},
		health: health, wake: make(chan struct{}, 1),
	}
}

// Wake makes the watcher look at once at what is at risk: a payment was started, a page was opened, a deposit was
// seen. It does not block, and may be lost: the next look comes within seconds.
func (w *Watcher) Wake() { signal(w.wake) }

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// Refresh makes the next round come soon if the last one is some time ago: a payer is about to choose the network.
func (w *Watcher) Refresh() {
	if w.refresh.CompareAndSwap(false, true) {
		w.Wake()
	}
}

// Unpaced makes the watcher read everything all the time, whatever is at risk: for the operator's own node, whose
// calls cost nothing.
func (w *Watcher) Unpaced() { w.pace.unpaced = true }

// Limit makes the watcher keep to a day's budget of calls; 0: there is none. It slows down by what part of it is spent,
// in hundredths of a per cent.
func (w *Watcher) Limit(budget int64, spent func() int64) {
	w.pace.budget, w.pace.spent = budget, spent
}

// OnMove calls forget when an operator has moved the cursor of a network whose heads cannot be read: then the chain may
// be another one than the reader remembers.
func (w *Watcher) OnMove(forget func()) { w.forget = forget }

// Health returns the network's health as of the last round.
func (w *Watcher) Health() payment.Health { return w.health.get() }

// Level returns how closely the network is read at the moment.
func (w *Watcher) Level() Level { return w.pace.level() }

// Release gives the lease back, so that another instance, or this one started again, need not wait for it to run out.
func (w *Watcher) Release(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	now := w.now()
	if _, err := w.store.Lease(ctx, LeaseName(w.profile.Network), w.holder, now, now); err != nil {
		w.log.Warn("lease not given back; it runs out by itself", "error", err)
	}
}

// Run watches until ctx ends. A failed round is logged and repeated.
func (w *Watcher) Run(ctx context.Context) error {
	defer w.Release(ctx)
	for ctx.Err() == nil {
		w.rest(ctx, w.ReadDue(ctx))
	}
	return nil
}

// rest returns when something is due again: after the time given, soon after something has changed or a block was
// pushed, and at once when money was pushed, since a payer waits.
func (w *Watcher) rest(ctx context.Context, most time.Duration) {
	pause := time.NewTimer(most)
	defer pause.Stop()
	var soon <-chan time.Time
	select {
	case <-ctx.Done():
		return
	case <-w.pushes.money:
		return
	case <-pause.C:
		return
	case <-w.wake:
		soon = time.After(wakeRest)
	case <-w.pushes.blocks:
		soon = time.After(headRest)
	}
	select { // those that follow put off nothing
	case <-ctx.Done():
	case <-w.pushes.money:
	case <-pause.C:
	case <-soon:
	}
}

// ReadDue does what is due by what is at risk, and returns after how long it must be called again: a round, a quick
// read whose news are followed by a round, or nothing. What fails is logged.
func (w *Watcher) ReadDue(ctx context.Context) time.Duration {
	if w.pace.unpaced {
		_ = w.RunOnce(ctx) // logs failures itself
		return PollEvery
	}
	now := w.now()
	atRisk, err := w.store.AtRisk(ctx, w.profile.Network, now.Add(-endFor), now.Add(-payment.WatchAfterEnd))
	if err == nil && !w.pace.last.failed {
		w.health.alive()
	}
	pace := w.pace.take(atRisk, err == nil, w.leads, w.refresh.Load(), now)
	if now.Sub(w.renewed) >= renewEvery { // only the instance that leads takes quick reads
		_ = w.lead(ctx) // a round says what is wrong
	}
	leads := w.leads && w.passes.loadFailed(ctx) == nil // somebody may have asked for a repair
	next := w.nextRound(atRisk, pace)
	pace = w.pushes.follow(ctx, &w.quick, leads && w.Level() >= Open, atRisk, pace, now)
	switch {
	case leads && w.readPushed(ctx, now):
		return wakeRest // what is at risk has changed
	case !now.Before(next), leads && w.quickRead(ctx, atRisk, pace, now):
		news, changed := w.quick.at.Equal(now) && w.quick.found, w.passes.changed
		_ = w.RunOnce(ctx) // logs failures itself
		w.pace.last.missed = news && w.passes.changed == changed
		next = w.nextRound(atRisk, pace)
	}
	if leads && pace.QuickRead > 0 && w.quick.at.Add(pace.QuickRead).Before(next) {
		next = w.quick.at.Add(pace.QuickRead)
	}
	return min(max(next.Sub(w.now()), 0), lookEvery)
}

// nextRound returns when the next round is due.
func (w *Watcher) nextRound(s AtRisk, pace Pace) time.Time {
	last := w.pace.last
	next := w.pace.nextRound(s, pace, w.now(), w.Health().OK, w.refresh.Load())
	if due := w.passes.second.due(); w.leads && !last.failed && !due.IsZero() && due.Before(next) {
		next = due
	}
	return w.passes.nextRepair(next, last.at, last.cursor.Scanned.Number, w.leads)
}

// lead takes or renews the lease to scan this network. An instance that takes over makes a round at once, and does not
// know through which voice another one has read.
func (w *Watcher) lead(ctx context.Context) error {
	now, led := w.now(), w.leads
	var err error
	w.leads, err = w.store.Lease(ctx, LeaseName(w.profile.Network), w.holder, now, now.Add(leaseFor))
	if err != nil {
		return fmt.Errorf("lease of the network: %w", err)
	}
	if w.renewed = now; w.leads && !led {
		w.passes.second.reset()
		w.passes.late.reset()
		w.pace.last.at = time.Time{}
	}
	return nil
}

// LeaseName is the name of the lease to read the network.
func LeaseName(n chain.Network) string { return "watch:" + string(n) }

// RunOnce makes one round and logs a change of its result.
func (w *Watcher) RunOnce(ctx context.Context) error {
	last := &w.pace.last
	*last = lastRound{at: w.now(), before: last.latest}
	w.refresh.Store(false)
	before := w.Health()
	err := w.round(ctx)
	if err != nil && before.OK && limited(w.endpoints.Endpoints()) {
		w.health.set(before) // a plan that is slow delays a reading, and health shows its age
	}
	if h := w.Health(); h.New && err != nil && ctx.Err() == nil { // it failed at the database
		h.New, h.Detail = false, err.Error()
		w.health.set(h)
	}
	if last.failed = err != nil; last.failed {
		last.latest = 0
	} else {
		w.health.alive()
	}
	if w.pace.wellAt.IsZero() || w.Health().OK {
		w.pace.wellAt = last.at
	}
	if ctx.Err() == nil {
		w.health.logRound(err)
	}
	return err
}

func (w *Watcher) round(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, roundLimit)
	defer cancel()
	if err := w.check(ctx); err != nil {
		return err
	}
	heads, err := w.readHeads(ctx)
	if err := w.lead(ctx); err != nil {
		return err
	}
	leads := w.leads
	exists, moved, cursorErr := w.passes.load(ctx)
	if cursorErr != nil {
		return cursorErr
	}
	if err != nil && moved && w.forget != nil {
		w.forget()
		heads, err = w.readHeads(ctx)
	}
	if err != nil {
		// The outage began when the network was last read, not when that was noticed.
		since, what := w.passes.cursor.UpdatedAt, "the network cannot be read or is behind"
		if leads && exists && w.passes.stop(since, what, w.Health().Detail) {
			err = errors.Join(err, w.passes.saveAsIs(ctx))
		}
		return err
	}
	if err := w.passes.loadFailed(ctx); err != nil {
		return err
	}
	if leads {
		err = w.passes.readAll(ctx, heads, exists)
		if errors.Is(err, ErrNotLeading) {
			w.leads = false
			return nil // the other instance reads on; this one follows from the next round on
		}
	} else if !exists || w.passes.cursor.unread(w.profile.HeadLimit, w.now()) {
		w.health.set(payment.Health{
			Reason: "this network cannot be read reliably at the moment", Latest: heads.Latest, Final: heads.Final,
			Detail: "another instance leads, and has not read the network of late",
		})
		return nil
	}
	w.pace.read(heads, w.passes.cursor, w.passes.tail.unread == "", leads)
	w.passes.report(heads, err)
	return err
}

// check checks once that the chain is the configured one. Until then the network is not offered and not read.
func (w *Watcher) check(ctx context.Context) error {
	if w.checked {
		return nil
	}
	if w.now().Before(w.recheckAt) {
		return errors.New(w.Health().Detail)
	}
	if err := w.endpoints.Check(ctx); err != nil {
		w.recheckAt = w.now().Add(recheckAfter)
		w.health.set(payment.Health{Reason: "this network is not set up", Detail: err.Error()})
		return err
	}
	w.checked = true
	return nil
}

// readHeads reads the heads and fails when the newest block is too old: a network that stands still cannot be offered.
func (w *Watcher) readHeads(ctx context.Context) (chain.Heads, error) {
	heads, err := w.endpoints.Heads(ctx)
	if err != nil {
		w.health.set(payment.Health{Reason: "this network cannot be reached", Detail: err.Error()})
		return chain.Heads{}, err
	}
	if lag := w.now().Sub(heads.Latest.Time); lag > w.profile.HeadLimit {
		w.health.set(payment.Health{
			Reason: "this network is slow at the moment", Latest: heads.Latest, Final: heads.Final, Lag: lag,
			Detail: fmt.Sprintf("the newest block is %s old, limit %s", lag.Round(time.Second), w.profile.HeadLimit),
		})
		// Without its age, which would be another text in every round.
		return chain.Heads{}, fmt.Errorf("%s: the newest block, %d, is older than %s", w.profile.Network, heads.Latest.Number, w.profile.HeadLimit)
	}
	return heads, nil
}
