package graph

import (
	"context"

	"github.com/florinpay/florin/graph/model"
	"github.com/florinpay/florin/graph/operation"
)

// Resolver resolves every field of the schema by one operation.
type Resolver struct{ ops *operation.Operations }

// start resolves a per-network starter.
func (r *Resolver) start(
	ctx context.Context, txnid string, network model.Network, token model.Token,
) (*model.TransactionResult, error) {
	in := operation.StartInput{Txnid: txnid, Network: network, Token: token}
	return operation.Settle(ctx, r.ops, func(ctx context.Context) (*model.TransactionResult, error) {
		return r.ops.StartPublic(ctx, in)
	}), nil
}

// value returns what an optional argument holds, or the zero value.
func value[T any](p *T) T {
	if p == nil {
		var zero T
		return zero
	}
	return *p
}
