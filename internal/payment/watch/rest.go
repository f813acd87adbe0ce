package watch

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/payment"
)

// rests reports whether the addresses of payments that ended are read more slowly than those of open ones: where
// reading costs by the address. On EVM networks it costs by the block, whatever is watched.
func rests(n chain.Network) bool { return !n.EVM() }

// resting is how a watcher reads the addresses of payments that ended, on a network where they rest: a part at a time,
// each in its turn, with a cursor of their own (Cursor.Ended).
//
// Two things hold after every round. Each address of the current set was read up to Cursor.Scanned: these are the
// addresses of the payments whose expiry waits for that block. And every watched address was read up to Cursor.Ended,
// twice, as the current ones are up to Cursor.Second.
// So an address that leaves the current set is taken over by the next pass, which begins at the block after
// Cursor.Ended; and one that enters the set is first read from there up to Cursor.Scanned.
type resting struct {
	on      bool
	current *chain.WatchSet // what every round reads
	// scanned and moves are those of the cursor up to which current was read. A cursor that is further was stored by
	// another instance, whose current set was another one.
	scanned uint64
	moves   int64

	queue []chain.Watched // what this pass has still to read
	total int             // how many it began with
	until uint64          // Cursor.Ended after this pass: up to where the current ones were read twice when it began
	began time.Time       // zero: no pass has begun
	// failing is since when nothing could be read.
	failing time.Time
}

const (
	// restPart is how many addresses one scan reads.
	restPart = 1_000
	// restRate is how many addresses a second are read on average: all of a month of 1,000 payments a day within 34
	// minutes. ownRate is the same for a node of one's own.
	restRate = 15
	ownRate  = 1_000
	// partsAtOnce bounds how many parts one round reads. A payer who waits is kept waiting by one at most.
	partsAtOnce = 6
	// partsLimit bounds how long that takes.
	partsLimit = 30 * time.Second
	// restLimit is for how long it may fail before the network counts as unwell.
	restLimit = 30 * time.Minute
)

// reset forgets what was read, so that it is read again from the cursor on.
func (r *resting) reset(c Cursor) {
	*r = resting{on: r.on, current: chain.NewWatchSet(0), scanned: c.Scanned.Number, moves: c.Moves}
}

// passTime is how long a pass over so many addresses takes at least.
func (w *Watcher) passTime(addresses int) time.Duration {
	rate := restRate
	if w.unpaced {
		rate = ownRate
	}
	every := max(endedRound, time.Duration(addresses/rate)*time.Second)
	if w.spent != nil {
		every *= time.Duration(Ended.Slowdown(w.spent()))
	}
	return every
}

// reading returns what every round reads.
func (w *Watcher) reading() *chain.WatchSet {
	if w.resting.on {
		return w.resting.current
	}
	return w.watched.set
}

// isRead reports whether a scan of the set reads the payment's address. Where no address rests, every scan does.
func (w *Watcher) isRead(id payment.ID, set *chain.WatchSet) bool {
	if !w.resting.on {
		return true
	}
	address, watched := w.watched.byID[id]
	if !watched {
		return false
	}
	_, in := set.Lookup(address.Raw)
	return in
}

// loadCurrent brings the current set up to date with what is at stake: open payments, those that ended a moment ago or
// whose page is open, and those with money that is not final yet. It must be called after the heads and the watched
// addresses were read, and before the cursor moves on.
func (w *Watcher) loadCurrent(ctx context.Context, heads chain.Heads, c Cursor) error {
	r := &w.resting
	if !r.on {
		return nil
	}
	if r.current == nil || c.Scanned.Number > r.scanned || c.Moves != r.moves {
		r.reset(c)
	}
	open, err := w.store.OpenAddresses(ctx, w.profile.Network, w.now().Add(-endFor))
	if err != nil {
		return err
	}
	current, behind := chain.NewWatchSet(len(open)), chain.NewWatchSet(0)
	for _, a := range open {
		_, read := r.current.Lookup(a.Raw)
		switch id, watched := w.watched.owner(a.Address); {
		case !watched:
		case read, w.watched.fresh[id]: // a fresh one was not shown yet when the blocks up to the cursor were made
			current.Add(a)
		default:
			behind.Add(a)
		}
	}
	if behind.Len() > 0 && c.Ended < c.Scanned.Number {
		if err := w.takeTwice(ctx, heads, behind, c.Ended+1, c.Scanned, "", nil); err != nil {
			return err
		}
		w.tail = tail{}
	}
	for raw, a := range behind.All {
		current.Add(chain.Watched{Address: a, Raw: raw})
	}
	r.current = current
	clear(w.watched.fresh)
	return nil
}

// readResting reads on at the addresses that rest, as far as their pace has it, and moves Cursor.Ended when all are
// read. Its failures delay late money only, so they end a round only once they last.
func (w *Watcher) readResting(ctx context.Context, heads chain.Heads, c Cursor) (Cursor, error) {
	r := &w.resting
	if !r.on {
		return c, nil
	}
	if r.began.IsZero() || len(r.queue) == 0 && w.now().Sub(r.began) >= w.passTime(r.total) {
		w.beginPass(c)
	}
	err := w.readParts(ctx, heads, c)
	switch {
	case err == nil:
		r.failing = time.Time{}
	case ctx.Err() != nil:
		return c, err
	case r.failing.IsZero():
		r.failing = w.now()
		w.log.Warn("addresses of payments that ended cannot be read; they are tried again", "error", err)
		return c, nil
	case w.now().Sub(r.failing) < restLimit:
		return c, nil
	default:
		return c, fmt.Errorf("addresses of payments that ended are not read since %s: %w", r.failing.Format(time.RFC3339), err)
	}
	if len(r.queue) > 0 || r.until <= c.Ended {
		return c, nil
	}
	c.Ended = r.until
	return c, w.save(ctx, &c, r.total > 0 || c.RereadTo > 0)
}

// beginPass lists all addresses that are not current.
func (w *Watcher) beginPass(c Cursor) {
	r := &w.resting
	r.queue, r.until, r.began = nil, c.Second.Number, w.now()
	for raw, a := range w.watched.set.All {
		if _, current := r.current.Lookup(raw); !current {
			r.queue = append(r.queue, chain.Watched{Address: a, Raw: raw})
		}
	}
	slices.SortFunc(r.queue, func(a, b chain.Watched) int { return cmp.Compare(a.Address, b.Address) })
	r.total = len(r.queue)
}

// readParts reads the parts of the pass that are due.
func (w *Watcher) readParts(ctx context.Context, heads chain.Heads, c Cursor) error {
	r := &w.resting
	ctx, cancel := context.WithTimeout(ctx, partsLimit)
	defer cancel()
	most := partsAtOnce
	if w.Level() == Attended {
		most = 1
	}
	for range most {
		if len(r.queue) == 0 || !w.partDue() {
			return nil
		}
		set := chain.NewWatchSet(restPart)
		part := r.queue[:min(restPart, len(r.queue))]
		for _, a := range part {
			if _, watched := w.watched.owner(a.Address); watched {
				set.Add(a)
			}
		}
		if err := w.takeTwice(ctx, heads, set, c.Ended+1, c.Scanned, "", nil); err != nil {
			return err
		}
		r.queue = r.queue[len(part):]
	}
	return nil
}

// partDue reports whether the next part is to be read: parts are spread evenly over the time of a pass.
func (w *Watcher) partDue() bool {
	r := &w.resting
	read := r.total - len(r.queue)
	return w.now().Sub(r.began) >= w.passTime(r.total)*time.Duration(read)/time.Duration(r.total)
}
