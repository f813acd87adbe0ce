package evm

import (
	"context"
	"errors"
	"fmt"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/endpoint"
	"github.com/florinpay/florin/internal/chain/evm/contracts"
	"github.com/florinpay/florin/internal/chain/evm/rpc"
	"github.com/florinpay/florin/internal/fault"
)

// ErrNoFactory: the network lacks the contract that makes deposit addresses;
// `florin deploy` deploys it.
var ErrNoFactory = errors.New("no forwarder factory")

// Check compares the chain with the configuration: chain id, the decimals of
// every asset, and the code of the forwarder factory and of the implementation
// of its forwarders.
func (a *Adapter) Check(ctx context.Context) error {
	calls, contractsOf := a.checkCalls()
	var wrong error // what one endpoint shows of the chain, and no other refutes
	err := a.pool.Do(ctx, func(ctx context.Context, e *rpc.Endpoint) error {
		replies, err := e.Ask(ctx, calls...)
		if err != nil {
			return err
		}
		if err = a.checkReplies(replies, contractsOf); err != nil {
			if wrong == nil && fault.Is(err, fault.Unprocessable) {
				wrong = err
			}
			return endpoint.Item{Err: err}
		}
		return nil
	})
	switch {
	case err == nil, ctx.Err() != nil:
		return err
	case wrong != nil:
		return wrong
	}
	return fmt.Errorf("check %s: %w", a.profile.Network, err)
}

// checkReplies compares what one endpoint shows.
func (a *Adapter) checkReplies(replies []rpc.Reply, contractsOf []rpc.Address) error {
	for i, contract := range contractsOf {
		if err := a.checkDecimals(a.assets[contract], replies[i]); err != nil {
			return err
		}
	}
	return a.checkCode(replies[len(contractsOf):])
}

// checkCalls asks for the decimals of every asset, then for the code of the
// factory and of the implementation.
func (a *Adapter) checkCalls() ([]rpc.Call, []rpc.Address) {
	var calls []rpc.Call
	var list []rpc.Address
	for contract := range a.assets {
		list = append(list, contract)
		calls = append(calls, rpc.ContractCall(contract, rpc.DecimalsSelector))
	}
	factory := contracts.FactoryAddress()
	return append(calls, rpc.CodeCall(rpc.Address(factory)),
		rpc.CodeCall(rpc.Address(contracts.ImplementationAddress(factory)))), list
}

func (a *Adapter) checkDecimals(asset chain.Asset, r rpc.Reply) error {
	n := a.profile.Network
	if r.Err != nil && !rpc.Reverted(r.Err) {
		return fmt.Errorf("decimals of %s: %w", asset.Symbol, rpc.CallError(r.Err))
	}
	decimals, ok := rpc.ParseWord(r.Result)
	if r.Err != nil || !ok {
		return fault.New(fault.Unprocessable,
			"%s of %s: there is no token at %s on chain %d; correct %s",
			asset.Symbol, n, asset.Contract, a.profile.ChainID, asset.Advice(""))
	}
	if !decimals.IsInt64() || decimals.Int64() != int64(asset.Decimals) {
		return fault.New(fault.Unprocessable,
			"%s of %s has %s decimals on the chain, not %d; correct %s",
			asset.Symbol, n, decimals, asset.Decimals, asset.Advice("_DECIMALS"))
	}
	return nil
}

// checkCode compares the code of the factory and of the implementation with
// what Florin was built with.
func (a *Adapter) checkCode(replies []rpc.Reply) error {
	want := []struct {
		name string
		hash rpc.Hash
	}{
		{"forwarder factory", rpc.Hash(contracts.FactoryCodeHash)},
		{"forwarder implementation", rpc.Hash(contracts.ImplementationCodeHash)},
	}
	for i, w := range want {
		got, size, err := rpc.CodeHash(replies[i])
		switch {
		case err != nil:
			return fmt.Errorf("code of the %s: %w", w.name, err)
		case size == 0:
			return fmt.Errorf("%w: %w", ErrNoFactory, fault.New(fault.Unprocessable,
				"deposit addresses on %[1]s need the forwarder factory, which is not deployed; run `florin deploy --network %[1]s`", a.profile.Network))
		case got != w.hash:
			return fault.New(fault.Unprocessable,
				"the %s on %s has other code than this version of Florin expects; use the version that deployed it",
				w.name, a.profile.Network)
		}
	}
	return nil
}
