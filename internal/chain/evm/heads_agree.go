package evm

import (
	"context"
	"time"

	"github.com/florinpay/florin/internal/chain/evm/rpc"
)

// allEvery is how often every endpoint is asked for its heads while the first two
// do not agree on a newer final block.
const allEvery = 5 * time.Second

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
	views := []view{best}
	for _, e := range a.pool.Without(best.endpoint.Name()) {
		if len(views) > 1 &&
			(agreed.final.Number > known.final.Number || !a.heads.askAll(a.pool.Now(), len(views) == 2)) {
			break
		}
		var v view
		err := a.pool.Try(ctx, e, func(ctx context.Context, e *rpc.Endpoint) (err error) {
			v, err = a.readHeads(ctx, e, known)
			return err
		})
		if err != nil {
			continue
		}
		for _, o := range views {
			agreed.final = higher(agreed.final, lowest(ctx, o.endpoint, o.final, e, v.final))
			agreed.finalized = higher(agreed.finalized, lowest(ctx, o.endpoint, o.finalized, e, v.finalized))
		}
		views = append(views, v)
	}
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

// askAll reports whether it is time to ask every endpoint; once it is, for all of
// them.
func (m *headMemory) askAll(now time.Time, begin bool) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if begin && now.Before(m.nextAll) {
		return false
	}
	if begin {
		m.nextAll = now.Add(allEvery)
	}
	return true
}
