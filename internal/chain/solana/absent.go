package solana

import (
	"context"
	"fmt"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/solana/rpc"
)

// opinionsNeeded is how many endpoints must agree, where so many are configured.
const opinionsNeeded = 2

// Absent asks one endpoint after the other whether a recorded transfer is on the chain no more, until two have
// denied it or one has it. One endpoint alone may have lost its index.
func (a *Adapter) Absent(ctx context.Context, recorded chain.Transfer, at chain.Head) (chain.Verdict, error) {
	signature, ok := rpc.ParseSignature(recorded.Tx)
	if !ok {
		return chain.Undecided, fmt.Errorf("absent: %q is no signature", recorded.Tx)
	}
	denied := 0
	for _, e := range a.pool.ready() {
		verdict := chain.Undecided
		err := a.pool.tryEach(ctx, []*endpoint{e}, func(ctx context.Context, e *endpoint) (err error) {
			verdict, err = a.absentThrough(ctx, e, recorded, signature, at)
			return err
		})
		switch {
		case gaveUp(ctx):
			return chain.Undecided, ctx.Err()
		case err != nil: // another one may know
		case verdict == chain.Stands:
			return chain.Stands, nil
		case verdict == chain.Missing:
			if denied++; denied == min(opinionsNeeded, len(a.pool.endpoints)) {
				return chain.Missing, nil
			}
		}
	}
	return chain.Undecided, nil
}

// absentThrough asks one endpoint. The only one there is must show another block in place of the recorded one: the
// hash of a block commits to its transactions, so until then its answers contradict each other.
func (a *Adapter) absentThrough(
	ctx context.Context, e *endpoint, recorded chain.Transfer, signature string, at chain.Head,
) (chain.Verdict, error) {
	verdict, err := a.judge(ctx, e, []chain.Transfer{recorded}, signature, at)
	if err != nil || verdict != chain.Missing || len(a.pool.endpoints) > 1 {
		return verdict, err
	}
	here, ok, err := e.Head(ctx, recorded.Block.Number)
	if err != nil || !ok || here.Hash == recorded.Block.Hash {
		return chain.Undecided, err
	}
	return chain.Missing, nil
}
