package solana

import (
	"context"
	"fmt"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/solana/rpc"
)

// Absent asks one endpoint after the other whether a recorded transfer is on the chain no more (chain.Absent). One
// endpoint alone may have lost its index.
func (a *Adapter) Absent(ctx context.Context, recorded chain.Transfer, at chain.Head) (chain.Verdict, error) {
	signature, ok := rpc.ParseSignature(recorded.Tx)
	if !ok {
		return chain.Undecided, fmt.Errorf("absent: %q is no signature", recorded.Tx)
	}
	verdict := chain.Absent(a.pool.voices(), a.pool.size(), func(e *endpoint) (chain.Verdict, error) {
		return a.verdict(ctx, e, func(ctx context.Context, e *endpoint) (chain.Verdict, error) {
			return a.absentThrough(ctx, e, recorded, signature, at)
		})
	})
	return verdict, ctx.Err()
}

// absentThrough asks one endpoint. The only one there is must show another block in place of the recorded one: the
// hash of a block commits to its transactions, so until then its answers contradict each other.
func (a *Adapter) absentThrough(
	ctx context.Context, e *endpoint, recorded chain.Transfer, signature string, at chain.Head,
) (chain.Verdict, error) {
	verdict, err := a.judge(ctx, e, []chain.Transfer{recorded}, signature, at)
	if err != nil || verdict != chain.Missing || a.pool.size() > 1 {
		return verdict, err
	}
	here, ok, err := e.Head(ctx, recorded.Block.Number)
	if err != nil || !ok || here.Hash == recorded.Block.Hash {
		return chain.Undecided, err
	}
	return chain.Missing, nil
}
