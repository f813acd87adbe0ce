package watch

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/sync/errgroup"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/payment"
)

// ErrDisagree: the endpoints of the network do not say the same of a transaction. Nothing is credited of it, or taken
// back, until a quorum of them does.
var ErrDisagree = fault.New(fault.Unavailable, "the endpoints of the network disagree about a transaction")

// judgeAtOnce bounds how many transactions are asked about in parallel.
const judgeAtOnce = 8

// take reads the blocks from..to for the addresses of the set through one endpoint, and lets every
// payment concerned observe them: those with a transfer in them and those with a recorded deposit in them. It returns
// how many payments changed, and the voice of the endpoint. What cannot be read, or is disputed, is set aside.
func (w *Watcher) take(
	ctx context.Context, heads chain.Heads, set *chain.WatchSet, from uint64, to chain.Head,
) (changed int, by string, err error) {
	found, by, err := w.scan(ctx, set, from, to)
	if err == nil {
		changed, err = w.observeRange(ctx, heads, set, from, to, found, false)
	}
	switch {
	case err == nil:
		w.second.show(found)
	case !errors.Is(err, context.DeadlineExceeded) || w.profile.Finality.Depth > 0:
		w.second.said = make(judgement) // the blocks may be others when they are read again
	}
	w.keepPace(err)
	return changed, by, err
}

// takeTwice takes the blocks through as many voices as must say the same: what one of them leaves out, another shows,
// and payments observe what any of them shows. first is the voice through which they were taken already, and shown
// what it has shown; empty: through none.
func (w *Watcher) takeTwice(
	ctx context.Context, heads chain.Heads, set *chain.WatchSet, from uint64, to chain.Head,
	first string, shown []chain.Transfer,
) (err error) {
	defer func() { w.keepPace(err) }()
	var all []chain.Transfer
	known := make(map[confirmation]bool)
	add := func(list []chain.Transfer) {
		for _, t := range list {
			if c := confirmationOf(t); !known[c] && t.Block.Number >= from && t.Block.Number <= to.Number {
				known[c] = true
				all = append(all, t)
			}
		}
	}
	var heard []string
	if first != "" && w.reader.Quorum() > 1 {
		heard = append(heard, first)
	}
	for len(heard) < w.reader.Quorum() {
		found, by, err := w.scan(ctx, set, from, to, heard...)
		if err != nil {
			return err
		}
		add(found)
		if heard = append(heard, by); set.Len() == 0 {
			break
		}
	}
	add(shown) // a voice that is asked now prevails: it may show a transfer in another block
	_, err = w.observeRange(ctx, heads, set, from, to, all, true)
	return err
}

// scan scans the blocks through an endpoint of none of the voices, and sets aside what it cannot read.
func (w *Watcher) scan(
	ctx context.Context, set *chain.WatchSet, from uint64, to chain.Head, not ...string,
) (found []chain.Transfer, by string, err error) {
	if set.Len() == 0 {
		return nil, "", nil
	}
	found, by, err = w.reader.Scan(ctx, from, to, set, not...)
	if unread, some := errors.AsType[*chain.UnreadError](err); some {
		err = w.setAsideUnread(ctx, unread, from)
	}
	return found, by, err
}

// observeRange lets payments observe what final blocks hold.
func (w *Watcher) observeRange(
	ctx context.Context, heads chain.Heads, set *chain.WatchSet, from uint64, to chain.Head, found []chain.Transfer,
	twice bool,
) (int, error) {
	return w.observe(ctx, set, payment.View{
		Network: w.profile.Network, From: from, To: to.Number, Latest: heads.Latest,
		Final: heads.Final, Finalized: heads.Finalized, Transfers: found, End: to,
	}, twice, func(id payment.ID, block uint64, cause error) error {
		return w.setAside(ctx, block, w.now(), cause, id)
	})
}

// keepPace reads fewer blocks at once after a scan that ran out of time, and more after one that did not.
func (w *Watcher) keepPace(err error) {
	switch {
	case err == nil:
		w.pace = min(w.pace*2, scanStep)
	case errors.Is(err, context.DeadlineExceeded):
		w.pace = max(w.pace/2, 1)
	}
}

// setAsideUnread sets aside the payments of addresses that a scan could not read.
func (w *Watcher) setAsideUnread(ctx context.Context, unread *chain.UnreadError, from uint64) error {
	var ids []payment.ID
	for _, a := range unread.Addresses {
		if id, ok := w.watched.owner(a); ok {
			ids = append(ids, id)
		}
	}
	return w.setAside(ctx, from, w.now(), unread, ids...)
}

// judgement is what a quorum of endpoints says of transactions: why one does not stand; nil if it does.
type judgement map[confirmation]error

// confirmation identifies a transfer in a block by everything that decides what is credited.
type confirmation struct {
	id    chain.TransferID
	block string
	at    int64
	units string
}

func confirmationOf(t chain.Transfer) confirmation {
	return confirmation{id: t.ID(), block: t.Block.Hash, at: t.Block.Time.Unix(), units: t.Units.String()}
}

// judge asks about the transfers that it does not know yet, those of one transaction together.
func (j judgement) judge(ctx context.Context, r chain.Reader, transfers []chain.Transfer, at chain.Head) {
	var open []chain.Transfer
	for _, t := range transfers {
		if _, known := j[confirmationOf(t)]; !known {
			open = append(open, t)
		}
	}
	groups := chain.ByTransaction(open)
	verdicts := make([][]chain.Verdict, len(groups))
	failed := make([]error, len(groups))
	var g errgroup.Group
	g.SetLimit(judgeAtOnce)
	for i, group := range groups {
		g.Go(func() error {
			if failed[i] = ctx.Err(); failed[i] == nil {
				verdicts[i], failed[i] = r.Judge(ctx, group, at)
			}
			return nil
		})
	}
	_ = g.Wait()
	for i, group := range groups {
		for k, t := range group {
			why := failed[i]
			if why == nil {
				why = standing[verdicts[i][k]]
			}
			if why != nil {
				why = fmt.Errorf("transaction %s, block %d, reported by %s: %w", t.Tx, t.Block.Number, t.Source, why)
			}
			j[confirmationOf(t)] = why
		}
	}
}

// errDenied: a quorum of endpoints denies the transaction. It is left out, and nothing waits for it.
var errDenied = fault.New(fault.Unavailable, "the other endpoints of the network deny the transaction")

// standing is why what the endpoints say so of does not stand.
var standing = map[chain.Verdict]error{chain.Missing: errDenied, chain.Undecided: ErrDisagree}
