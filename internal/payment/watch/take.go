package watch

import (
	"context"
	"errors"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/payment"
)

// take scans the blocks from..to for the addresses of the scope, has a second endpoint confirm the transfers and
// lets every payment concerned observe the blocks: those with a transfer in them
// and those with a recorded deposit in them. It returns how many payments changed.
// What cannot be read for one payment is set aside.
func (w *Watcher) take(
	ctx context.Context, heads chain.Heads, of scope, from uint64, to chain.Head,
) (int, error) {
	found, err := w.takeOnce(ctx, heads, of, from, to)
	switch {
	case err == nil:
		w.pace = min(w.pace*2, scanStep)
		of.confirmed.forget(to.Number)
		clear(w.disputes)
	case errors.Is(err, context.DeadlineExceeded):
		w.pace = max(w.pace/2, 1)
	}
	return found, err
}

func (w *Watcher) takeOnce(
	ctx context.Context, heads chain.Heads, of scope, from uint64, to chain.Head,
) (int, error) {
	var transfers []chain.Transfer
	var err error
	if of.set.Len() > 0 {
		transfers, err = w.reader.Scan(ctx, from, to, of.set)
	}
	if unread, some := errors.AsType[*chain.UnreadError](err); some {
		err = w.setAsideUnread(ctx, unread, from)
	}
	if err != nil {
		return 0, err
	}
	if err := w.confirmAll(ctx, of.confirmed, transfers, from, to); err != nil {
		return 0, err
	}
	return w.observe(ctx, of.set, payment.View{
		Network: w.profile.Network, From: from, To: to.Number, Latest: heads.Latest,
		Final: heads.Final, Finalized: heads.Finalized, Transfers: transfers, End: to,
	}, func(id payment.ID, cause error) error { return w.setAside(ctx, id, from, w.now(), cause) })
}

// setAsideUnread sets aside the payments of addresses that a scan could not read, unless they are set aside already:
// they are read again at their own pace.
func (w *Watcher) setAsideUnread(ctx context.Context, unread *chain.UnreadError, from uint64) error {
	for _, a := range unread.Addresses {
		id, ok := w.watched.owner(a)
		if !ok {
			continue
		}
		set, err := w.without(ctx, id, from)
		if err == nil && !set {
			err = w.setAside(ctx, id, from, w.now(), unread)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// setAsideOwners sets aside the payments whose addresses these are.
func (w *Watcher) setAsideOwners(ctx context.Context, addresses []chain.Address, from uint64, cause error) error {
	for _, a := range addresses {
		id, ok := w.watched.owner(a)
		if !ok {
			continue
		}
		if err := w.setAside(ctx, id, from, w.now(), cause); err != nil {
			return err
		}
	}
	return nil
}
