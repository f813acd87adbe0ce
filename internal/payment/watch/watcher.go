package watch

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/payment"
)

// Watcher records the deposits of one network. Each round it reads the heads,
// then every block that became final since the cursor (the authoritative pass,
// the only one that credits), then again the blocks that the chain finalized
// after they were credited, the blocks above for incoming money (the
// tentative pass, which only informs), and last what was read through one
// endpoint so far through another.
//
// Its invariant: the cursor moves past a block only after every transfer in it
// to a watched address has been stored. Addresses are loaded after the heads
// are read, so an address shown before a block was made is known when that
// block is scanned.
//
// Several instances may run one each: a lease lets one scan, and every write is
// right even if two do.
type Watcher struct {
	profile chain.Profile
	reader  chain.Reader
	store   Store
	holder  string
	now     func() time.Time
	log     *slog.Logger

	forget  func()    // what the reader remembers of the chain; nil: it remembers nothing
	moves   int64     // of the cursor that was last loaded
	checked bool      // the chain is the configured one
	recheck time.Time // when to ask again after a check failed
	watched watchlist
	tail    tail
	resting resting
	// rechecked is the cursor's: up to it every block was read as finalized.
	rechecked uint64
	// pace is how many blocks one scan reads at present.
	pace       uint64
	second     second
	aside      map[payment.ID]SetAside // what is to be read again
	skipped    map[payment.ID]error    // by the tentative pass
	tailUnread string                  // why the tentative pass cannot read; empty if it can

	logged outageLog

	// What the pace rests on: see Step.
	wake      chan struct{}
	refresh   atomic.Bool
	unpaced   bool
	budget    int64         // calls a day; 0: no limit
	spent     func() int64  // of the budget, in per cent; nil: there is none
	wellAt    time.Time     // when a round last found the network well, or the first round
	pausing   time.Duration // how long the network may go unread by the present pace
	last      lastRound
	lag       finalLag
	early     bool      // AtRisk.Early, or not known
	lastQuick time.Time // when the last quick read was taken
	renewed   time.Time // when the lease was last taken or asked for
	leads     bool      // this instance has the lease
	open      openSet
	changed   int // how many changes of payments were found
	pushes    pushes
	push      chan struct{}
	pushed    atomic.Bool
	head      chan struct{}
	headed    atomic.Bool // since the last look

	mu     sync.RWMutex
	health payment.Health
	level  Level
}

// Limits of a watcher.
const (
	// PollEvery is the time between two rounds while there is more to read, and always
	// for a node of one's own.
	PollEvery = 300 * time.Millisecond
	// scanStep bounds how many blocks one scan reads before the cursor is stored,
	// so that a crash while catching up loses little.
	scanStep = 2_000
	// leaseFor is how long a crashed instance keeps others from scanning.
	leaseFor = 10 * time.Second
	// saveEvery bounds how often a cursor is stored while no money comes.
	saveEvery = time.Second
	// restEvery is the same while nothing moves; far below any HeadLimit.
	restEvery = 10 * time.Second
	// roundLimit bounds one round, so that a hanging endpoint is noticed.
	roundLimit = 2 * time.Minute
	// recheckAfter is when a network that is not the configured one is checked
	// again.
	recheckAfter = 5 * time.Second
)

// NewWatcher returns the watcher of the reader's network. holder names this
// instance in the lease.
func NewWatcher(
	p chain.Profile, r chain.Reader, s Store, holder string, now func() time.Time, log *slog.Logger,
) *Watcher {
	return &Watcher{
		profile: p, reader: r, store: s, holder: holder, now: now,
		log:  log.With("network", p.Network),
		wake: make(chan struct{}, 1), push: make(chan struct{}, 1),
		head:    make(chan struct{}, 1),
		watched: newWatchlist(p.Network), resting: resting{on: rests(p.Network)},
		pace: scanStep, second: second{said: make(judgement)},
		level: Attended, early: true, // what is at stake is not known yet
		aside: make(map[payment.ID]SetAside), skipped: make(map[payment.ID]error),
		health: payment.Health{Reason: "this network is being checked", Detail: "not read yet", New: true},
	}
}

// Release gives the lease back, so that another instance, or this one started
// again, need not wait for it to run out.
func (w *Watcher) Release(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	now := w.now()
	if _, err := w.store.Lease(ctx, LeaseName(w.profile.Network), w.holder, now, now); err != nil {
		w.log.Warn("lease not given back; it runs out by itself", "error", err)
	}
}

// LeaseName is the name of the lease to read the network.
func LeaseName(n chain.Network) string { return "watch:" + string(n) }

