package solana

import (
	"context"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/solana/rpc"
)

// reached checks that the node has reached the block, and that its chain contains it if it is not final.
func (e *endpoint) reached(ctx context.Context, at chain.Head) error {
	return e.patiently(ctx, at.Number, func() error { return e.reachedNow(ctx, at) })
}

func (e *endpoint) reachedNow(ctx context.Context, at chain.Head) error {
	if !e.pool.blocks.Has(at) {
		return e.hasBlock(ctx, at)
	}
	newest, err := e.Slot(ctx, rpc.Finalized)
	if err == nil && newest < at.Number {
		err = rpc.Lagging("slot %d is not finalized", at.Number)
	}
	return err
}

// hasBlock checks that the node's chain contains the block.
func (e *endpoint) hasBlock(ctx context.Context, at chain.Head) error {
	got, ok, err := e.Head(ctx, at.Number)
	switch {
	case err != nil:
		return err
	case !ok:
		return rpc.Lagging("slot %d is not there", at.Number)
	case !got.Same(at):
		return chain.ErrReorged
	}
	return nil
}
