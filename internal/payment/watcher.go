package payment

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/florinpay/florin/internal/chain"
)

// Watcher records the deposits of one network. Each round it reads the heads,
// then every block that became final since the cursor (the authoritative pass,
// the only one that credits), then again the blocks that the chain finalized
// after they were credited, and last the blocks above for incoming money (the
// tentative pass, which only informs).
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
	store   WatchStore
	holder  string
	now     func() time.Time
	log     *slog.Logger

	checked bool      // the chain is the configured one
	recheck time.Time // when to ask again after a check failed
	watched watchlist
	tail    tail
	// rechecked is the cursor's: up to it every block was read as finalized.
	rechecked uint64
	// pace is how many blocks one scan reads at present. confirmed is what a
	// second endpoint has confirmed in blocks that are not stored yet, so that
	// after a round that runs out of time the next one gets further.
	pace      uint64
	confirmed map[confirmation]struct{}
	disputes  map[chain.Inclusion]dispute
	aside     map[ID]SetAside // as of the beginning of the round
	skipped   map[ID]error    // by the tentative pass

	logged outageLog

	mu     sync.RWMutex
	health Health
}

// Limits of a watcher.
const (
	// PollEvery is how often a network is asked for its heads: a payer sees the
	// deposit within half a second of its block.
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
	p chain.Profile, r chain.Reader, s WatchStore, holder string, now func() time.Time, log *slog.Logger,
) *Watcher {
	return &Watcher{
		profile: p, reader: r, store: s, holder: holder, now: now,
		log:     log.With("network", p.Network),
		watched: newWatchlist(p.Network), pace: scanStep, confirmed: make(map[confirmation]struct{}),
		disputes: make(map[chain.Inclusion]dispute), aside: make(map[ID]SetAside), skipped: make(map[ID]error),
		health: Health{Reason: "this network is being checked", Detail: "not read yet"},
	}
}

