package evm

import (
	"context"
	"fmt"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/evm/rpc"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/money"
)

// Balances returns what each address holds of the asset in the newest block of
// an endpoint that has reached `at`.
func (a *Adapter) Balances(
	ctx context.Context, asset chain.Asset, addresses []chain.Address, at chain.Head,
) ([]money.Units, error) {
	balances, _, err := a.balancesAmong(ctx, a.pool.Ready(), asset, addresses, at)
	return balances, err
}

// MostHeld returns the larger of what two endpoints say that each address holds,
// each in its newest block, which is `at` or a later one.
func (a *Adapter) MostHeld(
	ctx context.Context, asset chain.Asset, addresses []chain.Address, at chain.Head,
) ([]money.Units, error) {
	first, source, err := a.balancesAmong(ctx, a.pool.Ready(), asset, addresses, at)
	if err != nil || a.pool.Single() {
		return first, err
	}
	second, _, err := a.balancesAmong(ctx, a.pool.Without(source), asset, addresses, at)
	if err != nil {
		return nil, fmt.Errorf("a second endpoint: %w", err)
	}
	return chain.Larger(first, second), nil
}

// balancesAmong reads the balances through the first of the endpoints that can
// answer, and returns its name.
func (a *Adapter) balancesAmong(
	ctx context.Context, endpoints []*rpc.Endpoint, asset chain.Asset, addresses []chain.Address, at chain.Head,
) (balances []money.Units, source string, err error) {
	contract, ok := a.Contract(asset)
	if !ok {
		return nil, "", fault.New(fault.Invalid, "%s is not an asset of %s", asset.Contract, a.profile.Network)
	}
	calls := []rpc.Call{rpc.NewCall("eth_blockNumber")}
	for _, text := range addresses {
		w, err := chain.ParseAddress(a.profile.Network, string(text))
		if err != nil {
			return nil, "", err
		}
		calls = append(calls, rpc.ContractCall(contract, rpc.BalanceOfData(w.Raw)))
	}
	err = a.pool.Among(ctx, endpoints, func(ctx context.Context, e *rpc.Endpoint) error {
		source = e.Name()
		return e.Patiently(ctx, at.Number, func() (err error) {
			balances, err = rpc.CallWords(ctx, e, calls, at.Number)
			return err
		})
	})
	if err != nil {
		return nil, "", fmt.Errorf("balances on %s: %w", a.profile.Network, err)
	}
	return balances, source, nil
}

// Contract returns the address of a known asset.
func (a *Adapter) Contract(asset chain.Asset) (rpc.Address, bool) {
	w, err := chain.ParseAddress(a.profile.Network, string(asset.Contract))
	if err != nil {
		return rpc.Address{}, false
	}
	_, ok := a.assets[rpc.Address(w.Raw)]
	return rpc.Address(w.Raw), ok
}
