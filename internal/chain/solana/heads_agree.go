package solana

import (
	"context"
	"errors"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/solana/rpc"
)

// opinionLimit is how long a further endpoint may take to report its finalized slot.
const opinionLimit = 5 * time.Second

// finalView is the finalized block as one endpoint reports it.
type finalView struct {
	e     *endpoint
	block chain.Head
}

// agree returns the newest block that a quorum of endpoints have finalized, no older than what was agreed before; until
// then it is the beginning of time. One alone may call its newest slot final, and what it credits is so for good.
func (a *Adapter) agree(ctx context.Context, first finalView, known chain.Head) chain.Head {
	agreed := known
	if agreed.Hash == "" {
		agreed = chain.Head{Time: time.Unix(0, 0).UTC()}
	}
	needed := chain.Quorum(a.pool.size())
	reached := make(chain.Reached[chain.Head, *endpoint])
	var apart chain.Difference
	chain.Compare(&a.finals, a.pool.now(), needed, first, a.pool.without(first.e.Name),
		func(e *endpoint) (finalView, bool) { return a.finalOf(ctx, e) },
		func(o, v finalView) {
			low, same := a.lowest(ctx, o, v, agreed.Number)
			switch {
			case same && reached.Add(low, o.e, v.e) >= needed:
				agreed = low
			case !same && low.Hash != "":
				apart = chain.Difference{Endpoint: v.e.Name, Other: o.e.Name, Block: low.Number}
			}
		},
		func() bool { return agreed.Number > known.Number })
	if agreed.Number > known.Number {
		apart = chain.Difference{}
	}
	a.finals.Differ(apart, a.pool.now())
	return agreed
}

// finalOf asks an endpoint for its finalized block. One that takes too long cools down like one that fails.
func (a *Adapter) finalOf(ctx context.Context, e *endpoint) (finalView, bool) {
	v := finalView{e: e}
	err := a.opinion(ctx, e, func(ctx context.Context, e *endpoint) (err error) {
		if v.block, err = e.newest(ctx, rpc.Finalized); err == nil {
			e.RecordFinal(v.block.Number)
		}
		return err
	})
	return v, err == nil
}

// lowest returns the lower of two blocks, and whether the chains of both endpoints have it; no block if it is not above
// the slot, or one cannot tell.
func (a *Adapter) lowest(ctx context.Context, x, y finalView, above uint64) (low chain.Head, same bool) {
	low, high := x.block, y
	if y.block.Number < x.block.Number {
		low, high = y.block, x
	}
	if low.Number <= above {
		return chain.Head{}, false
	}
	other := high.block
	if low.Number != other.Number {
		ok := false
		err := a.opinion(ctx, high.e, func(ctx context.Context, e *endpoint) (err error) {
			other, ok, err = e.Head(ctx, low.Number)
			return err
		})
		if err != nil || !ok {
			return chain.Head{}, false
		}
	}
	return low, other.Same(low)
}

// opinion is try with a limit of time.
func (a *Adapter) opinion(ctx context.Context, e *endpoint, f func(context.Context, *endpoint) error) error {
	short, cancel := context.WithTimeout(ctx, opinionLimit)
	defer cancel()
	err := a.pool.try(short, e, f)
	if err != nil && gaveUp(short) && !gaveUp(ctx) && !errors.Is(err, rpc.ErrBusy) {
		e.failed(errors.New("does not answer"))
	}
	return err
}