// Run watches until ctx ends. A failed round is logged and repeated.
func (w *Watcher) Run(ctx context.Context) error {
	tick := time.NewTicker(PollEvery)
	defer tick.Stop()
	defer w.Release(ctx)
	for {
		_ = w.RunOnce(ctx) // logs failures itself
		if ctx.Err() != nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// Release gives the lease back, so that another instance, or this one started
// again, need not wait for it to run out.
func (w *Watcher) Release(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	now := w.now()
	if _, err := w.store.Lease(ctx, w.leaseName(), w.holder, now, now); err != nil {
		w.log.Warn("lease not given back; it runs out by itself", "error", err)
	}
}

func (w *Watcher) leaseName() string { return "watch:" + string(w.profile.Network) }

// Health returns the network's health as of the last round.
func (w *Watcher) Health() Health {
	w.mu.RLock()
	defer w.mu.RUnlock()
	return w.health
}

// RunOnce makes one round and logs a change of its result.
func (w *Watcher) RunOnce(ctx context.Context) error {
	if w.logged.began.IsZero() {
		w.logged.began = w.now()
	}
	err := w.round(ctx)
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
	if err := w.loadSetAside(ctx); err != nil {
		return err
	}
	if leads {
		cursor, err = w.advance(ctx, heads, cursor, ok)
	} else if !w.readByLeader(cursor, ok) {
		w.setHealth(Health{
			Reason: "this network cannot be read reliably at the moment", Latest: heads.Latest, Final: heads.Final,
			Detail: "another instance leads, and has not read the network of late",
		})
		return nil
	}
	w.report(heads, cursor, err)
	return err
}

// readByLeader reports whether the instance that leads reads the network: a cursor
// exists, is not behind, and was stored of late.
func (w *Watcher) readByLeader(c Cursor, exists bool) bool {
	return exists && c.BehindSince.IsZero() && w.now().Sub(c.UpdatedAt) <= w.profile.HeadLimit
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
		w.setHealth(Health{Reason: "this network is not set up", Detail: err.Error()})
		return err
	}
	w.checked = true
	return nil
}

// lead takes or renews the lease to scan this network.
func (w *Watcher) lead(ctx context.Context) (bool, error) {
	now := w.now()
	ok, err := w.store.Lease(ctx, w.leaseName(), w.holder, now, now.Add(leaseFor))
	if err != nil {
		return false, fmt.Errorf("lease of the network: %w", err)
	}
	return ok, nil
}

// readHeads reads the heads and fails when the newest block is too old: a
// network that stands still cannot be offered.
func (w *Watcher) readHeads(ctx context.Context) (chain.Heads, error) {
	heads, err := w.reader.Heads(ctx)
	if err != nil {
		w.setHealth(Health{Reason: "this network cannot be reached", Detail: err.Error()})
		return chain.Heads{}, err
	}
	if lag := w.now().Sub(heads.Latest.Time); lag > w.profile.HeadLimit {
		w.setHealth(Health{
			Reason: "this network is slow at the moment", Latest: heads.Latest, Final: heads.Final, Lag: lag,
			Detail: fmt.Sprintf("the newest block is %s old, limit %s", lag.Round(time.Second), w.profile.HeadLimit),
		})
		// Without its age, which would be another text in every round.
		return chain.Heads{}, fmt.Errorf("%s: the newest block, %d, is older than %s", w.profile.Network, heads.Latest.Number, w.profile.HeadLimit)
	}
	return heads, nil
}

// advance reads everything between the cursor and the heads.
func (w *Watcher) advance(ctx context.Context, heads chain.Heads, cursor Cursor, exists bool) (Cursor, error) {
	if err := w.watched.load(ctx, w.store, w.now(), cursor.Scanned.Number < cursor.RereadTo); err != nil {
		return cursor, err
	}
	age, stalled := w.stalled(heads)
	if !exists && stalled {
		return cursor, nil // what is final is not known well enough to begin there
	}
	if !exists {
		// No address of this network has been shown yet.
		cursor = Cursor{Scanned: heads.Final, Rechecked: lower(heads.Final, heads.Finalized), UpdatedAt: w.now()}
		return cursor, w.store.SaveCursor(ctx, w.profile.Network, cursor)
	}
	cursor, err := w.holds(ctx, heads, stoppedSince(cursor, w.profile.HeadLimit, w.now()))
	if err != nil {
		return cursor, err
	}
	heads = above(heads, cursor)
	w.rechecked = cursor.Rechecked.Number
	if cursor, err = w.authoritative(ctx, heads, cursor); err != nil {
		return cursor, err
	}
	if cursor, err = w.recheckFinalized(ctx, heads, cursor); err != nil {
		return cursor, err
	}
	if err = w.retrySetAside(ctx, heads, cursor); err != nil {
		return cursor, err
	}
	if err = w.tentative(ctx, heads, cursor); err != nil {
		return cursor, err
	}
	if stalled {
		return w.pause(ctx, cursor, age)
	}
	if cursor, err = w.recover(ctx, cursor); err != nil {
		return cursor, err
	}
	// A final head that stands still is no outage: the cursor says when the
	// network was last read, not when it last moved.
	return cursor, w.save(ctx, &cursor, w.now().Sub(cursor.UpdatedAt) >= restEvery)
}

// lower returns the older of two blocks.
func lower(a, b chain.Head) chain.Head {
	if b.Number < a.Number {
		return b
	}
	return a
}

// above returns the heads with Final and Finalized no lower than what was read: an
// endpoint that is behind makes nothing unfinal that was final.
func above(h chain.Heads, c Cursor) chain.Heads {
	if h.Final.Number < c.Scanned.Number {
		h.Final = c.Scanned
	}
	if h.Finalized.Number < c.Rechecked.Number {
		h.Finalized = c.Rechecked
	}
	return h
}

// holds checks that the chain still has the cursor's block. If it was replaced,
// which the network's own finality forbids but a rule in seconds does not, reading
// restarts from the last finalized block that was read.
func (w *Watcher) holds(ctx context.Context, heads chain.Heads, c Cursor) (Cursor, error) {
	if heads.Final.Number < c.Scanned.Number || heads.Final.Hash == c.Scanned.Hash {
		return c, nil // an endpoint that lags, or nothing new
	}
	head, ok, err := w.reader.BlockAt(ctx, c.Scanned.Number)
	if err != nil {
		return c, err
	}
	if ok && head.Hash == c.Scanned.Hash {
		return c, nil
	}
	if !ok {
		return c, fmt.Errorf("%s: the chain has no block %d, up to which it was read: the endpoint is behind or another chain; "+
			"if it is right, run `florin rescan --network %s --from` with a block it has",
			w.profile.Network, c.Scanned.Number, w.profile.Network.Lower())
	}
	hard, ok, err := w.reader.BlockAt(ctx, c.Rechecked.Number)
	if err != nil {
		return c, err
	}
	if !ok || hard.Hash != c.Rechecked.Hash {
		return c, fmt.Errorf("%s: finalized block %d has another hash than when it was read; compare the endpoints, then run `florin rescan --network %s --from` with a block before",
			w.profile.Network, c.Rechecked.Number, w.profile.Network.Lower())
	}
	w.log.Error("credited blocks were replaced; reading them again", "from", c.Rechecked.Number+1, "to", c.Scanned.Number)
	c.Scanned = c.Rechecked
	return c, nil
}

// authoritative reads the blocks that have become final.
func (w *Watcher) authoritative(ctx context.Context, heads chain.Heads, c Cursor) (Cursor, error) {
	for c.Scanned.Number < heads.Final.Number {
		to, err := w.step(ctx, c.Scanned.Number, heads.Final)
		if err != nil {
			return c, err
		}
		found, err := w.take(ctx, heads, c.Scanned.Number+1, to)
		if err != nil {
			return c, err
		}
		rechecked := c.Rechecked.Number == c.Scanned.Number && to.Number <= heads.Finalized.Number
		c.Scanned = to
		if rechecked {
			c.Rechecked, w.rechecked = to, to.Number
		}
		due := found > 0 || to.Number < heads.Final.Number || to.Number <= c.RereadTo ||
			w.now().Sub(c.UpdatedAt) >= saveEvery
		if err := w.save(ctx, &c, due); err != nil {
			return c, err
		}
	}
	return c, nil
}

// recheckFinalized reads again the blocks that were credited before the chain finalized them.
func (w *Watcher) recheckFinalized(ctx context.Context, heads chain.Heads, c Cursor) (Cursor, error) {
	end := heads.Finalized
	for c.Rechecked.Number < min(end.Number, c.Scanned.Number) {
		to, err := w.step(ctx, c.Rechecked.Number, end)
		if err != nil {
			return c, err
		}
		if to.Number > c.Scanned.Number {
			to = c.Scanned
		}
		found, err := w.take(ctx, heads, c.Rechecked.Number+1, to)
		if err != nil {
			return c, err
		}
		c.Rechecked, w.rechecked = to, to.Number
		due := found > 0 || to.Number < end.Number || w.now().Sub(c.UpdatedAt) >= saveEvery
		if err := w.save(ctx, &c, due); err != nil {
			return c, err
		}
	}
	return c, nil
}

// step returns the last block of the next scan after the block number.
func (w *Watcher) step(ctx context.Context, after uint64, end chain.Head) (chain.Head, error) {
	if end.Number-after <= w.pace {
		return end, nil
	}
	to, ok, err := w.reader.BlockAt(ctx, after+w.pace)
	if err == nil && !ok {
		err = chain.ErrReorged
	}
	return to, err
}

// save stores the cursor if it must: after a crash, blocks without money may be
// read again.
func (w *Watcher) save(ctx context.Context, c *Cursor, must bool) error {
	now := w.now()
	if !must {
		return nil
	}
	c.UpdatedAt = now
	if err := w.store.SaveCursor(ctx, w.profile.Network, *c); err != nil {
		return fmt.Errorf("store the cursor: %w", err)
	}
	return nil
}

// report publishes the network's health.
func (w *Watcher) report(heads chain.Heads, c Cursor, err error) {
	h := Health{
		OK: true, Latest: heads.Latest, Final: heads.Final, Scanned: c.Scanned,
		Lag:     max(w.now().Sub(heads.Latest.Time), 0),
		FinalIn: max(heads.Latest.Time.Sub(heads.Final.Time), 0), SetAside: len(w.aside),
		FinalAge:  max(heads.Latest.Time.Sub(heads.Final.Time), 0),
		Endpoints: len(w.reader.Endpoints()),
	}
	if age, stalled := w.stalled(heads); stalled {
		h.OK, h.Stalled, h.Reason = false, true, slow
		h.Detail = fmt.Sprintf("the final block, %d, is %s older than the newest one, limit %s", heads.Final.Number,
			age.Round(time.Second), w.profile.FinalLimit())
	}
	if err != nil && !errors.Is(err, chain.ErrReorged) {
		h.OK, h.Reason, h.Detail = false, "this network cannot be read reliably at the moment", err.Error()
	}
	w.setHealth(h)
}

func (w *Watcher) setHealth(h Health) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if h.Scanned.Number == 0 {
		h.Scanned = w.health.Scanned
	}
	w.health = h
}
