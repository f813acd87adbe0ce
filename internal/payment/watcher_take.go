package payment

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
)

// ErrDisagree: a second endpoint denies a transfer that the first one reported.
// Nothing is credited and the cursor stays until they agree.
var ErrDisagree = fault.New(fault.Unavailable, "two endpoints of the network disagree about a transfer")

// confirmAtOnce bounds how many confirmations run in parallel.
const confirmAtOnce = 8

// take scans the blocks from..to, has a second endpoint confirm the transfers and
// lets every payment concerned observe the blocks: those with a transfer in them
// and those with a recorded deposit in them. It returns how many payments changed.
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
	transfers, err := w.reader.Scan(ctx, from, to, w.watched.set)
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

// confirmPage is how many transactions are confirmed before that is kept, so that
// a round that ends early does not lose more.
const confirmPage = 64

// confirmAll confirms the transfers that no earlier round has confirmed.
func (w *Watcher) confirmAll(ctx context.Context, transfers []chain.Transfer, at chain.Head) error {
	var open []chain.Transfer
	for _, t := range transfers {
		if _, done := w.confirmed[confirmationOf(t)]; !done {
			open = append(open, t)
		}
	}
	for groups := range slices.Chunk(byTransaction(open), confirmPage) {
		page := slices.Concat(groups...)
		if err := confirm(ctx, w.reader, page, at); err != nil {
			return err
		}
		for _, t := range page {
			w.confirmed[confirmationOf(t)] = struct{}{}
		}
	}
	return nil
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

// confirm asks another endpoint about every transfer that will be credited.
func confirm(ctx context.Context, r chain.Reader, transfers []chain.Transfer, at chain.Head) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(confirmAtOnce)
	for _, group := range byTransaction(transfers) {
		g.Go(func() error { return confirmOne(ctx, r, group, at) })
	}
	return g.Wait()
}

func confirmOne(ctx context.Context, r chain.Reader, transfers []chain.Transfer, at chain.Head) error {
	first := transfers[0]
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

// observe applies the view to each payment concerned. Payments are read many at
// a time and locked only if they change, so that those whose money merely waits
// for finality cost little each round.
func (w *Watcher) observe(ctx context.Context, v View) (int, error) {
	transfers, err := w.concerned(ctx, v)
	if err != nil {
		return 0, err
	}
	changed := 0
	for ids := range slices.Chunk(slices.Sorted(maps.Keys(transfers)), MaxPage) {
		payments, err := w.store.PaymentsByID(ctx, ids)
		if err != nil {
			return changed, fmt.Errorf("read %d payments: %w", len(ids), err)
		}
		for _, p := range payments {
			v.Transfers = transfers[p.ID]
			did, err := w.observeOne(ctx, p, v)
			if err != nil {
				return changed, fmt.Errorf("payment %s: %w", p.ID, err)
			}
			if did {
				changed++
			}
		}
	}
	return changed, nil
}

// concerned returns the payments that the view can change, each with the
// transfers to its addresses: those with a transfer in it, and those with a
// deposit that its blocks are expected to hold.
func (w *Watcher) concerned(ctx context.Context, v View) (map[ID][]chain.Transfer, error) {
	list := make(map[ID][]chain.Transfer)
	unsettled, err := w.store.Unsettled(ctx, v.Network, v.From, v.To)
	if err != nil {
		return nil, fmt.Errorf("list unsettled deposits: %w", err)
	}
	for _, id := range unsettled {
		list[id] = nil
	}
	for _, t := range v.Transfers {
		if id, ok := w.watched.owner(t.To); ok {
			list[id] = append(list[id], t)
		}
	}
	return list, nil
}

// observeOne decides on the payment as it was read, and again under its lock if
// there is something to write.
func (w *Watcher) observeOne(ctx context.Context, p Payment, v View) (bool, error) {
	c, err := p.Observe(v, w.now())
	if err != nil || c.None() {
		return false, err
	}
	confirmed := early(c, v)
	if err := confirm(ctx, w.reader, confirmed, v.Latest); err != nil {
		return false, err
	}
	_, err = w.store.UpdatePayment(ctx, p.ID, func(p Payment) (Change, error) {
		c, err := p.Observe(v, w.now())
		if err == nil && len(early(c, v)) > len(confirmed) {
			err = errUnconfirmed
		}
		return c, err
	})
	return err == nil, err
}

// errUnconfirmed: meanwhile the payer chose a network on which money is final
// earlier, so more must be confirmed, in the next round.
var errUnconfirmed = fault.New(fault.Unavailable, "the payment changed while its money was being confirmed")

// early returns the transfers that a change credits above the network's final
// head, by a merchant's own rule. No scan has confirmed those.
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

// tentative reads the blocks above the final head. Blocks read before are kept
// while the chain still holds them, so that a long way to finality is not read
// again every round. They need not be read again for an address added since: it
// could not be paid before it was shown.
func (w *Watcher) tentative(ctx context.Context, heads chain.Heads, c Cursor) error {
	if c.Scanned.Number < heads.Final.Number || heads.Latest.Number <= heads.Final.Number || w.watched.set.Len() == 0 {
		w.tail = tail{}
		return nil
	}
	from, err := w.tailFrom(ctx, heads)
	if err != nil {
		return err
	}
	if from <= heads.Latest.Number {
		fresh, err := w.reader.Scan(ctx, from, heads.Latest, w.watched.set)
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

// tailFrom drops blocks that are final by now or were replaced, and returns the
// first block to read.
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
	w.tail.transfers = slices.DeleteFunc(w.tail.transfers, func(t chain.Transfer) bool {
		return t.Block.Number < first
	})
	return read.Number + 1, nil
}
