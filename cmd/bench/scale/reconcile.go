package main

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/settlement"
)

const (
	// reconciled is how many addresses are compared.
	reconciled = 1_000_000
	// mostReconciled is how long that may take, apart from what the chains take to answer.
	mostReconciled = 10 * time.Minute
)

// agreeing is a chain that answers at once, and as the history has it: everything that came was swept.
type agreeing struct{}

func (agreeing) Heads(context.Context) (chain.Heads, error) {
	newest := chain.Head{Number: math.MaxInt64}
	return chain.Heads{Latest: newest, Final: newest, Finalized: newest}, nil
}

func (agreeing) Balances(
	_ context.Context, _ chain.Asset, addresses []chain.Address, _ chain.Head,
) ([]money.Units, error) {
	return make([]money.Units, len(addresses)), nil
}

func (agreeing) Judge(_ context.Context, list []chain.Transfer, _ chain.Head) ([]chain.Verdict, error) {
	return slices.Repeat([]chain.Verdict{chain.Stands}, len(list)), nil
}

func (agreeing) Find(context.Context, chain.TxHash) (chain.Found, error) {
	return chain.Found{Exists: true, Final: true}, nil
}

// reconcile compares addresses from the middle of the history on with chains that agree, as `florin reconcile` does.
func reconcile(ctx context.Context, d *database, _ int) error {
	enough := errors.New("enough addresses")
	run := settlement.Reconciliation{StartedAt: d.now}
	var networks []settlement.ReconciledNetwork
	for _, p := range chain.Profiles() {
		networks = append(networks, settlement.ReconciledNetwork{Profile: p, Reader: agreeing{}})
	}
	_, err := settlement.Reconciler{
		Records: d.Settlement(), Networks: networks, Since: d.now.Add(-week), Progress: func(int) {},
		Wait: func(context.Context) error { return nil },
		From: settlement.ReconcilePlace{Last: settlement.DepositAddress{Payment: (d.first + d.last) / 2}},
		Compared: func(ctx context.Context, to settlement.ReconcilePlace, found []settlement.Difference) error {
			if len(found) > 0 {
				return errors.New(found[0].String())
			}
			if to.Done >= reconciled {
				return enough
			}
			run.Place = to
			return d.Settlement().SaveReconciliation(ctx, run)
		},
	}.Run(ctx)
	if errors.Is(err, enough) {
		return nil
	}
	return err
}
