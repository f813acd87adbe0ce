package payment

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
)

// ErrDisagree: a second endpoint denies a transfer that the first one told.
// Nothing is credited and the cursor stays until they agree.
var ErrDisagree = fault.New(fault.Unavailable, "two endpoints of the network disagree about a transfer")

// confirmAtOnce bounds how many second opinions are asked for in parallel.
const confirmAtOnce = 8

// take scans the blocks from..to and lets every payment they concern observe
// them: those with a transfer in them, and those with money the blocks were
// expected to hold. A second endpoint is asked about each transfer first. It
// returns how many payments changed.
func (w *Watcher) take(ctx context.Context, heads chain.Heads, from uint64, to chain.Head) (int, error) {
	found, err := w.takeOnce(ctx, heads, from, to)
	switch {
	case err == nil:
		w.pace = min(w.pace*2, scanStep)
		clear(w.confirmed)
	case errors.Is(err, context.DeadlineExceeded):
		w.pace = max(w.pace/2, 1)
	}
	return found, err
}

func (w *Watcher) takeOnce(ctx context.Context, heads chain.Heads, from uint64, to chain.Head) (int, error) {
	transfers, err := w.reader.Scan(ctx, from, to, w.book.set)
	if err != nil {
		return 0, err
	}
	if err := w.confirmAll(ctx, transfers, to); err != nil {
		return 0, err
	}
	return w.observe(ctx, View{
		Network: w.profile.Network, From: from, To: to.Number, Latest: heads.Latest,
		Final: heads.Final, Finalized: heads.Finalized, Transfers: transfers,
	})
}

// confirmation is a transfer in a block, as a second endpoint has confirmed it.
type confirmation struct {
	key   chain.Key
	block string
}

// confirmPage bounds how much of a confirmation is lost when a round ends.
const confirmPage = 64

// confirmAll asks a second endpoint about the transfers that it was not asked
// about in an earlier round.
func (w *Watcher) confirmAll(ctx context.Context, transfers []chain.Transfer, at chain.Head) error {
	var open []chain.Transfer
	for _, t := range transfers {
		if _, done := w.confirmed[confirmation{t.Key, t.Block.Hash}]; !done {
			open = append(open, t)
		}
	}
	for page := range slices.Chunk(open, confirmPage) {
		if err := confirm(ctx, w.reader, page, at); err != nil {
			return err
		}
		for _, t := range page {
			w.confirmed[confirmation{t.Key, t.Block.Hash}] = struct{}{}
		}
	}
	return nil
}

// confirm asks another endpoint about every transfer that is to be credited.
func confirm(ctx context.Context, r chain.Reader, transfers []chain.Transfer, at chain.Head) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(confirmAtOnce)
	for _, t := range transfers {
		g.Go(func() error {
			verdict, err := r.Confirm(ctx, t, at)
			switch {
			case err != nil:
				return fmt.Errorf("confirm transaction %s: %w", t.Tx, err)
			case verdict == chain.Missing:
				return fmt.Errorf("transaction %s, transfer %d, block %d, told by %s: %w", t.Tx, t.Ordinal, t.Block.Number, t.Source, ErrDisagree)
			case verdict == chain.Unsettled:
				return fault.New(fault.Unavailable, "a second endpoint does not know block %d yet", t.Block.Number)
			}
			return nil
		})
	}
	return g.Wait()
}

// observe lets each payment concerned take the view in.
func (w *Watcher) observe(ctx context.Context, v View) (int, error) {
	concerned := make(map[ID][]chain.Transfer)
	unsettled, err := w.store.Unsettled(ctx, v.Network)
	if err != nil {
		return 0, fmt.Errorf("list unsettled deposits: %w", err)
	}
	for _, id := range unsettled {
		concerned[id] = nil
	}
	for _, t := range v.Transfers {
		if id, ok := w.book.owner(t.To); ok {
			concerned[id] = append(concerned[id], t)
		}
	}
	changed := 0
	for id, transfers := range concerned {
		v.Transfers = transfers
		did, err := w.observeOne(ctx, id, v)
		if err != nil {
			return changed, fmt.Errorf("payment %s: %w", id, err)
		}
		if did {
			changed++
		}
	}
	return changed, nil
}

// observeOne asks the pure decision on a plain read first, so that a payment
// whose money merely waits for finality is not locked every round.
func (w *Watcher) observeOne(ctx context.Context, id ID, v View) (bool, error) {
	p, err := w.store.Payment(ctx, id)
	if err != nil {
		return false, err
	}
	c, err := p.Observe(v, w.now())
	if err != nil || c.None() {
		return false, err
	}
	if err := confirm(ctx, w.reader, early(c, v), v.Latest); err != nil {
		return false, err
	}
	_, err = w.store.UpdatePayment(ctx, id, func(p Payment) (Change, error) { return p.Observe(v, w.now()) })
	return err == nil, err
}

// early returns the transfers a change credits above the network's final head,
// by a merchant's own rule; no second endpoint was asked about those yet.
func early(c Change, v View) []chain.Transfer {
	var list []chain.Transfer
	for _, d := range c.Deposits {
		if d.State == DepositFinal && d.Transfer.Block.Number > v.Final.Number {
			list = append(list, d.Transfer)
		}
	}
	return list
}

// tail is what the tentative pass has read above the final head.
type tail struct {
	read      chain.Head // the newest block read; zero when there is none
	transfers []chain.Transfer
}

// tentative takes in the blocks above the final head. Blocks read before are
// kept while the chain still holds them, so that a long way to finality is not
// read anew every round. They need not be read again for an address that was
// added since: nobody could pay it before it was shown.
func (w *Watcher) tentative(ctx context.Context, heads chain.Heads, c Cursor) error {
	if c.Scanned.Number < heads.Final.Number || heads.Latest.Number <= heads.Final.Number || w.book.set.Len() == 0 {
		w.tail = tail{}
		return nil
	}
	from, err := w.tailFrom(ctx, heads)
	if err != nil {
		return err
	}
	if from <= heads.Latest.Number {
		fresh, err := w.reader.Scan(ctx, from, heads.Latest, w.book.set)
		if err != nil {
			return err
		}
		w.tail.transfers = append(w.tail.transfers, fresh...)
		w.tail.read = heads.Latest
	}
	_, err = w.observe(ctx, View{
		Network: w.profile.Network, From: heads.Final.Number + 1, To: heads.Latest.Number, Latest: heads.Latest,
		Final: heads.Final, Finalized: heads.Finalized, Transfers: w.tail.transfers,
	})
	return err
}

// tailFrom drops what is final by now or was replaced, and returns the first
// block that must be read.
func (w *Watcher) tailFrom(ctx context.Context, heads chain.Heads) (uint64, error) {
	first := heads.Final.Number + 1
	read := w.tail.read
	if read.Number < first || read.Number > heads.Latest.Number {
		w.tail = tail{}
		return first, nil
	}
	now, ok, err := w.reader.BlockAt(ctx, read.Number)
	if err != nil {
		return 0, err
	}
	if !ok || now.Hash != read.Hash {
		w.tail = tail{}
		return first, nil
	}
	w.tail.transfers = slices.DeleteFunc(w.tail.transfers, func(t chain.Transfer) bool { return t.Block.Number < first })
	return read.Number + 1, nil
}
