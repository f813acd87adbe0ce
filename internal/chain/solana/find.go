package solana

import (
	"context"
	"fmt"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/solana/rpc"
	"github.com/florinpay/florin/internal/fault"
)

// Find looks up a transaction and returns everything it moved to any recipient: tokens of any mint, and SOL,
// whose Asset has no contract. The recipient of a token is the owner of the receiving account if that is the
// associated one, else the account itself. A failed transaction moved nothing. A mint that is not an asset of the
// network is named by its address alone, because anyone can choose the name of a mint.
func (a *Adapter) Find(ctx context.Context, tx chain.TxHash) (chain.Found, error) {
	signature, ok := rpc.ParseSignature(tx)
	if !ok {
		return chain.Found{}, fault.New(fault.Invalid, "a transaction of %s is known by its signature, the base58 text of 64 bytes", a.profile.Network)
	}
	if gaveUp(ctx) {
		return chain.Found{}, ctx.Err()
	}
	found, err := chain.Agree(a.pool.voices(), a.pool.size(), chain.Found.Same,
		func(e *endpoint) (found chain.Found, err error) {
			err = a.pool.try(ctx, e, func(ctx context.Context, e *endpoint) (err error) {
				found, err = a.find(ctx, e, signature)
				return err
			})
			return found, e.named(err)
		})
	if gaveUp(ctx) {
		return chain.Found{}, ctx.Err()
	}
	if err != nil {
		return chain.Found{}, fmt.Errorf("transaction %s on %s: %w", signature, a.profile.Network, err)
	}
	return found, nil
}

// find is Find through one endpoint.
func (a *Adapter) find(ctx context.Context, e *endpoint, signature string) (chain.Found, error) {
	statuses, err := e.Statuses(ctx, []string{signature})
	if err != nil {
		return chain.Found{}, err
	}
	st := statuses[signature]
	if st == nil {
		return chain.Found{}, nil
	}
	if !st.Included() {
		return chain.Found{Exists: true}, nil
	}
	r := newCache(e)
	t, err := r.transaction(ctx, signature)
	if err != nil {
		return chain.Found{}, err
	}
	if t.Failed() != st.Failed() || t.Slot != st.Slot {
		return chain.Found{}, rpc.Lagging("the status of transaction %s contradicts it", signature)
	}
	found := chain.Found{Exists: true, Failed: t.Failed(), Final: st.Final()}
	if found.Block, err = r.head(ctx, t.Slot); err != nil {
		return chain.Found{}, err
	}
	if !found.Failed {
		found.Transfers = t.Transfers(a.profile, signature)
		found.Parts = t.Parts(found.Transfers)
	}
	for _, list := range [][]chain.Transfer{found.Transfers, found.Parts} {
		for i := range list {
			list[i].Block, list[i].Source = found.Block, e.Name
		}
	}
	return found, nil
}
