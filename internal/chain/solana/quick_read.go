package solana

import (
	"context"
	"slices"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/solana/rpc"
)

// QuickRead compares what the watched accounts hold with what they held when they were last scanned, and asks, if asked
// to, for the newest finalized slot.
func (a *Adapter) QuickRead(ctx context.Context, l chain.Look) (seen chain.QuickRead, err error) {
	if gaveUp(ctx) {
		return seen, ctx.Err()
	}
	err = a.pool.do(ctx, func(ctx context.Context, e *endpoint) (err error) {
		known := a.known[e]
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-known.turn:
			defer func() { known.turn <- struct{}{} }()
		}
		accounts := slices.DeleteFunc(known.accountsOf(l.Watch, a.mints, a.pool.now()), func(acc *account) bool {
			return acc.problem.slow // a scan tries it
		})
		seen, err = e.quickRead(ctx, accounts, l)
		return err
	})
	return seen, err
}

func (e *endpoint) quickRead(ctx context.Context, accounts []*account, l chain.Look) (seen chain.QuickRead, err error) {
	changed := make([]bool, len(accounts))
	err = rpc.Each(ctx, accounts, rpc.AccountsPerCall, func(ctx context.Context, part []*account, at int) error {
		now, _, err := e.Accounts(ctx, keysOf(part), 0)
		if err != nil {
			return err
		}
		for i, acc := range part {
			if changed[at+i], err = acc.changed(now[i]); err != nil {
				return err
			}
		}
		return nil
	})
	for i, acc := range accounts {
		seen.News = seen.News || changed[i] && l.News(acc.address, "")
	}
	if err == nil && l.Final {
		seen.Final, err = e.Slot(ctx, rpc.Finalized)
	}
	return seen, err
}

// changed reports whether the account holds something else than when it was last read, or was credited after the range
// that was read then: its state is newer than the range. One that was never read has changed if it holds anything.
func (acc *account) changed(now *rpc.Account) (bool, error) {
	is, err := now.Holding()
	if err != nil {
		return false, err
	}
	was, err := acc.state.Holding()
	return is.Valid && (is.Amount != was.Amount || acc.credited > acc.seen), err
}
