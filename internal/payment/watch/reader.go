package watch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/payment"
)

const (
	// scanStep bounds how many blocks one scan reads before the cursor is stored,
	// so that a crash while catching up loses little.
	scanStep = 2_000
	// saveEvery bounds how often a cursor is stored while no money comes.
	saveEvery = time.Second
	// restEvery is the same while nothing moves; far below any HeadLimit.
	restEvery = 10 * time.Second
)

// reader reads ranges of blocks and has payments observe them. Each pass is one, with a cursor of its own.
type reader struct {
	*network

	pace    *pacer
	health  *health
	failed  failed
	watched watchlist
	// current is what every round reads, where some addresses rest.
	current *chain.WatchSet
	size    uint64 // how many blocks one scan reads at present
	// rechecked is the cursor's: up to it every block was read as finalized.
	rechecked uint64
	once      memory
	above     kept
	changed   int // how many changes of payments were found
}

// passes are what a round reads, each with a cursor of its own: what is final (Cursor.Scanned) and, where it was
// credited before, finalized (Rechecked); the same through another voice (Second); what rests (Ended); and what is
// above the final block.
type passes struct {
	*reader

	second second
	late   late
	tail   tail
}

func newPasses(n *network, p *pacer, h *health) passes {
	r := &reader{
		network: n, pace: p, health: h, failed: failed{network: n, rows: make(map[payment.ID]SetAside)},
		watched: newWatchlist(n.profile.Network), size: scanStep, once: memory{said: make(judgement)},
	}
	return passes{
		reader: r, second: second{reader: r}, late: late{reader: r},
		tail: tail{reader: r, skipped: make(map[payment.ID]error)},
	}
}

// set returns the addresses that every round reads.
func (r *reader) set() *chain.WatchSet {
	if rests(r.profile.Network) {
		return r.current
	}
	return r.watched.set
}

// isRead reports whether a scan of the set reads the payment's address. Where no address rests, every scan does.
func (r *reader) isRead(id payment.ID, set *chain.WatchSet) bool {
	if !rests(r.profile.Network) {
		return true
	}
	address, watched := r.watched.byID[id]
	if !watched {
		return false
	}
	_, in := set.Lookup(address.Raw)
	return in
}

// finalizes reports whether nothing is credited on the network before the chain has finalized it.
func (r *reader) finalizes() bool { return r.profile.Finality.Tag == chain.TagFinalized }

// advance reads everything between the cursor and the heads.
func (p *passes) advance(ctx context.Context, heads chain.Heads, cursor Cursor, exists bool) (Cursor, error) {
	if err := p.late.loadWatched(ctx, cursor); err != nil {
		return cursor, err
	}
	why, stalled := p.stalled(heads)
	if !exists && stalled {
		return cursor, nil // what is final is not known well enough to begin there
	}
	if !exists {
		// No address of this network has been shown yet.
		cursor = Cursor{
			Scanned: heads.Final, Second: heads.Final, Rechecked: chain.Lower(heads.Final, heads.Finalized),
			Ended: heads.Final.Number,
		}
		return cursor, p.save(ctx, &cursor, true)
	}
	if err := p.indexed(cursor); err != nil {
		return cursor, err
	}
	cursor, err := p.holds(ctx, heads, stoppedSince(cursor, p.profile.HeadLimit+cursor.Pause, p.now()))
	if err != nil {
		return cursor, err
	}
	heads = above(heads, cursor)
	p.rechecked = cursor.Rechecked.Number
	if err = p.late.loadCurrent(ctx, heads, cursor); err != nil {
		return cursor, err
	}
	stored := cursor.UpdatedAt
	if cursor, err = p.authoritative(ctx, heads, cursor); err == nil {
		cursor, err = p.recheckFinalized(ctx, heads, cursor, stored)
	}
	p.late.scanned, p.late.moves = cursor.Scanned.Number, cursor.Moves
	if err != nil {
		return cursor, err
	}
	if err = p.repair(ctx, heads, cursor); err != nil {
		return cursor, err
	}
	if err = p.tail.take(ctx, heads, cursor); err != nil {
		return cursor, err
	}
	if cursor, err = p.second.take(ctx, heads, cursor); err != nil {
		return cursor, err
	}
	if cursor, err = p.late.take(ctx, heads, cursor); err != nil {
		return cursor, err
	}
	if stalled {
		return p.pause(ctx, cursor, why)
	}
	if cursor, err = p.recover(ctx, cursor); err != nil {
		return cursor, err
	}
	// A final head that stands still is no outage: the cursor says when the
	// network was last read, not when it last moved.
	return cursor, p.save(ctx, &cursor, p.now().Sub(cursor.UpdatedAt) >= restEvery)
}

