package watch

import (
	"context"
	"fmt"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/mail"
	"github.com/florinpay/florin/internal/payment"
)

// passes are what a round reads, each with a cursor of its own: every block that became final (Cursor.Scanned: the
// authoritative pass, the only one that credits) and, where money was credited before, again once it is finalized
// (Rechecked); the blocks above for incoming money (the tentative pass, which only informs); what was read through one
// endpoint so far, through another (Second); and what rests (Ended).
type passes struct {
	*reader

	second second
	late   late
	tail   tail

	replacedAt time.Time // since when the chain has another block in place of a finalized one; zero: it has not
}

func newPasses(n *network, p *pacer, h *health) passes {
	r := &reader{
		network: n, pace: p, health: h, failed: make(map[payment.ID]SetAside),
		watched: newWatchlist(n.profile.Network), current: chain.NewWatchSet(0), size: scanRange,
		once: memory{said: make(judgement)},
	}
	return passes{reader: r, second: second{reader: r}, late: late{reader: r}, tail: tail{reader: r}}
}

// load loads the cursor; exists is false before the network was first read.
func (p *passes) load(ctx context.Context) (exists, moved bool, err error) {
	c, exists, err := p.store.Cursor(ctx, p.profile.Network)
	if err != nil {
		return false, false, fmt.Errorf("read the cursor: %w", err)
	}
	if moved = c.Moves != p.cursor.Moves; moved {
		p.late.reset()
	}
	// Another instance has met another chain meanwhile: what is remembered of this one stands no more.
	was := p.cursor.Scanned
	if moved || c.Scanned.Number == was.Number && c.Scanned.Hash != was.Hash {
		p.second.reset()
	}
	p.cursor = c
	return exists, moved, nil
}

// readAll reads everything between the cursor and the heads.
func (p *passes) readAll(ctx context.Context, heads chain.Heads, exists bool) error {
	if err := p.late.loadWatched(ctx); err != nil {
		return err
	}
	if err := heads.Final.After(p.cursor.Scanned, p.now()); err != nil {
		return fmt.Errorf("%s: what is called final cannot be: %w", p.profile.Network, err)
	}
	why, stalled := p.stalled(heads)
	if !exists && stalled {
		return nil // what is final is not known well enough to begin there
	}
	if !exists {
		// No address of this network has been shown yet.
		p.cursor = Cursor{
			Scanned: heads.Final, Second: heads.Final, Rechecked: chain.Lower(heads.Final, heads.Finalized),
			Ended: heads.Final.Number,
		}
		return p.save(ctx, true)
	}
	if err := p.indexed(); err != nil {
		return err
	}
	// While no instance runs, no timer may run out.
	if p.cursor.BehindSince.IsZero() && p.cursor.unread(p.profile.HeadLimit, p.now()) {
		p.cursor.BehindSince = p.cursor.UpdatedAt
	}
	if err := p.holds(ctx, heads); err != nil {
		return err
	}
	p.heads = heads // an endpoint that is behind makes nothing unfinal that was final
	move(p.cursor.Scanned, &p.heads.Final)
	move(p.cursor.Rechecked, &p.heads.Finalized)
	final := func(ctx context.Context) error { return p.advance(ctx, false, p.heads.Final, &p.cursor.Scanned) }
	for _, pass := range []func(context.Context) error{
		p.late.loadCurrent, final, p.second.recheck, p.repair, p.tail.take, p.second.take, p.late.take,
	} {
		if err := pass(ctx); err != nil {
			return err
		}
	}
	begins := false
	if stalled {
		begins = p.stop(p.now(), "the network makes nothing final", why)
	} else if err := p.recover(ctx); err != nil {
		return err
	}
	// A final head that stands still is no outage: the cursor says when the network was last read, not when it last
	// moved.
	return p.save(ctx, begins || p.now().Sub(p.cursor.UpdatedAt) >= restEvery)
}

// indexed reports, as an error, that the network was restored just now. A sweep of the lost time may have emptied an
// address, which then looks as if it had never been paid until the endpoints list the sweep.
func (r *reader) indexed() error {
	c := r.cursor
	// A clock that was set back does not make it wait longer.
	if lag := r.profile.IndexLag; c.RestoredAt.IsZero() || r.now().Sub(c.RestoredAt).Abs() >= lag {
		return nil
	}
	return fault.New(fault.Unavailable,
		"the database was restored at %s; %s is read from %s later on, when endpoints list everything that was swept before",
		c.RestoredAt.UTC().Format(time.TimeOnly), r.profile.Network, r.profile.IndexLag)
}

