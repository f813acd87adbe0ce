package evm

import (
	"context"
	"errors"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/evm/rpc"
)

// BlockAt returns the head of the block with that number; of one that is final, with its time, what a quorum says,
// since it decides what has expired. ok is false only if every available endpoint lacks the block, none failed, and
// none has ever reported a newer block.
func (a *Adapter) BlockAt(ctx context.Context, number uint64) (head chain.Head, ok bool, err error) {
	if h, known := a.heads.take(number); known && ctx.Err() == nil {
		return h.Head(), true, nil
	}
	sure := number > a.pool.HighestBlock()
	read := func(ctx context.Context, e *rpc.Endpoint) error {
		results, err := e.Results(ctx, rpc.BlockByNumber(number))
		if err != nil {
			sure = false
			return err
		}
		var h rpc.Header
		if h, ok, err = rpc.ParseNumberedHeader(results[0], number); err != nil {
			sure = false
			return err
		}
		if !ok {
			return rpc.ErrNotFound
		}
		head = h.Head()
		return nil
	}
	if known := a.heads.recall(); number <= max(known.final.Number, known.one) && !a.oneWord(nil) {
		voices, size := a.pool.Voices(), a.pool.Size()
		head, err = chain.Agree(voices, size, chain.Head.Same, func(e *rpc.Endpoint) (chain.Head, error) {
			err := a.pool.Try(ctx, e, read)
			return head, err
		})
		ok = err == nil
	} else {
		err = a.pool.Do(ctx, read)
	}
	if errors.Is(err, rpc.ErrNotFound) && sure && ctx.Err() == nil {
		return chain.Head{}, false, nil
	}
	return head, ok, err
}
