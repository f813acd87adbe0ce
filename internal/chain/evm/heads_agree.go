package evm

import (
	"cmp"
	"context"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/endpoint"
	"github.com/florinpay/florin/internal/chain/evm/rpc"
)

// agree replaces the final and the finalized block of a view by what a quorum of
// endpoints have reached, and returns the view of each endpoint that was asked.
func (a *Adapter) agree(ctx context.Context, best view, known knowledge) (agreed view, views []view) {
	agreed, views = best, []view{best}
	agreed.final, agreed.finalized = known.final, known.finalized
	agreed.last = rpc.Header{} // one that has not seen a fork yet shows the block that was there before
	if best.replaced {
		agreed.final = known.finalized
	}
	if !known.any {
		agreed.final, agreed.finalized = best.first, best.first
	}
	needed := chain.Quorum(a.pool.Size())
	final, finalized := make(reached), make(reached)
	var apart chain.Difference
	enough := false
	chain.Compare(&a.finals, a.pool.Now(), needed, best, a.pool.Without(best.endpoint.Name()),
		func(e *rpc.Endpoint) (v view, ok bool) {
			err := a.pool.Try(ctx, e, func(ctx context.Context, e *rpc.Endpoint) (err error) {
				v, err = a.readSecond(ctx, e, best, known)
				return err
			})
			if err == nil {
				views = append(views, v)
			}
			return v, err == nil
		},
		func(o, v view) {
			if a.stale(agreed.latest) && v.latest.Time > agreed.latest.Time {
				agreed.latest = v.latest // of which one endpoint names no time, or a wrong one
			}
			low, differ := lowest(ctx, o, o.final, v, v.final)
			if differ {
				apart = chain.Difference{
					Endpoint: v.endpoint.Name(), Other: o.endpoint.Name(), Block: min(o.final.Number, v.final.Number),
				}
			}
			if !differ && final.Add(low, o.endpoint, v.endpoint) >= needed {
				enough = true
				if low.Number > agreed.final.Number {
					agreed.final, agreed.last = low, cmp.Or(o.last, v.last)
				}
			}
			low, _ = lowest(ctx, o, o.finalized, v, v.finalized)
			if finalized.Add(low, o.endpoint, v.endpoint) >= needed && low.Number > agreed.finalized.Number {
				agreed.finalized = low
			}
		},
		func() bool { return agreed.final.Number > known.final.Number })
	if enough {
		apart = chain.Difference{}
	}
	a.finals.Differ(apart, a.pool.Now())
	return agreed.ordered(a.profile.Finality), views
}

// stale reports whether a newest block is so old that the network would not be offered.
func (a *Adapter) stale(latest rpc.Header) bool {
	return a.pool.Now().Sub(latest.Head().Time) > a.profile.HeadLimit
}

// possible fails if what one endpoint calls final cannot come after what is.
func (a *Adapter) possible(v view, known knowledge) error {
	top := v.final
	if a.profile.Finality.Depth > 0 {
		top = v.latest // by whose time it is final
	}
	return top.Head().After(known.final.Head(), a.pool.Now())
}

// reached is which endpoints have reached a block.
type reached = chain.Reached[rpc.Header, *rpc.Endpoint]

// readSecond is readHeads for an endpoint that is compared with a first one. In one request it is asked for the tags
// and for the block that is final by the first one: where it has that block, it has all that was final before. Some
// nodes fail for a block that is not there yet, which the first one may have invented.
func (a *Adapter) readSecond(ctx context.Context, e *rpc.Endpoint, first view, known knowledge) (view, error) {
	if !known.any || a.profile.Finality.Depth > 0 {
		return a.readHeads(ctx, e, known)
	}
	finalized, final := string(chain.TagFinalized), string(a.profile.Finality.Tag)
	blocks, err := readWith(ctx, e, first.final, finalized, final, "latest")
	if err != nil && !endpoint.IsItem(err) {
		return view{}, err
	}
	if err != nil || blocks[rpc.Quantity(first.final.Number)] != first.final ||
		first.final.Number < known.finalized.Number {
		return a.readHeads(ctx, e, known)
	}
	v := view{
		endpoint: e, finalized: blocks[finalized], final: blocks[final], latest: blocks["latest"],
		shown: numbered(blocks),
	}
	v.fill(known.finalized)
	e.RecordHead(v.latest.Number)
	a.recordFinal(e, blocks)
	return v.ordered(a.profile.Finality), nil
}

// lowest returns the lower of two blocks if the chains of both endpoints have it, and the first block of any chain
// otherwise. differ: one of the chains has another block in its place.
func lowest(ctx context.Context, a view, ha rpc.Header, b view, hb rpc.Header) (low rpc.Header, differ bool) {
	if ha.Number < hb.Number {
		ha, a, hb = hb, b, ha
	}
	other, known := ha, true
	if ha.Number > hb.Number {
		other, known = a.at(ctx, hb.Number)
	}
	if !known || other != hb {
		return rpc.Header{}, known
	}
	return hb, false
}

// there reports whether the chain of an endpoint has the block, with the same time.
func there(ctx context.Context, v view, h rpc.Header) bool {
	shown, known := v.at(ctx, h.Number)
	return known && shown == h
}

// at returns the block with the number on the chain of the endpoint, if it has one.
func (v view) at(ctx context.Context, number uint64) (shown rpc.Header, known bool) {
	shown, known = v.shown[number]
	if known || number > v.latest.Number {
		return shown, known
	}
	results, err := v.endpoint.Results(ctx, rpc.BlockByNumber(number))
	if err != nil {
		return rpc.Header{}, false
	}
	shown, known, err = rpc.ParseNumberedHeader(results[0], number)
	return shown, known && err == nil
}

func higher(a, b rpc.Header) rpc.Header {
	if b.Number > a.Number {
		return b
	}
	return a
}
