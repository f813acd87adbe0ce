package sender

import (
	"context"
	"fmt"
	"math/big"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/evm/rpc"
	"github.com/florinpay/florin/internal/money"
)

// What a first sweep takes, in gas, for each balance in it: as a single, and in a batch of a hundred. The gas bench
// measures both and fails when they are wrong.
const (
	SingleGas  = 88_600
	BatchedGas = 57_400
)

// BatchGas is the most gas of a sweep, and BatchGasEach what a balance takes of it: its share, with the margin.
const (
	BatchGas     = maxTxGas
	BatchGasEach = BatchedGas + BatchedGas*sweepMargin/100
)

// itemSize is about how many bytes a balance adds to a sweep.
const itemSize = 160

// SweepCost returns what sweeping one balance costs now: the price of the newest block and the tip a sweep would offer,
// with the margin for tokens that take more gas than the measured one.
func (s *Sweeps) SweepCost(ctx context.Context) (cost chain.SweepCost, err error) {
	err = s.pool.Do(ctx, func(ctx context.Context, e *rpc.Endpoint) error {
		fees, err := s.fees(ctx, e)
		if err != nil {
			return err
		}
		price := fees.Base.Add(fees.Base, fees.Tip)
		if cost.Single, err = s.costOf(ctx, e, price, SingleGas, itemSize+envelope); err != nil {
			return err
		}
		cost.Batched, err = s.costOf(ctx, e, price, BatchedGas, itemSize)
		return err
	})
	if err != nil {
		return chain.SweepCost{}, fmt.Errorf("price of a sweep on %s: %w", s.Network(), err)
	}
	return cost, nil
}

// costOf returns what so much gas costs in a transaction of that size, with the margin.
func (s *Sweeps) costOf(ctx context.Context, e *rpc.Endpoint, price *big.Int, gas, size uint64) (money.Units, error) {
	gas += gas * gasMargin / 100
	extra, err := s.extraFee(ctx, e, size, gas)
	if err != nil {
		return money.Units{}, err
	}
	cost := new(big.Int).Mul(price, new(big.Int).SetUint64(gas))
	return money.NewUnits(cost.Add(cost, extra)), nil
}
