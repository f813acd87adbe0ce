package watch

import (
	"context"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/payment"
)

// lastRound is what the newest round left behind, for the decision when the next one is due.
type lastRound struct {
	at     time.Time
	failed bool
	more   bool // it has not read everything that is final
	// latest is the newest block that was read, up to which nothing needs a quick read; 0: it was not read.
	latest uint64
	cursor Cursor
}

// openSet is the addresses that a quick read asks about.
type openSet struct {
	set     *chain.WatchSet
	started time.Time // the newest start it includes
	loaded  time.Time
	// news is how often money to each address may still bring a round of its own.
	news map[chain.Address]*allowance
}

const (
	// newsAtOnce is how many transfers to one address are each followed by a round at once; after that, one in
	// newsEvery is, and the others are found by the rounds that come anyway. Whoever sends one unit again and again
	// cannot make us read more often.
	newsAtOnce = 5
	newsEvery  = 5 * time.Minute
)

// allowance is how often something may be done, at once and then by and by.
type allowance struct {
	left int
	at   time.Time // when it last grew
}

// allow reports whether news may bring a round now, and counts it.
func (a *allowance) allow(now time.Time) bool {
	a.grow(now, newsAtOnce, newsEvery)
	if a.left == 0 {
		return false
	}
	a.left--
	return true
}

// grow adds one for each time that has passed, up to the most.
func (a *allowance) grow(now time.Time, most int, every time.Duration) {
	if n := int(now.Sub(a.at) / every); n > 0 {
		a.left, a.at = min(a.left+n, most), now
	}
}

const (
	// stepEvery is the longest time between two looks at what is at stake. It costs no call to an endpoint, and finds
	// what another instance has started if no notification came.
	stepEvery = 2 * time.Second
	// ownRuleRound is the time between two rounds while money waits for a merchant's own finality.
	ownRuleRound = 3 * time.Second
	// unwellRound is the time between two rounds of a network that is not well, for unwellFor whatever is at stake.
	unwellRound = 3 * time.Second
	unwellFor   = 10 * time.Minute
	// refreshRound is the time between two rounds while a payer chooses a network.
	refreshRound = time.Minute
	// wakeRest keeps many changes at once from costing a look each.
	wakeRest = 100 * time.Millisecond
	// renewEvery is how often a lease is taken or renewed between rounds.
	renewEvery = leaseFor / 3
)

// Wake makes the watcher look at once at what is at stake: a payment was started, a page was opened, a deposit was
// seen. It does not block, and may be lost: the next look comes within seconds.
func (w *Watcher) Wake() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// Refresh makes the next round come soon if the last one is some time ago: a payer is about to choose the network.
func (w *Watcher) Refresh() {
	if w.refresh.CompareAndSwap(false, true) {
		w.Wake()
	}
}

// Unpaced makes the watcher read everything all the time, whatever is at stake: for the operator's own node, whose
// calls cost nothing.
func (w *Watcher) Unpaced() { w.unpaced = true }

// Limit makes the watcher keep to a day's budget of calls; 0: there is none. It slows down by what part of it is spent,
// in per cent.
func (w *Watcher) Limit(budget int64, spent func() int64) { w.budget, w.spent = budget, spent }

// Run watches until ctx ends. A failed round is logged and repeated.
func (w *Watcher) Run(ctx context.Context) error {
	defer w.Release(ctx)
	for ctx.Err() == nil {
		w.rest(ctx, w.Step(ctx))
	}
	return nil
}

// rest returns when the next step is due: after the time given, soon after something has changed or a block was pushed,
// and at once when money was pushed, since a payer waits.
func (w *Watcher) rest(ctx context.Context, most time.Duration) {
	pause := time.NewTimer(most)
	defer pause.Stop()
	wake, head := w.wake, w.head
	var woken, headed <-chan time.Time // of the first of each; those that follow put off nothing
	for {
		select {
		case <-ctx.Done():
			return
		case <-w.push:
			return
		case <-pause.C:
			return
		case <-woken:
			return
		case <-headed:
			return
		case <-wake:
			wake, woken = nil, time.After(wakeRest)
		case <-head:
			head, headed = nil, time.After(headRest)
		}
	}
}

// Step does what is due by what is at stake, and returns after how long it must be called again: a round, a quick read
// whose news are followed by a round, or nothing. What fails is logged.
func (w *Watcher) Step(ctx context.Context) time.Duration {
	if w.unpaced {
		_ = w.RunOnce(ctx) // logs failures itself
		return PollEvery
	}
	now := w.now()
	atRisk, err := w.store.AtRisk(ctx, w.profile.Network, now.Add(-endFor), now.Add(-payment.WatchAfterEnd))
	level := atRisk.Level(now)
	if err != nil {
		level = Attended // what is at stake is not known
	} else if !w.last.failed {
		w.alive()
	}
	w.setLevel(level)
	w.early = err != nil || atRisk.Early
	pace := level.Pace().Within(w.budget)
	if w.spent != nil {
		pace = pace.Slower(level.Slowdown(w.spent()))
	}
	w.pausing = pace.Round
	leads := w.renew(ctx, now)
	if leads && w.loadSetAside(ctx) != nil { // somebody may have asked for a repair
		leads = false
	}
	next := w.nextRound(atRisk, pace)
	pace = w.follow(ctx, atRisk, level, pace, now)
	switch {
	case leads && w.readPushed(ctx, now):
		return wakeRest // what is at stake has changed
	case !now.Before(next), leads && w.quickRead(ctx, atRisk, pace, now):
		_ = w.RunOnce(ctx) // logs failures itself
		next = w.nextRound(atRisk, pace)
	}
	if leads && pace.QuickRead > 0 && w.lastQuick.Add(pace.QuickRead).Before(next) {
		next = w.lastQuick.Add(pace.QuickRead)
	}
	return min(max(next.Sub(w.now()), 0), stepEvery)
}

