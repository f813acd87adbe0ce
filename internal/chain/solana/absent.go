package solana

import (
	"context"
	"fmt"

	"github.com/florinpay/florin/internal/chain"
)

// opinionsNeeded is how many endpoints must agree, where so many are configured.
const opinionsNeeded = 2

// Absent asks one endpoint after the other whether a recorded transfer is on the chain no more, until two have
// denied it or one has it.
func (a *Adapter) Absent(ctx context.Context, recorded chain.Transfer, at chain.Head) (chain.Verdict, error) {
	signature, ok := parseSignature(recorded.Tx)
	if !ok {
		return chain.Undecided, fmt.Errorf("absent: %q is no signature", recorded.Tx)
	}
	denied := 0
	for _, e := range a.pool.ready() {
		verdict := chain.Undecided
		err := a.pool.tryEach(ctx, []*endpoint{e}, func(ctx context.Context, e *endpoint) (err error) {
			verdict, err = a.judge(ctx, e, []chain.Transfer{recorded}, signature, at)
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
