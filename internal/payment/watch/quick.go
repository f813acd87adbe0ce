package watch

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"github.com/florinpay/florin/internal/chain"
)

// quick is the quick reads between rounds, through one endpoint, which say whether a round would find news.
type quick struct {
	*network

	at    time.Time // when the last one was taken
	found bool      // it found news
	// set is the addresses they ask about, added the newest that it includes, and loaded when they were read.
	set           *chain.WatchSet
	added, loaded time.Time
	// news is how often money to each address may still bring a round of its own.
	news map[chain.Address]*rate.Limiter
}

const (
	// newsAtOnce is how many transfers to one address are each followed by a round at once; after that, one in
	// newsEvery is, and the others are found by the rounds that come anyway. Whoever sends one unit again and again
	// cannot make us read more often.
	newsAtOnce = 5
	newsEvery  = 5 * time.Minute
)

// load reads the addresses of open payments, once after each new one and now and then.
func (q *quick) load(ctx context.Context, s AtRisk, now time.Time) error {
	if q.set != nil && q.added.Equal(s.AddedAt) && !s.LookedAt.After(q.loaded) && now.Sub(q.loaded) < openRound {
		return nil
	}
	addresses, err := q.store.OpenAddresses(ctx, q.profile.Network, now.Add(-endFor))
	if err != nil {
		return err
	}
	set, news := chain.NewWatchSet(len(addresses)), make(map[chain.Address]*rate.Limiter, len(addresses))
	for _, a := range addresses {
		set.Add(a)
		if news[a.Address] = q.news[a.Address]; news[a.Address] == nil {
			news[a.Address] = rate.NewLimiter(rate.Every(newsEvery), newsAtOnce)
		}
	}
	q.set, q.added, q.loaded, q.news = set, s.AddedAt, now, news
	return nil
}

// quickRead takes a quick read if one is due, and reports whether a round must follow. A quick read that fails is
// followed by a round, which says what is wrong.
func (w *Watcher) quickRead(ctx context.Context, s AtRisk, pace Pace, now time.Time) bool {
	if pace.QuickRead == 0 || now.Sub(w.quick.at) < pace.QuickRead {
		return false
	}
	w.quick.at, w.quick.found = now, false
	if w.pace.last.latest == 0 {
		return true
	}
	settled := s.settled(w.profile.Finality, 0, now)
	// Whether a pending deposit is final by the chain's tag is not asked before it can be.
	final := s.Pending > 0 && w.profile.Finality.Tag != "" && now.Sub(s.PendingSince) >= w.pace.finalAfter() && !settled
	if err := w.quick.load(ctx, s, now); err != nil {
		return true
	}
	if w.quick.set.Len() == 0 && !final {
		return settled
	}
	known := make(map[chain.TxHash]bool, len(w.passes.above.transfers))
	for _, t := range slices.Concat(w.passes.above.transfers, w.passes.once.shown) {
		known[t.Tx] = true
	}
	seen, err := w.endpoints.QuickRead(ctx, chain.Look{
		After: w.pace.last.lookAfter(), Watch: w.quick.set, Final: final,
		News: func(a chain.Address, tx chain.TxHash) bool { return !known[tx] && w.quick.news[a].AllowN(now, 1) },
	})
	if w.quick.found = seen.News; seen.News {
		w.pushes.expects = time.Time{} // what was pushed is there
	}
	return err != nil || seen.News || settled || final && s.settled(w.profile.Finality, seen.Final, now)
}

// Feed is a subscription that pushes money to addresses. Its functions do not block.
type Feed struct {
	// Watch says for which addresses; nil: for none.
	Watch func(*chain.WatchSet)
	// Live reports whether money to all of them would be pushed, as far as is known.
	Live func(*chain.WatchSet) bool
}

const (
	// liveQuickRead is the time between two quick reads while a live subscription pushes money: what it withholds is
	// seen later by as much.
	liveQuickRead = 3 * time.Second
	// pushesAtOnce is how many pushes are followed by a round at once; after that, one in pushEvery is, and quick reads
	// find what the others say. Whoever pushes cannot make us read more often.
	pushesAtOnce = 5
	pushEvery    = time.Minute
	// expectFor is how long after a push that found nothing quick reads follow each other closely: another node behind
	// the same address may not have the block yet, and usually has it a moment later.
	expectFor       = 2 * time.Second
	expectQuickRead = 250 * time.Millisecond
	// headRest is the time from the push of a block to its round: nodes push a block a moment before they say which one
	// is final by it. No two rounds of pushed blocks are closer.
	headRest = 30 * time.Millisecond
)

// pushes is what the watcher knows of its subscription. A push is not believed: it only makes reading quicker.
type pushes struct {
	feed          Feed
	rounds        *rate.Limiter // that pushes may still bring; nil: nothing is pushed
	money, blocks chan struct{} // of each, at most one that was not taken
	pushed        atomic.Bool   // money was
	headed        atomic.Bool   // a block was, since the last look
	expects       time.Time     // until when money is expected that was pushed and that no round has found
}

// Follow makes the watcher read the network as soon as the subscription pushes money. Pushed must be called then.
func (w *Watcher) Follow(f Feed) {
	w.pushes.feed, w.pushes.rounds = f, rate.NewLimiter(rate.Every(pushEvery), pushesAtOnce)
}

// Pushed says that money was pushed. It does not block.
func (w *Watcher) Pushed() {
	w.pushes.pushed.Store(true)
	signal(w.pushes.money)
}

// Headed says that a new block was pushed, so that what waits for finality may be final. It does not block.
func (w *Watcher) Headed() {
	w.pushes.headed.Store(true)
	signal(w.pushes.blocks)
}

// follow tells the subscription what to push, if anything is wanted, and returns the pace with quick reads that are
// further apart while it does.
func (p *pushes) follow(ctx context.Context, q *quick, wanted bool, s AtRisk, pace Pace, now time.Time) Pace {
	if p.rounds == nil {
		return pace
	}
	if !wanted || q.load(ctx, s, now) != nil {
		p.feed.Watch(nil)
		return pace
	}
	p.feed.Watch(q.set)
	switch headed := p.headed.Swap(false); {
	case headed && s.Pending > 0, !now.After(p.expects):
		pace.QuickRead = min(pace.QuickRead, expectQuickRead)
	case s.Pending == 0 && p.feed.Live(q.set): // while money waits for finality, which is not pushed, nothing is saved
		pace.QuickRead = max(pace.QuickRead, liveQuickRead)
	}
	return pace
}

// readPushed makes a round if money was pushed, unless too much is pushed, and reports whether it did.
func (w *Watcher) readPushed(ctx context.Context, now time.Time) bool {
	p := &w.pushes
	if p.rounds == nil || !p.pushed.Swap(false) || !p.rounds.AllowN(now, 1) {
		return false
	}
	changed := w.passes.changed
	_ = w.RunOnce(ctx) // logs failures itself
	switch {
	case w.passes.changed > changed:
		p.expects = time.Time{}
	case !w.pace.last.failed:
		p.expects = now.Add(expectFor)
	}
	return true
}
