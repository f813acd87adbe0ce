package watch

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
)

// ErrDisagree: a second endpoint denies a transfer that the first one reported.
// Nothing is credited until they agree.
var ErrDisagree = fault.New(fault.Unavailable, "two endpoints of the network disagree about a transfer")

const (
	// confirmAtOnce bounds how many confirmations run in parallel.
	confirmAtOnce = 8
	// confirmPage is how many transactions are confirmed before that is kept, so
	// that a round that ends early does not lose more.
	confirmPage = 64
	// disputeRounds is in how many rounds the endpoints may disagree about a
	// transaction, and disputeTime for how long it may wait for a second
	// endpoint, before the payments it concerns are set aside. Until then the
	// network waits: endpoints usually agree a moment later.
	disputeRounds = 3
	disputeTime   = time.Minute
	// ConfirmRound bounds how many transactions one round asks about: a stranger can
	// put thousands into a block. The rest follows in the next round, and the cursor
	// waits for it. confirmAside of them are kept for payments that are set aside.
	ConfirmRound = 256
	confirmAside = 64
)

// errMore: more transactions wait for a second endpoint than one round asks about.
// What was confirmed is kept, and the next round goes on from there.
var errMore = fault.New(fault.Unavailable, "more transactions wait for a second endpoint than one round asks about")

// confirmation identifies a transfer in a block that a second endpoint has
// confirmed, by everything that decides what is credited.
type confirmation struct {
	id    chain.TransferID
	block string
	units string
}

func confirmationOf(t chain.Transfer) confirmation {
	return confirmation{id: t.ID(), block: t.Block.Hash, units: t.Units.String()}
}

// confirmed holds what a second endpoint has confirmed, with the number of its
// block, until that block is stored.
type confirmed map[confirmation]uint64

// open groups the transfers that are not confirmed by transaction.
func (c confirmed) open(transfers []chain.Transfer) [][]chain.Transfer {
	return chain.ByTransaction(slices.DeleteFunc(slices.Clone(transfers), func(t chain.Transfer) bool {
		_, done := c[confirmationOf(t)]
		return done
	}))
}

// ask has a page of transactions confirmed, keeps those that stand and returns why
// each of the others does not.
func (c confirmed) ask(ctx context.Context, r chain.Reader, groups [][]chain.Transfer, at chain.Head) []error {
	verdicts := confirmGroups(ctx, r, groups, at)
	for i, err := range verdicts {
		for _, t := range groups[i] {
			if err == nil {
				c[confirmationOf(t)] = t.Block.Number
			}
		}
	}
	return verdicts
}

// some has at most that many transactions confirmed, and fails with errMore if there
// are more. It returns how many it asked about.
func (c confirmed) some(
	ctx context.Context, r chain.Reader, transfers []chain.Transfer, at chain.Head, most int,
) (asked int, err error) {
	groups := c.open(transfers)
	asked = min(len(groups), most)
	for page := range slices.Chunk(groups[:asked], confirmPage) {
		for _, failed := range c.ask(ctx, r, page, at) {
			if failed != nil {
				return asked, failed
			}
		}
	}
	if asked < len(groups) {
		return asked, errMore
	}
	return asked, nil
}

// forget drops what was confirmed in blocks up to the number.
func (c confirmed) forget(through uint64) {
	maps.DeleteFunc(c, func(_ confirmation, block uint64) bool { return block <= through })
}

// dispute is a transaction that is not confirmed yet.
type dispute struct {
	since  time.Time
	denied int // in so many rounds
}

// over reports whether the network has waited long enough.
func (d dispute) over(now time.Time) bool {
	return d.denied >= disputeRounds || now.Sub(d.since) >= disputeTime
}

// confirmAll confirms the transfers that no earlier round has confirmed, as many as
// the round may ask about. It sets aside the payments of a transaction that the
// endpoints disagree about for too long. Nothing is asked for a payment that is set
// aside: it is read again at its own pace.
func (w *Watcher) confirmAll(
	ctx context.Context, known confirmed, transfers []chain.Transfer, from uint64, at chain.Head,
) error {
	groups := known.open(slices.DeleteFunc(slices.Clone(transfers), func(t chain.Transfer) bool {
		id, _ := w.watched.owner(t.To)
		_, aside := w.aside[id]
		return aside
	}))
	now := min(len(groups), w.budget)
	w.budget -= now
	var first error
	for page := range slices.Chunk(groups[:now], confirmPage) {
		verdicts := known.ask(ctx, w.reader, page, at)
		if err := ctx.Err(); err != nil {
			return err
		}
		for i, err := range verdicts {
			if err == nil {
				continue
			}
			if err := w.disputed(ctx, page[i], from, err); err != nil && first == nil {
				first = err
			}
		}
	}
	if first == nil && now < len(groups) {
		w.pace = max(min(w.pace, at.Number-from+1)/2, 1)
		return errMore
	}
	return first
}

// confirmEarly confirms what payments are credited with above the final head, apart from what is known, unless the
// round has asked about enough.
func (w *Watcher) confirmEarly(
	ctx context.Context, known confirmed, transfers []chain.Transfer, at chain.Head,
) error {
	if w.budget <= 0 && len(known.open(transfers)) > 0 {
		return errMore
	}
	asked, err := known.some(ctx, w.reader, transfers, at, len(transfers))
	w.budget -= asked
	if errors.Is(err, ErrDisagree) {
		w.tail = tail{} // it is read again: the second endpoint might report the same at another time
	}
	return err
}

// disputed records that a transaction was not confirmed. It returns why while the
// network waits for it, and nil once its payments are set aside.
func (w *Watcher) disputed(ctx context.Context, transfers []chain.Transfer, from uint64, cause error) error {
	in := transfers[0].Inclusion()
	d := w.disputes[in]
	if d.since.IsZero() {
		d.since = w.now()
	}
	if errors.Is(cause, ErrDisagree) {
		d.denied++
	}
	w.disputes[in] = d
	if !d.over(w.now()) {
		return cause
	}
	to := make([]chain.Address, len(transfers))
	for i, t := range transfers {
		to[i] = t.To
	}
	slices.Sort(to)
	return w.setAsideOwners(ctx, slices.Compact(to), from, cause)
}

// confirmGroups confirms the transfers of several transactions, each on its own:
// nil for a transaction that stands.
func confirmGroups(ctx context.Context, r chain.Reader, groups [][]chain.Transfer, at chain.Head) []error {
	verdicts := make([]error, len(groups))
	var g errgroup.Group
	g.SetLimit(confirmAtOnce)
	for i, group := range groups {
		g.Go(func() error {
			verdicts[i] = confirmOne(ctx, r, group, at)
			return nil
		})
	}
	_ = g.Wait()
	return verdicts
}

func confirmOne(ctx context.Context, r chain.Reader, transfers []chain.Transfer, at chain.Head) error {
	first := transfers[0]
	if err := ctx.Err(); err != nil {
		return err
	}
	verdict, err := r.Confirm(ctx, transfers, at)
	switch {
	case err != nil:
		return fmt.Errorf("confirm transaction %s: %w", first.Tx, err)
	case verdict == chain.Missing:
		return fmt.Errorf("transaction %s, block %d, reported by %s: %w", first.Tx, first.Block.Number, first.Source, ErrDisagree)
	case verdict == chain.Undecided:
		return fault.New(fault.Unavailable, "a second endpoint does not know block %d yet", first.Block.Number)
	}
	return nil
}
