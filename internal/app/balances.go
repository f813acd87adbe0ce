package app

import (
	"context"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/payment/watch"
	"github.com/florinpay/florin/internal/settlement"
)

// comparing compares the network's balances with the records once a day.
func (a *App) comparing(x *network) loop {
	n := x.Profile.Network
	d := &settlement.Daily{
		Network: settlement.ReconciledNetwork{Profile: x.Profile, Reader: x.reader},
		Store:   a.Store.Settlement(), Sweeps: a.Store.Settlement(),
		Holder: a.holder, WatchedFor: payment.WatchAfterEnd, Now: a.clock.Now, Log: a.log,
		Covered: func(ctx context.Context, id string, block uint64) (bool, error) {
			return watch.Covered(ctx, a.Store, n, payment.ID(id), block)
		},
		Reread: func(ctx context.Context, id string, since time.Time) error {
			return watch.RepairSince(ctx, a.Store, x.reader, payment.ID(id), since, watch.ErrDiffers, a.clock.Now())
		},
		RereadAccounts: func(ctx context.Context, id string, since time.Time, accounts []chain.Address) error {
			return watch.RepairSince(
				ctx, a.Store, x.reader, payment.ID(id), since, watch.ErrDiffers, a.clock.Now(), accounts...)
		},
		Lists:    x.budget.Lists(x.now).Take,
		Slowdown: func() int64 { return watch.Idle.Slowdown(x.spent()) },
	}
	return loop{
		name: "balances of " + string(n), first: settlement.DailyEvery, every: settlement.DailyEvery,
		within: settlement.DailyWithin, failed: "balances are not compared yet", turn: func(ctx context.Context) error {
			if h := x.watcher.Health().AsOf(x.now()); !h.OK {
				return nil // its alert says so
			}
			return d.RunOnce(ctx)
		},
	}
}
