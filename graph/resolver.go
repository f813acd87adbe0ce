package graph

import (
	"context"

	"github.com/florinpay/florin/graph/model"
	"github.com/florinpay/florin/graph/operation"
	"github.com/florinpay/florin/internal/secret"
)

// Resolver resolves every field of the schema by one operation.
type Resolver struct{ ops *operation.Operations }

// start resolves a per-network starter.
func (r *Resolver) start(ctx context.Context, txnid string, network model.Network, token model.Token) (*model.TransactionResult, error) {
	in := operation.StartInput{Txnid: txnid, Network: network, Token: token}
	return operation.Settle(ctx, r.ops, func(ctx context.Context) (*model.TransactionResult, error) {
		return r.ops.StartPublic(ctx, in)
	}), nil
}

// keyed resolves an operation whose only argument is the API key.
func keyed[T any, R interface {
	*T
	model.Outcome
}](ctx context.Context, r *Resolver, apiKey string, run func(context.Context, secret.Text) (R, error)) (R, error) {
	return operation.Settle(ctx, r.ops, func(ctx context.Context) (R, error) { return run(ctx, secret.New(apiKey)) }), nil
}

// value returns what an optional argument holds, or the zero value.
func value[T any](p *T) T {
	if p == nil {
		var zero T
		return zero
	}
	return *p
}
