package main

import (
	"context"
	"time"

	"github.com/florinpay/florin/internal/app"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store"
)

type rescan struct {
	Network string `help:"bep20, polygon, base or sol."                         placeholder:"NAME"   required:""`
	From    uint64 `help:"First block to read again, from 1; on Solana a slot." placeholder:"NUMBER" required:""`
}

// Help returns the text that --help adds to the flags.
func (rescan) Help() string {
	return `
Reads a network's blocks again, from the one given to the newest final one, and
records deposits to any address that was ever shown, however long ago. Recorded
deposits stay unchanged. On Solana it reads the history of every token account. It
may run beside the server and may be stopped and repeated.

Example:

    florin rescan --network polygon --from 78000000
`
}

// Run reads the blocks again.
func (c rescan) Run(ctx context.Context, p *process) error {
	cfg, err := p.config()
	if err != nil {
		return err
	}
	n, err := network(cfg, c.Network)
	if err != nil {
		return err
	}
	a, err := openReader(cfg, n)
	if err != nil {
		return err
	}
	if err := a.Check(ctx); err != nil {
		return err
	}
	heads, err := a.Heads(ctx)
	if err != nil {
		return err
	}
	before, ok, err := a.BlockAt(ctx, max(c.From, 1)-1)
	if err != nil {
		return err
	}
	if !ok || c.From < 1 || c.From > heads.Final.Number {
		return fault.New(fault.Invalid, "--from must be a block between 1 and %d, the newest final one", heads.Final.Number)
	}
	return p.withStore(ctx, cfg, func(s *store.Store) error {
		blocks := int64(heads.Final.Number - before.Number)
		again := &rereading{Store: s, cursor: payment.Cursor{Scanned: before, Rechecked: before}, from: before.Number}
		again.bar = p.progress("blocks", int(blocks))
		w := payment.NewWatcher(n.Profile, a, again, "rescan", app.Now, p.warnings())
		err := again.run(ctx, w)
		again.bar.end()
		if err != nil {
			return err
		}
		return p.say(
			"Read %d blocks of %s; %d payments changed.", heads.Final.Number-before.Number, n.Profile.Name,
			len(again.changed),
		)
	})
}

// rereading is the store of a watcher that reads old blocks: it has its own cursor, needs no lease, and watches every
// address there ever was.
type rereading struct {
	*store.Store
	cursor  payment.Cursor
	from    uint64
	bar     *progress
	changed map[payment.ID]bool
}

// run reads up to the newest final block. One round of the watcher does that unless it runs out of time; then the next
// round continues.
func (r *rereading) run(ctx context.Context, w *payment.Watcher) error {
	for {
		before := r.cursor.Scanned
		err := w.RunOnce(ctx)
		if err == nil || ctx.Err() != nil || r.cursor.Scanned == before {
			return err
		}
	}
}

// Lease always succeeds: reading old blocks disturbs no other instance.
func (*rereading) Lease(context.Context, string, string, time.Time, time.Time) (bool, error) {
	return true, nil
}

// Cursor returns the last block that was read.
func (r *rereading) Cursor(context.Context, chain.Network) (payment.Cursor, bool, error) {
	c := r.cursor
	c.UpdatedAt = app.Now() // there was no outage
	return c, true, nil
}

// SaveCursor keeps the cursor for this run only.
func (r *rereading) SaveCursor(_ context.Context, _ chain.Network, c payment.Cursor) error {
	r.cursor = c
	r.bar.at(int(c.Scanned.Number - r.from))
	return nil
}

// Watches returns every address, however long ago its payment ended.
func (r *rereading) Watches(
	ctx context.Context, networks []chain.Network, since payment.Mark, _ time.Time,
) ([]payment.Watch, payment.Mark, error) {
	return r.Store.Watches(ctx, networks, since, time.Time{})
}

// UpdatePayment records which payments changed.
func (r *rereading) UpdatePayment(
	ctx context.Context, id payment.ID, decide func(payment.Payment) (payment.Change, error),
) (payment.Payment, error) {
	p, err := r.Store.UpdatePayment(ctx, id, decide)
	if err == nil {
		if r.changed == nil {
			r.changed = make(map[payment.ID]bool)
		}
		r.changed[id] = true
	}
	return p, err
}
