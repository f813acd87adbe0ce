package evm

import (
	"context"
	"fmt"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/evm/rpc"
)

// Absent asks one endpoint after the other whether a recorded transfer is on the
// chain no more (chain.Absent). One endpoint alone may lag, or leave a log out.
func (a *Adapter) Absent(ctx context.Context, recorded chain.Transfer, at chain.Head) (chain.Verdict, error) {
	tx, ok := rpc.ParseHash(string(recorded.Tx))
	if !ok {
		return chain.Undecided, fmt.Errorf("absent: %q is no transaction hash", recorded.Tx)
	}
	verdict := chain.Absent(a.pool.Voices(), a.pool.Size(), func(e *rpc.Endpoint) (chain.Verdict, error) {
		return a.verdict(ctx, e, func(ctx context.Context, e *rpc.Endpoint) (chain.Verdict, error) {
			return a.absentVia(ctx, e, recorded, tx, at)
		})
	})
	return verdict, ctx.Err()
}

// absentVia asks one endpoint, which must have `at`. The only one there is must show
// another block in place of the recorded one: the hash of a block commits to its
// transactions, so until then its answers contradict each other.
func (a *Adapter) absentVia(
	ctx context.Context, e *rpc.Endpoint, recorded chain.Transfer, tx rpc.Hash, at chain.Head,
) (chain.Verdict, error) {
	verdict, err := a.confirmVia(ctx, e, []chain.Transfer{recorded}, tx, at)
	if err != nil || verdict != chain.Missing || !a.pool.Single() {
		return verdict, err
	}
	block, ok := rpc.ParseHash(recorded.Block.Hash)
	if !ok {
		return chain.Undecided, fmt.Errorf("absent: %q is no block hash", recorded.Block.Hash)
	}
	if stands, err := included(ctx, e, recorded.Block.Number, block); err != nil || stands == chain.Stands {
		return chain.Undecided, err
	}
	return chain.Missing, nil
}
