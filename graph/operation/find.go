package operation

import (
	"context"
	"time"

	"github.com/florinpay/florin/graph/model"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/payment/lookup"
)

// Look searches the networks for a transaction that should pay the payment.
func (o *Operations) Look(ctx context.Context, txnid, hash string) (lookup.Result, error) {
	if hash == "" {
		return lookup.Result{}, fault.About(fault.Invalid, "hash", "is required")
	}
	if err := o.d.Limits.Endpoints(ctx, txnid); err != nil {
		return lookup.Result{}, err
	}
	return o.d.Lookup.Find(ctx, txnid, hash)
}

// Find returns the answer of Look as the interface shows it.
func (o *Operations) Find(ctx context.Context, txnid, hash string) (*model.FindingResult, error) {
	f, err := o.Look(ctx, txnid, hash)
	if err != nil {
		return nil, err
	}
	shown := &model.Finding{
		Verdict: string(f.Verdict), Token: optional(f.Token), Advice: f.Advice(), Missing: limit(f.Missing),
	}
	if f.Network != "" {
		n := model.Network(f.Network)
		shown.Network = &n
	}
	if f.Amount != "" {
		amount := model.Number(f.Amount)
		shown.Amount = &amount
	}
	if f.FinalIn > 0 {
		s := int((f.FinalIn + time.Second - 1) / time.Second)
		shown.SecondsToFinal = &s
	}
	return &model.FindingResult{Finding: shown}, nil
}