// nextRound returns when the next round is due.
func (w *Watcher) nextRound(s AtRisk, pace Pace) time.Time {
	last := w.last
	wait := pace.Round
	// No round can read up to the expiry before its block may be final.
	readable := s.ExpiresAt.Add(max(w.lag.least(), 0))
	if !s.ExpiresAt.IsZero() && !w.now().Before(readable) && last.cursor.Scanned.Time.Before(s.ExpiresAt) {
		wait = min(wait, expiryRound)
	}
	if s.OwnRule {
		wait = min(wait, ownRuleRound)
	}
	if w.refresh.Load() {
		wait = min(wait, refreshRound)
	}
	switch {
	case last.at.IsZero(), s.Moves != last.cursor.Moves && !last.failed:
		return last.at
	case last.failed:
		wait = failedRound
	case last.more:
		wait = PollEvery
	case !w.Health().OK:
		wait = min(wait, w.roundWhileUnwell())
	}
	next := last.at.Add(wait)
	if due := w.secondDue(last.cursor); w.leads && !last.failed && !due.IsZero() && due.Before(next) {
		next = due
	}
	for _, a := range w.aside {
		due := a.NextAt
		switch {
		case due.After(last.at):
		case w.leads: // its turn did not come in the last round
			due = last.at.Add(PollEvery)
		default:
			continue
		}
		if due.Before(next) {
			next = due
		}
	}
	return next
}

// roundWhileUnwell is the time between two rounds of a network that answers and is not well: short at first, because
// most troubles are, and because payers cannot choose the network meanwhile.
func (w *Watcher) roundWhileUnwell() time.Duration {
	if w.Level() < Open && w.now().Sub(w.wellAt) > unwellFor {
		return openRound
	}
	return unwellRound
}

// renew takes or keeps the lease between rounds, so that only the instance that leads takes quick reads, and reports
// whether this one does. An instance that takes over makes a round at once.
func (w *Watcher) renew(ctx context.Context, now time.Time) (leads bool) {
	if now.Sub(w.renewed) < renewEvery {
		return w.leads
	}
	led := w.leads
	if _, err := w.lead(ctx); err != nil {
		w.leads = false
	}
	if w.leads && !led {
		w.last.at = time.Time{}
	}
	return w.leads
}

// quickRead takes a quick read if one is due, and reports whether a round must follow. A quick read that fails is
// followed by a round, which says what is wrong.
func (w *Watcher) quickRead(ctx context.Context, s AtRisk, pace Pace, now time.Time) bool {
	if pace.QuickRead == 0 || now.Sub(w.lastQuick) < pace.QuickRead {
		return false
	}
	w.lastQuick = now
	if w.last.latest == 0 {
		return true
	}
	settled := s.settled(w.profile.Finality, 0, now)
	look := chain.Look{After: w.last.latest, Final: w.mayBeFinal(s, now) && !settled}
	if err := w.loadOpen(ctx, s, now); err != nil {
		return true
	}
	known := make(map[chain.TxHash]bool, len(w.tail.transfers))
	for _, t := range w.tail.transfers {
		known[t.Tx] = true
	}
	look.Watch = w.open.set
	look.News = func(a chain.Address, tx chain.TxHash) bool { return !known[tx] && w.open.news[a].allow(now) }
	if look.Watch.Len() == 0 && !look.Final {
		return settled
	}
	seen, err := w.reader.QuickRead(ctx, look)
	if err == nil && seen.News {
		w.quickReadFound(now)
	}
	return err != nil || seen.News || settled || look.Final && s.settled(w.profile.Finality, seen.Final, now)
}

// mayBeFinal reports whether it is worth asking whether a pending deposit is final by the chain's tag.
func (w *Watcher) mayBeFinal(s AtRisk, now time.Time) bool {
	return s.Pending > 0 && w.profile.Finality.Tag != "" && now.Sub(s.PendingSince) >= w.lag.least()
}

// loadOpen reads the addresses of open payments, once after each start and now and then.
func (w *Watcher) loadOpen(ctx context.Context, s AtRisk, now time.Time) error {
	if w.open.set != nil && w.open.started.Equal(s.StartedAt) && !s.LookedAt.After(w.open.loaded) &&
		now.Sub(w.open.loaded) < openRound {
		return nil
	}
	addresses, err := w.store.OpenAddresses(ctx, w.profile.Network, now.Add(-endFor))
	if err != nil {
		return err
	}
	set, news := chain.NewWatchSet(len(addresses)), make(map[chain.Address]*allowance, len(addresses))
	for _, a := range addresses {
		set.Add(a)
		if news[a.Address] = w.open.news[a.Address]; news[a.Address] == nil {
			news[a.Address] = &allowance{left: newsAtOnce, at: now}
		}
	}
	w.open = openSet{set, s.StartedAt, now, news}
	return nil
}
