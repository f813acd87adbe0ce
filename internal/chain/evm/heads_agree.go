package evm

import (
	"context"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/evm/rpc"
)

// agree replaces the final and the finalized block of a view by what a second
// endpoint has reached too.
func (a *Adapter) agree(ctx context.Context, best view, known knowledge) view {
	agreed := best
	agreed.final, agreed.finalized = known.final, known.finalized
	if best.replaced {
		agreed.final = known.finalized
	}
	if !known.any {
		agreed.final, agreed.finalized = best.first, best.first
	}
	chain.Compare(&a.finals, a.pool.Now(), best, a.pool.Without(best.endpoint.Name()),
		func(e *rpc.Endpoint) (v view, ok bool) {
			err := a.pool.Try(ctx, e, func(ctx context.Context, e *rpc.Endpoint) (err error) {
				v, err = a.readHeads(ctx, e, known)
				return err
			})
			return v, err == nil
		},
		func(o, v view) {
			agreed.final = higher(agreed.final, lowest(ctx, o.endpoint, o.final, v.endpoint, v.final))
			agreed.finalized = higher(agreed.finalized, lowest(ctx, o.endpoint, o.finalized, v.endpoint, v.finalized))
		},
		func() bool { return agreed.final.Number > known.final.Number })
	return agreed.ordered(a.profile.Finality)
}

// lowest returns the lower of two blocks if the chains of both endpoints have it,
// and the first block of any chain otherwise.
func lowest(ctx context.Context, a *rpc.Endpoint, ha rpc.Header, b *rpc.Endpoint, hb rpc.Header) rpc.Header {
	if ha.Number < hb.Number {
		ha, a, hb = hb, b, ha
	}
	if ha.Number == hb.Number {
		if ha.Hash != hb.Hash {
			return rpc.Header{}
		}
		return ha
	}
	results, err := a.Results(ctx, rpc.BlockByNumber(hb.Number))
	if err != nil {
		return rpc.Header{}
	}
	h, ok, err := rpc.ParseNumberedHeader(results[0], hb.Number)
	if err != nil || !ok || h.Hash != hb.Hash {
		return rpc.Header{}
	}
	return hb
}

func higher(a, b rpc.Header) rpc.Header {
	if b.Number > a.Number {
		return b
	}
	return a
}
