package watch

import (
	"context"
	"errors"
	"time"

	"github.com/florinpay/florin/internal/chain"
)

// Feed is a subscription that pushes money to addresses. Its functions do not block.
type Feed struct {
	// Watch says for which addresses; nil: for none.
	Watch func(*chain.WatchSet)
	// Live reports whether money to all of them would be pushed, as far as is known.
	Live func(*chain.WatchSet) bool
	// Doubt says that money was withheld or invented.
	Doubt func(error)
}

const (
	// liveQuickRead is the time between two quick reads while a live subscription pushes money: they prove that it
	// withholds nothing.
	liveQuickRead = 3 * time.Second
	// pushesAtOnce is how many pushes are followed by a round at once; after that, one in pushEvery is, and quick reads
	// find what the others say. Whoever pushes cannot make us read more often.
	pushesAtOnce = 5
	pushEvery    = time.Minute
	// falsePushes is after how many rounds in a row that pushes asked for in vain a subscription is not trusted.
	falsePushes = 5
	// pushGrace is how long a push may come after its money was found by reading.
	pushGrace = 3 * time.Second
	// expectFor is how long after a push that found nothing the network is read at the full pace: another node behind
	// the same address may not have the block yet. It usually has it a moment later, so the first quick reads follow
	// each other closely, for expectClosely.
	expectFor       = 5 * time.Second
	expectClosely   = time.Second
	expectQuickRead = 250 * time.Millisecond
	// headRest is the time from the push of a block to its round: nodes push a block a moment before they say which one
	// is final by it. No two rounds of pushed blocks are closer.
	headRest = 30 * time.Millisecond
)

var (
	errWithheld = errors.New("it did not push money that reading found")
	errInvented = errors.New("it pushed money that reading did not find")
)

// pushes is what the watcher knows of its subscription.
type pushes struct {
	feed    Feed
	on      bool
	rounds  allowance // that pushes may still bring
	at      time.Time // when a push last came
	found   time.Time // when a quick read found money of which no push had come; zero: no such is open
	vain    int       // rounds in a row that pushes asked for and that found nothing
	expects time.Time
}

// Follow makes the watcher read the network as soon as the subscription pushes money. Pushed must be called then.
func (w *Watcher) Follow(f Feed) {
	w.pushes = pushes{feed: f, on: true, rounds: allowance{left: pushesAtOnce}}
}

// Pushed says that money was pushed. It does not block.
func (w *Watcher) Pushed() {
	w.pushed.Store(true)
	select {
	case w.push <- struct{}{}:
	default:
	}
}

// Headed says that a new block was pushed, so that what waits for finality may be final. It does not block.
func (w *Watcher) Headed() {
	w.headed.Store(true)
	select {
	case w.head <- struct{}{}:
	default:
	}
}

// follow tells the subscription what to push, and returns the pace with quick reads that are further apart while it
// does.
func (w *Watcher) follow(ctx context.Context, s AtRisk, level Level, pace Pace, now time.Time) Pace {
	p := &w.pushes
	if !p.on {
		return pace
	}
	if !w.leads || level < Open || w.loadOpen(ctx, s, now) != nil {
		p.feed.Watch(nil)
		return pace
	}
	p.feed.Watch(w.open.set)
	if !p.found.IsZero() && now.Sub(p.found) > pushGrace {
		if p.at.Before(p.found.Add(-pushGrace)) {
			p.feed.Doubt(errWithheld)
		}
		p.found = time.Time{}
	}
	// While money waits for finality, which is not pushed, nothing is saved.
	if s.Pending == 0 && !p.expected(now) && p.feed.Live(w.open.set) {
		pace.QuickRead = max(pace.QuickRead, liveQuickRead)
	}
	if w.headed.Swap(false) && s.Pending > 0 || p.expected(now) && now.Sub(p.at) < expectClosely {
		pace.QuickRead = min(pace.QuickRead, expectQuickRead)
	}
	return pace
}

// expected reports whether money was pushed a moment ago that no round has found yet.
func (p *pushes) expected(now time.Time) bool { return !now.After(p.expects) }

// readPushed makes a round if money was pushed, unless too much is pushed, and reports whether it did.
func (w *Watcher) readPushed(ctx context.Context, now time.Time) bool {
	p := &w.pushes
	if !p.on || !w.pushed.Swap(false) {
		return false
	}
	p.at, p.found = now, time.Time{}
	p.rounds.grow(now, pushesAtOnce, pushEvery)
	if p.rounds.left == 0 {
		return false
	}
	p.rounds.left--
	changed := w.changed
	_ = w.RunOnce(ctx) // logs failures itself
	switch {
	case w.changed > changed:
		p.vain, p.expects = 0, time.Time{}
	case w.last.failed:
	default:
		p.expects = now.Add(expectFor)
		if p.vain++; p.vain >= falsePushes {
			p.vain = 0
			p.feed.Doubt(errInvented)
		}
	}
	return true
}

// quickReadFound records that a quick read has found money; unless a push of it came, the subscription withheld it.
func (w *Watcher) quickReadFound(now time.Time) {
	p := &w.pushes
	if p.expected(now) {
		p.vain, p.expects = 0, time.Time{} // what was pushed is there
	}
	if p.on && p.found.IsZero() && p.feed.Live(w.open.set) {
		p.found = now
	}
}