// RunOnce makes one round and logs a change of its result.
func (w *Watcher) RunOnce(ctx context.Context) error {
	if w.logged.began.IsZero() {
		w.logged.began = w.now()
	}
	w.last = lastRound{at: w.now()}
	w.refresh.Store(false)
	before := w.Health()
	err := w.round(ctx)
	if err != nil && before.OK && w.limited() {
		w.setHealth(before) // a plan that is slow delays a reading, and health tells of its age
	}
	if h := w.Health(); h.New && err != nil && ctx.Err() == nil { // it failed at the database
		h.New, h.Detail = false, err.Error()
		w.setHealth(h)
	}
	if w.last.failed = err != nil; !w.last.failed {
		w.alive()
	}
	if w.wellAt.IsZero() || w.Health().OK {
		w.wellAt = w.last.at
	}
	if err != nil {
		w.last.latest = 0
	}
	if ctx.Err() == nil {
		w.logRound(err)
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
	if err != nil && w.wasMoved(ctx) {
		heads, err = w.readHeads(ctx)
	}
	leads, leaseErr := w.lead(ctx)
	if leaseErr != nil {
		return leaseErr
	}
	if err != nil {
		if leads {
			err = errors.Join(err, w.markBehind(ctx))
		}
		return err
	}
	cursor, ok, cursorErr := w.store.Cursor(ctx, w.profile.Network)
	if cursorErr != nil {
		return fmt.Errorf("read the cursor: %w", cursorErr)
	}
	w.moves = cursor.Moves
	if err := w.loadSetAside(ctx); err != nil {
		return err
	}
	if leads {
		cursor, err = w.advance(ctx, heads, cursor, ok)
		if errors.Is(err, ErrNotLeading) {
			w.leads = false
			return nil // the other instance reads on; this one follows from the next round on
		}
	} else if !w.readByLeader(cursor, ok) {
		w.setHealth(payment.Health{
			Reason: "this network cannot be read reliably at the moment", Latest: heads.Latest, Final: heads.Final,
			Detail: "another instance leads, and has not read the network of late",
		})
		return nil
	}
	w.last.latest, w.last.cursor = heads.Latest.Number, cursor
	if w.tailUnread != "" {
		w.last.latest = 0 // perhaps it was invented, and quick reads would look behind it
	}
	w.lag.add(heads, w.now())
	w.last.more = leads && cursor.Scanned.Number < heads.Final.Number
	w.report(heads, cursor, err)
	return err
}

// OnMove calls forget when an operator has moved the cursor of a network whose heads cannot be read: then the chain may
// be another one than the reader remembers.
func (w *Watcher) OnMove(forget func()) { w.forget = forget }

// wasMoved reports whether an operator has moved the cursor since it was last loaded, and has the reader forget.
func (w *Watcher) wasMoved(ctx context.Context) bool {
	c, ok, err := w.store.Cursor(ctx, w.profile.Network)
	if err != nil || !ok || c.Moves == w.moves || w.forget == nil {
		return false
	}
	w.moves = c.Moves
	w.forget()
	return true
}

// check checks once that the chain is the configured one. Until then the network
// is not offered and not read.
func (w *Watcher) check(ctx context.Context) error {
	if w.checked {
		return nil
	}
	if w.now().Before(w.recheck) {
		return errors.New(w.Health().Detail)
	}
	if err := w.reader.Check(ctx); err != nil {
		w.recheck = w.now().Add(recheckAfter)
		w.setHealth(payment.Health{Reason: "this network is not set up", Detail: err.Error()})
		return err
	}
	w.checked = true
	return nil
}

// lead takes or renews the lease to scan this network.
func (w *Watcher) lead(ctx context.Context) (bool, error) {
	now := w.now()
	ok, err := w.store.Lease(ctx, LeaseName(w.profile.Network), w.holder, now, now.Add(leaseFor))
	if err != nil {
		return false, fmt.Errorf("lease of the network: %w", err)
	}
	if ok && !w.leads { // another instance may have read blocks meanwhile, through another voice
		w.second = second{said: make(judgement)}
	}
	w.renewed, w.leads = now, ok
	return ok, nil
}

// readHeads reads the heads and fails when the newest block is too old: a
// network that stands still cannot be offered.
func (w *Watcher) readHeads(ctx context.Context) (chain.Heads, error) {
	heads, err := w.reader.Heads(ctx)
	if err != nil {
		w.setHealth(payment.Health{Reason: "this network cannot be reached", Detail: err.Error()})
		return chain.Heads{}, err
	}
	if lag := w.now().Sub(heads.Latest.Time); lag > w.profile.HeadLimit {
		w.setHealth(payment.Health{
			Reason: "this network is slow at the moment", Latest: heads.Latest, Final: heads.Final, Lag: lag,
			Detail: fmt.Sprintf("the newest block is %s old, limit %s", lag.Round(time.Second), w.profile.HeadLimit),
		})
		// Without its age, which would be another text in every round.
		return chain.Heads{}, fmt.Errorf("%s: the newest block, %d, is older than %s", w.profile.Network, heads.Latest.Number, w.profile.HeadLimit)
	}
	return heads, nil
}
