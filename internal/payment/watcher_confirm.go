package payment

import (
	"context"
	"errors"
	"fmt"
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
)

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

// dispute is a transaction that is not confirmed yet.
type dispute struct {
	since  time.Time
	denied int // in so many rounds
}

// over reports whether the network has waited long enough.
func (d dispute) over(now time.Time) bool {
	return d.denied >= disputeRounds || now.Sub(d.since) >= disputeTime
}

// confirmAll confirms the transfers that no earlier round has confirmed. It sets
// aside the payments of a transaction that the endpoints disagree about for too
// long.
func (w *Watcher) confirmAll(ctx context.Context, transfers []chain.Transfer, from uint64, at chain.Head) error {
	var open []chain.Transfer
	for _, t := range transfers {
		if _, done := w.confirmed[confirmationOf(t)]; !done {
			open = append(open, t)
		}
	}
	var first error
	for groups := range slices.Chunk(byTransaction(open), confirmPage) {
		verdicts := confirmGroups(ctx, w.reader, groups, at)
		if err := ctx.Err(); err != nil {
			w.keepConfirmed(groups, verdicts)
			return err
		}
		w.keepConfirmed(groups, verdicts)
		for i, err := range verdicts {
			if err == nil {
				continue
			}
			if err := w.disputed(ctx, groups[i], from, err); err != nil && first == nil {
				first = err
			}
		}
	}
	return first
}

func (w *Watcher) keepConfirmed(groups [][]chain.Transfer, verdicts []error) {
	for i, err := range verdicts {
		for _, t := range groups[i] {
			if err == nil {
				w.confirmed[confirmationOf(t)] = struct{}{}
			}
		}
	}
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

// byTransaction groups transfers. Transfers in one transaction share one
// confirmation: an attacker can put a thousand of them into one.
func byTransaction(transfers []chain.Transfer) [][]chain.Transfer {
	var groups [][]chain.Transfer
	at := make(map[chain.Inclusion]int)
	for _, t := range transfers {
		i, known := at[t.Inclusion()]
		if !known {
			i = len(groups)
			at[t.Inclusion()] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], t)
	}
	return groups
}

// confirm asks another endpoint about every transfer that will be credited, and
// returns the first reason not to credit one.
func confirm(ctx context.Context, r chain.Reader, transfers []chain.Transfer, at chain.Head) error {
	for _, err := range confirmGroups(ctx, r, byTransaction(transfers), at) {
		if err != nil {
			return err
		}
	}
	return nil
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
