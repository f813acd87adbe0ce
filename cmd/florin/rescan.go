package main

import (
	"context"
	"time"

	"github.com/florinpay/florin/internal/app"
	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/mail"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/payment/watch"
	"github.com/florinpay/florin/internal/store"
)

type rescan struct {
	Network string `help:"bep20, polygon, base or sol."                         placeholder:"NAME"   required:""`
	From    uint64 `help:"First block to read again, from 1; on Solana a slot." placeholder:"NUMBER" required:""`
	Yes     bool   `help:"Do not ask."`
}

// Help returns what --help says beyond the flags.
func (rescan) Help() string {
	return `
Moves back the cursor of a network, which says up to which block it was read, so
that every block from the one given on is read again; also where the network is
stuck because the cursor's block is not on the chain any more. Money to any
address that was ever shown is taken in, however long ago. What is recorded
already stays as it is. On Solana the history of every token account is read.
It says what it will do, and asks when it is run at a terminal.

A running server reads the blocks. Without one this command reads them; it may
be stopped and repeated.

Example:

    florin rescan --network polygon --from 78000000
`
}

// Run moves the cursor and waits until the blocks are read.
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
		if moved, err := c.move(ctx, p, s, n.Profile, before, heads.Final); !moved || err != nil {
			return err
		}
		blocks := int(heads.Final.Number - before.Number) //nolint:gosec // checked above
		changed := make(map[payment.ID]bool)
		s.OnStored(func(_ context.Context, x payment.Stored) { changed[x.Before.ID] = true })
		w := watch.NewWatcher(n.Profile, a, s, "rescan", app.Now, p.warnings())
		bar := p.progress("blocks", blocks)
		err := readAgain(ctx, s, w, n.Profile.Network, heads.Final.Number, func(at uint64) {
			bar.at(int(max(at, before.Number) - before.Number)) //nolint:gosec // not negative
		})
		bar.end()
		if err != nil {
			return err
		}
		return p.say("Read %s of %s; %s changed.", counted(blocks, "block"), n.Profile.Name, counted(len(changed), "payment"))
	})
}

// move shows what is to happen, asks, and moves the cursor. It reports false if the
// operator does not want it, and fails if that would pass over blocks.
func (c rescan) move(
	ctx context.Context, p *process, s *store.Store, of chain.Profile, to, final chain.Head,
) (bool, error) {
	cursor, ok, err := s.Cursor(ctx, of.Network)
	if err != nil {
		return false, err
	}
	if !ok {
		return false, fault.New(fault.Conflict, "%s was never read, so there is nothing to read again", of.Name)
	}
	at := cursor.Scanned.Number
	if to.Number > at {
		return false, fault.New(fault.Invalid,
			"%s is read up to block %d; --from %d would pass over blocks", of.Name, at, c.From)
	}
	err = p.say("%s is read up to block %d; the newest final one is %d.", of.Name, at, final.Number)
	if err == nil {
		err = p.say("Its cursor goes back to block %d, to read up to block %d again. Nothing is credited twice.",
			to.Number, final.Number)
	}
	if err != nil {
		return false, err
	}
	if yes, err := p.confirmed(c.Yes); !yes || err != nil {
		return false, err
	}
	return true, s.MoveCursor(ctx, of.Network, cursor, to, audit.Entry{
		At: app.Now(), Actor: "florin rescan", Action: audit.ActionRescan, Subject: of.Name,
		Detail: mail.T("from block {{.From}}; it was read up to block {{.Until}}",
			"From", c.From, "Until", at).Kept(),
	})
}

const (
	// cursorEvery is how often the cursor is read while a server moves it.
	cursorEvery = 300 * time.Millisecond
	// standsFor is for how long it may stand still before the server's log has to
	// explain why.
	standsFor = 2 * time.Minute
)

// readAgain reads up to the block, or waits while a server does. A round reads all of it
// unless that takes too long; then the next one goes on where it stopped. It fails
// when a round fails without getting further.
func readAgain(
	ctx context.Context, s *store.Store, w *watch.Watcher, n chain.Network, to uint64, shown func(at uint64),
) error {
	defer w.Release(ctx)
	var failed error
	moved := app.Now()
	for last := uint64(0); ; {
		cursor, _, err := s.Cursor(ctx, n)
		at := cursor.Scanned.Number
		if err != nil || at >= to {
			return err
		}
		if failed != nil && at <= last {
			return failed
		}
		if at > last {
			last, moved = at, app.Now()
		}
		if app.Now().Sub(moved) > standsFor {
			return fault.New(fault.Unavailable, "the cursor was moved, but has stood at block %d since; see the log of the server", last)
		}
		shown(last)
		if failed = w.RunOnce(ctx); failed == nil {
			select {
			case <-ctx.Done():
			case <-time.After(cursorEvery):
			}
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
}