// holds checks that the chain still has the cursor's block. If it was replaced, which the network's own finality
// forbids but a rule in seconds does not, reading restarts from the last finalized block that was read.
func (p *passes) holds(ctx context.Context, heads chain.Heads) error {
	c := &p.cursor
	if heads.Latest.Number < c.Scanned.Number { // an endpoint that lags, or the block was invented
		_, err := p.replaced(ctx, heads.Final)
		return err
	}
	stands, err := true, error(nil)
	if heads.Final.Number >= c.Scanned.Number {
		stands, err = p.stands(ctx, c.Scanned, heads.Final)
	}
	if stands || err != nil {
		p.replacedAt = time.Time{}
		return err
	}
	if stands, err = p.stands(ctx, c.Rechecked, heads.Final); err != nil {
		return err
	}
	if !stands {
		since, err := p.replaced(ctx, heads.Final)
		if err == nil {
			err = fmt.Errorf("%s: finalized block %d has another hash than when it was read, since %s; if that lasts for %s, the blocks of an hour are read again",
				p.profile.Network, c.Rechecked.Number, since.UTC().Format(time.TimeOnly), replacedFor)
		}
		return err
	}
	p.log.Error("credited blocks were replaced; reading them again", "from", c.Rechecked.Number+1, "to", c.Scanned.Number)
	c.Scanned = c.Rechecked
	c.Second = chain.Lower(c.Second, c.Scanned)
	p.second.reset()
	return nil
}

// stands reports whether the chain has the block, up to which it was read.
func (p *passes) stands(ctx context.Context, block, final chain.Head) (bool, error) {
	if block.Hash == final.Hash {
		return true, nil
	}
	head, ok, err := p.endpoints.BlockAt(ctx, block.Number)
	if err == nil && !ok {
		err = fmt.Errorf("%s: the chain has no block %d, up to which it was read: the endpoint is behind or another chain; "+
			"if it is right, run `florin rescan --network %s --from` with a block it has",
			p.profile.Network, block.Number, p.profile.Network.Lower())
	}
	return err == nil && head.Hash == block.Hash, err
}

const (
	// replacedFor is how long the chain must be without a block up to which it was read: behind one address there may
	// be a node of another chain, or one that lags.
	replacedFor = time.Minute
	// replacedBack is how much is read again then. What came before is found by the daily comparison of balances.
	replacedBack = time.Hour
)

// replaced has an hour of blocks read again if the chain has been without the last one for replacedFor: an only
// endpoint, or the one that is left of two, has invented it, or the chain has broken its finality. It returns since
// when it has not had it, and fails with ErrCursorMoved.
func (p *passes) replaced(ctx context.Context, final chain.Head) (since time.Time, err error) {
	c, now := p.cursor, p.now()
	if p.replacedAt.IsZero() {
		p.replacedAt = now
	}
	if now.Sub(p.replacedAt) < replacedFor {
		return p.replacedAt, nil
	}
	top := chain.Lower(c.Rechecked, final)
	from, err := chain.BlockBefore(ctx, p.endpoints, top.Time.Add(-replacedBack), top)
	if err != nil {
		return now, err
	}
	to, ok, err := p.endpoints.BlockAt(ctx, from)
	switch {
	case err != nil:
		return now, err
	case !ok:
		return now, chain.ErrReorged
	}
	p.log.Error("blocks that were read are not on the chain; reading an hour again", "from", from+1, "to", c.Scanned.Number)
	until := c.Scanned.Number
	c.Scanned = chain.Lower(c.Scanned, final) // addresses of all times are read up to there only
	err = p.store.MoveCursor(ctx, p.profile.Network, c, to, audit.Entry{
		At: now, Actor: "florin serve", Action: audit.ActionRescan, Subject: p.profile.Name,
		Detail: mail.T("from block {{.From}}; it was read up to block {{.Until}}",
			"From", from+1, "Until", until).Kept(),
	})
	if p.replacedAt = (time.Time{}); err == nil {
		err = ErrCursorMoved
	}
	return now, err
}
