package watch

import (
	"context"
	"fmt"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
)

// advance reads everything between the cursor and the heads.
func (w *Watcher) advance(ctx context.Context, heads chain.Heads, cursor Cursor, exists bool) (Cursor, error) {
	if err := w.loadWatched(ctx, cursor); err != nil {
		return cursor, err
	}
	why, stalled := w.stalled(heads)
	if !exists && stalled {
		return cursor, nil // what is final is not known well enough to begin there
	}
	if !exists {
		// No address of this network has been shown yet.
		cursor = Cursor{
			Scanned: heads.Final, Second: heads.Final, Rechecked: chain.Lower(heads.Final, heads.Finalized),
			UpdatedAt: w.now(),
			Pause:     w.pausing, Ended: heads.Final.Number,
		}
		return cursor, w.saveCursor(ctx, cursor)
	}
	if err := w.indexed(cursor); err != nil {
		return cursor, err
	}
	cursor, err := w.holds(ctx, heads, stoppedSince(cursor, w.profile.HeadLimit+cursor.Pause, w.now()))
	if err != nil {
		return cursor, err
	}
	heads = above(heads, cursor)
	w.rechecked = cursor.Rechecked.Number
	if err = w.loadCurrent(ctx, heads, cursor); err != nil {
		return cursor, err
	}
	stored := cursor.UpdatedAt
	if cursor, err = w.authoritative(ctx, heads, cursor); err == nil {
		cursor, err = w.recheckFinalized(ctx, heads, cursor, stored)
	}
	w.resting.scanned, w.resting.moves = cursor.Scanned.Number, cursor.Moves
	if err != nil {
		return cursor, err
	}
	if err = w.retrySetAside(ctx, heads, cursor); err != nil {
		return cursor, err
	}
	if err = w.tentative(ctx, heads, cursor); err != nil {
		return cursor, err
	}
	if cursor, err = w.readSecond(ctx, heads, cursor); err != nil {
		return cursor, err
	}
	if cursor, err = w.readResting(ctx, heads, cursor); err != nil {
		return cursor, err
	}
	if stalled {
		return w.pause(ctx, cursor, why)
	}
	if cursor, err = w.recover(ctx, cursor); err != nil {
		return cursor, err
	}
	// A final head that stands still is no outage: the cursor says when the
	// network was last read, not when it last moved.
	return cursor, w.save(ctx, &cursor, w.now().Sub(cursor.UpdatedAt) >= restEvery)
}

// indexed reports, as an error, that the network was restored just now. A sweep of the lost time may have emptied an
// address, which then looks as if it had never been paid until the endpoints list the sweep.
func (w *Watcher) indexed(c Cursor) error {
	// A clock that was set back does not make it wait longer.
	if lag := w.profile.IndexLag; c.RestoredAt.IsZero() || w.now().Sub(c.RestoredAt).Abs() >= lag {
		return nil
	}
	return fault.New(fault.Unavailable,
		"the database was restored at %s; %s is read from %s later on, when endpoints list everything that was swept before",
		c.RestoredAt.UTC().Format(time.TimeOnly), w.profile.Network, w.profile.IndexLag)
}

// loadWatched loads the watched addresses: after an operator moved the cursor, or a restore, those of all times until
// they are read to where the network stood.
func (w *Watcher) loadWatched(ctx context.Context, c Cursor) error {
	read := c.Scanned.Number
	if w.resting.on {
		read = min(read, c.Ended)
	}
	all := read < c.RereadTo
	if all != w.watched.all {
		w.resting.reset(c)
	}
	return w.watched.load(ctx, w.store, w.now(), all)
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
	c.Second = chain.Lower(c.Second, c.Scanned)
	w.second = second{said: make(judgement)}
	return c, nil
}

// authoritative reads the blocks that have become final.
func (w *Watcher) authoritative(ctx context.Context, heads chain.Heads, c Cursor) (Cursor, error) {
	for c.Scanned.Number < heads.Final.Number {
		to, err := w.step(ctx, c.Scanned.Number, heads.Final)
		if err != nil {
			return c, err
		}
		found, by, err := w.take(ctx, heads, w.reading(), c.Scanned.Number+1, to)
		if err != nil {
			return c, err
		}
		w.second.readBy(by, c.Scanned.Number, to.Number)
		c.Scanned = to
		due := found > 0 || to.Number < heads.Final.Number || to.Number <= c.RereadTo ||
			w.now().Sub(c.UpdatedAt) >= saveEvery
		if err := w.save(ctx, &c, due); err != nil {
			return c, err
		}
	}
	return c, nil
}

// recheckFinalized reads again the blocks that were credited before the chain finalized them. Where nothing is credited
// before, or nobody waits, the second reading is that. How far it came is stored as often as the cursor is, which the
// round began with as it was stored then: the next one does not read them again.
func (w *Watcher) recheckFinalized(
	ctx context.Context, heads chain.Heads, c Cursor, stored time.Time,
) (Cursor, error) {
	end := heads.Finalized
	if w.finalizes() {
		return c, nil
	}
	if w.secondRechecks() && c.Second.Number < end.Number {
		if c.Second.Number <= c.Rechecked.Number {
			return c, nil
		}
		var err error // the hash of the cursor is not stored
		if end, err = w.blockAt(ctx, c.Second.Number); err != nil {
			return c, err
		}
	}
	for c.Rechecked.Number < min(end.Number, c.Scanned.Number) {
		to, err := w.step(ctx, c.Rechecked.Number, end)
		if err != nil {
			return c, err
		}
		if to.Number > c.Scanned.Number {
			to = c.Scanned
		}
		found, _, err := w.take(ctx, heads, w.reading(), c.Rechecked.Number+1, to)
		if err != nil {
			return c, err
		}
		c.Rechecked, w.rechecked = to, to.Number
		due := found > 0 || to.Number < end.Number || w.now().Sub(stored) >= saveEvery
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
	return w.blockAt(ctx, after+w.pace)
}

// blockAt returns a block that the chain was found to have.
func (w *Watcher) blockAt(ctx context.Context, number uint64) (chain.Head, error) {
	h, ok, err := w.reader.BlockAt(ctx, number)
	if err == nil && !ok {
		err = chain.ErrReorged
	}
	return h, err
}

// saveCursor stores the cursor while this instance leads.
func (w *Watcher) saveCursor(ctx context.Context, c Cursor) error {
	c.Holder = w.holder
	err := w.store.SaveCursor(ctx, w.profile.Network, c)
	if err == nil {
		w.alive()
	}
	return err
}

// save stores the cursor if it must: after a crash, blocks without money may be
// read again.
func (w *Watcher) save(ctx context.Context, c *Cursor, must bool) error {
	now := w.now()
	if !must {
		return nil
	}
	c.UpdatedAt, c.Pause = now, w.pausing
	if err := w.saveCursor(ctx, *c); err != nil {
		return fmt.Errorf("store the cursor: %w", err)
	}
	return nil
}