// indexed reports, as an error, that the network was restored just now. A sweep of the lost time may have emptied an
// address, which then looks as if it had never been paid until the endpoints list the sweep.
func (r *reader) indexed(c Cursor) error {
	// A clock that was set back does not make it wait longer.
	if lag := r.profile.IndexLag; c.RestoredAt.IsZero() || r.now().Sub(c.RestoredAt).Abs() >= lag {
		return nil
	}
	return fault.New(fault.Unavailable,
		"the database was restored at %s; %s is read from %s later on, when endpoints list everything that was swept before",
		c.RestoredAt.UTC().Format(time.TimeOnly), r.profile.Network, r.profile.IndexLag)
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
func (p *passes) holds(ctx context.Context, heads chain.Heads, c Cursor) (Cursor, error) {
	if heads.Final.Number < c.Scanned.Number || heads.Final.Hash == c.Scanned.Hash {
		return c, nil // an endpoint that lags, or nothing new
	}
	head, ok, err := p.endpoints.BlockAt(ctx, c.Scanned.Number)
	if err != nil {
		return c, err
	}
	if ok && head.Hash == c.Scanned.Hash {
		return c, nil
	}
	if !ok {
		return c, fmt.Errorf("%s: the chain has no block %d, up to which it was read: the endpoint is behind or another chain; "+
			"if it is right, run `florin rescan --network %s --from` with a block it has",
			p.profile.Network, c.Scanned.Number, p.profile.Network.Lower())
	}
	hard, ok, err := p.endpoints.BlockAt(ctx, c.Rechecked.Number)
	if err != nil {
		return c, err
	}
	if !ok || hard.Hash != c.Rechecked.Hash {
		return c, fmt.Errorf("%s: finalized block %d has another hash than when it was read; compare the endpoints, then run `florin rescan --network %s --from` with a block before",
			p.profile.Network, c.Rechecked.Number, p.profile.Network.Lower())
	}
	p.log.Error("credited blocks were replaced; reading them again", "from", c.Rechecked.Number+1, "to", c.Scanned.Number)
	c.Scanned = c.Rechecked
	c.Second = chain.Lower(c.Second, c.Scanned)
	p.second.reset()
	return c, nil
}

// authoritative reads the blocks that have become final.
func (p *passes) authoritative(ctx context.Context, heads chain.Heads, c Cursor) (Cursor, error) {
	err := p.walk(ctx, c.Scanned.Number, heads.Final, func(from uint64, to chain.Head) error {
		found, by, err := p.take(ctx, heads, p.set(), from, to)
		if err != nil {
			return err
		}
		p.once.readBy(by, c.Scanned.Number, to.Number)
		c.Scanned = to
		due := found > 0 || to.Number < heads.Final.Number || to.Number <= c.RereadTo ||
			p.now().Sub(c.UpdatedAt) >= saveEvery
		return p.save(ctx, &c, due)
	})
	return c, err
}

// recheckFinalized reads again the blocks that were credited before the chain finalized them. Where nothing is credited
// before, or nobody waits, the second reading is that. How far it came is stored as often as the cursor is, which the
// round began with as it was stored then: the next one does not read them again.
func (p *passes) recheckFinalized(
	ctx context.Context, heads chain.Heads, c Cursor, stored time.Time,
) (Cursor, error) {
	if p.finalizes() {
		return c, nil
	}
	end := heads.Finalized
	if p.pace.secondRechecks() && c.Second.Number < end.Number {
		if c.Second.Number <= c.Rechecked.Number {
			return c, nil
		}
		var err error // the hash of the cursor is not stored
		if end, err = p.blockAt(ctx, c.Second.Number); err != nil {
			return c, err
		}
	}
	err := p.walk(ctx, c.Rechecked.Number, chain.Lower(end, c.Scanned), func(from uint64, to chain.Head) error {
		found, _, err := p.take(ctx, heads, p.set(), from, to)
		if err != nil {
			return err
		}
		c.Rechecked, p.rechecked = to, to.Number
		return p.save(ctx, &c, found > 0 || to.Number < end.Number || p.now().Sub(stored) >= saveEvery)
	})
	return c, err
}

// walk reads the blocks after..end in ranges, one after the other.
func (r *reader) walk(
	ctx context.Context, after uint64, end chain.Head, read func(from uint64, to chain.Head) error,
) error {
	for after < end.Number {
		to := end
		if end.Number-after > r.size {
			var err error
			if to, err = r.blockAt(ctx, after+r.size); err != nil {
				return err
			}
		}
		if err := read(after+1, to); err != nil {
			return err
		}
		after = to.Number
	}
	return nil
}

// blockAt returns a block that the chain was found to have.
func (r *reader) blockAt(ctx context.Context, number uint64) (chain.Head, error) {
	h, ok, err := r.endpoints.BlockAt(ctx, number)
	if err == nil && !ok {
		err = chain.ErrReorged
	}
	return h, err
}

// resize reads fewer blocks at once after a scan that ran out of time, and more after one that did not.
func (r *reader) resize(err error) {
	switch {
	case err == nil:
		r.size = min(r.size*2, scanStep)
	case errors.Is(err, context.DeadlineExceeded):
		r.size = max(r.size/2, 1)
	}
}

// take reads the blocks from..to for the addresses of the set through one endpoint, and lets every
// payment concerned observe them: those with a transfer in them and those with a recorded deposit in them. It returns
// how many payments changed, and the voice of the endpoint. What cannot be read, or is disputed, is set aside.
func (r *reader) take(
	ctx context.Context, heads chain.Heads, set *chain.WatchSet, from uint64, to chain.Head,
) (changed int, by string, err error) {
	found, by, err := r.scan(ctx, from, to, set)
	if err == nil {
		changed, err = r.observeRange(ctx, heads, set, from, to, found, false)
	}
	switch {
	case err == nil:
		r.once.show(found)
	case !errors.Is(err, context.DeadlineExceeded) || r.profile.Finality.Depth > 0:
		r.once.said = make(judgement) // the blocks may be others when they are read again
	}
	r.resize(err)
	return changed, by, err
}

// takeTwice takes the blocks through as many voices as must say the same: what one of them leaves out, another shows,
// and payments observe what any of them shows. first is the voice through which they were taken already, and shown
// what it has shown; empty: through none.
func (r *reader) takeTwice(
	ctx context.Context, heads chain.Heads, set *chain.WatchSet, from uint64, to chain.Head,
	first string, shown []chain.Transfer,
) error {
	var heard []string
	if first != "" && r.endpoints.Quorum() > 1 {
		heard = append(heard, first)
	}
	all, err := twice(ctx, r.endpoints.Quorum(), r.scan, from, to, set, heard...)
	if err == nil {
		all = distinct(append(all, shown...), from, to.Number) // a voice that is asked now prevails
		_, err = r.observeRange(ctx, heads, set, from, to, all, true)
	}
	r.resize(err)
	return err
}

// scanFunc is chain.Reader.Scan.
type scanFunc func(
	ctx context.Context, from uint64, to chain.Head, set *chain.WatchSet, not ...string,
) (found []chain.Transfer, by string, err error)

// twice returns what as many voices as the quorum show of the blocks, those that were heard already included.
func twice(
	ctx context.Context, quorum int, scan scanFunc, from uint64, to chain.Head, set *chain.WatchSet, heard ...string,
) (all []chain.Transfer, err error) {
	for len(heard) < quorum {
		found, by, err := scan(ctx, from, to, set, heard...)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
		if heard = append(heard, by); set.Len() == 0 {
			break
		}
	}
	return all, nil
}

// scan scans the blocks through an endpoint of none of the voices, and sets aside what it cannot read.
func (r *reader) scan(
	ctx context.Context, from uint64, to chain.Head, set *chain.WatchSet, not ...string,
) (found []chain.Transfer, by string, err error) {
	if set.Len() == 0 {
		return nil, "", nil
	}
	found, by, err = r.endpoints.Scan(ctx, from, to, set, not...)
	if unread, some := errors.AsType[*chain.UnreadError](err); some {
		var ids []payment.ID
		for _, a := range unread.Addresses {
			if id, ok := r.watched.owner(a); ok {
				ids = append(ids, id)
			}
		}
		err = r.failed.add(ctx, from, r.now(), unread, ids...)
	}
	return found, by, err
}

// observeRange lets payments observe what final blocks hold.
func (r *reader) observeRange(
	ctx context.Context, heads chain.Heads, set *chain.WatchSet, from uint64, to chain.Head, found []chain.Transfer,
	twice bool,
) (int, error) {
	return r.observe(ctx, set, payment.View{
		Network: r.profile.Network, From: from, To: to.Number, Latest: heads.Latest,
		Final: heads.Final, Finalized: heads.Finalized, Transfers: found, End: to,
	}, twice, func(id payment.ID, block uint64, cause error) error {
		return r.failed.add(ctx, block, r.now(), cause, id)
	})
}

// save stores the cursor, while this instance leads, if it must: after a crash, blocks without money may be
// read again.
func (r *reader) save(ctx context.Context, c *Cursor, must bool) error {
	if !must {
		return nil
	}
	c.UpdatedAt, c.Pause = r.now(), r.pace.round
	return r.saveAsIs(ctx, *c)
}

// saveAsIs stores the cursor without saying that the network was read.
func (r *reader) saveAsIs(ctx context.Context, c Cursor) error {
	c.Holder = r.holder
	if err := r.store.SaveCursor(ctx, r.profile.Network, c); err != nil {
		return fmt.Errorf("store the cursor: %w", err)
	}
	r.health.alive()
	return nil
}
