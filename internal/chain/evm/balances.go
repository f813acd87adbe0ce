package evm

import (
	"context"
	"fmt"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/evm/rpc"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/money"
)

// Balances returns what each address holds of the asset, as a quorum of endpoints
// says, each in its newest block, which is `at` or a later one.
func (a *Adapter) Balances(
	ctx context.Context, asset chain.Asset, addresses []chain.Address, at chain.Head,
) ([]money.Units, error) {
	held, agreed, err := a.held(ctx, asset, addresses, at)
	if err == nil && !agreed {
		err = fmt.Errorf("balances of %s on %s: %w", asset.Symbol, a.profile.Network, chain.ErrDisagree)
	}
	return held, err
}

// MostHeld is Balances, with the largest answer where there is no quorum.
func (a *Adapter) MostHeld(
	ctx context.Context, asset chain.Asset, addresses []chain.Address, at chain.Head,
) ([]money.Units, error) {
	held, _, err := a.held(ctx, asset, addresses, at)
	return held, err
}

func (a *Adapter) held(
	ctx context.Context, asset chain.Asset, addresses []chain.Address, at chain.Head,
) (held []money.Units, agreed bool, err error) {
	contract, ok := a.Contract(asset)
	if !ok {
		return nil, false, fault.New(fault.Invalid, "%s is not an asset of %s", asset.Contract, a.profile.Network)
	}
	holders, err := a.raw(addresses)
	if err != nil {
		return nil, false, err
	}
	held, agreed, err = a.heldThrough(ctx, addresses, at, func(
		ctx context.Context, e *rpc.Endpoint,
	) (chain.Balances, error) {
		return e.Balances(ctx, &contract, holders, at.Number)
	})
	if err != nil {
		err = fmt.Errorf("balances on %s: %w", a.profile.Network, err)
	}
	return held, agreed, err
}

// raw returns the addresses in bytes.
func (a *Adapter) raw(addresses []chain.Address) ([]rpc.Address, error) {
	list := make([]rpc.Address, len(addresses))
	for i, text := range addresses {
		w, err := chain.ParseAddress(a.profile.Network, string(text))
		if err != nil {
			return nil, err
		}
		list[i] = rpc.Address(w.Raw)
	}
	return list, nil
}

// MostOf is MostHeld of one address, for a token of any contract, and for the native
// coin if contract is empty.
func (a *Adapter) MostOf(ctx context.Context, of, contract chain.Address, at chain.Head) (money.Units, error) {
	holder, err := chain.ParseAddress(a.profile.Network, string(of))
	if err != nil {
		return money.Units{}, err
	}
	read := func(ctx context.Context, e *rpc.Endpoint) (chain.Balances, error) {
		return e.Balances(ctx, nil, []rpc.Address{rpc.Address(holder.Raw)}, at.Number)
	}
	if contract != "" {
		token, err := chain.ParseAddress(a.profile.Network, string(contract))
		if err != nil {
			return money.Units{}, err
		}
		calls := []rpc.Call{
			rpc.NewCall("eth_blockNumber"), rpc.ContractCall(rpc.Address(token.Raw), rpc.BalanceOfData(holder.Raw)),
		}
		read = func(ctx context.Context, e *rpc.Endpoint) (b chain.Balances, err error) {
			b.Held, err = rpc.CallWords(ctx, e, calls, at.Number)
			return b, err
		}
	}
	held, _, err := a.heldThrough(ctx, []chain.Address{of}, at, read)
	if err != nil {
		return money.Units{}, fmt.Errorf("balance of %s on %s: %w", of, a.profile.Network, err)
	}
	return held[0], nil
}

// heldThrough asks for balances as of `at` until a quorum agrees.
func (a *Adapter) heldThrough(
	ctx context.Context, addresses []chain.Address, at chain.Head,
	balances func(context.Context, *rpc.Endpoint) (chain.Balances, error),
) (held []money.Units, agreed bool, err error) {
	held, agreed, err = chain.Held(
		a.pool.Voices(), a.pool.Size(), addresses, func(e *rpc.Endpoint) (b chain.Balances, err error) {
			err = a.pool.Try(ctx, e, func(ctx context.Context, e *rpc.Endpoint) error {
				return e.Patiently(ctx, at.Number, func() (err error) {
					b, err = balances(ctx, e)
					return err
				})
			})
			return b, fromEndpoint(e, err)
		},
	)
	if ctx.Err() != nil {
		return nil, false, ctx.Err()
	}
	return held, agreed, err
}

// fromEndpoint adds the endpoint to an error.
func fromEndpoint(e *rpc.Endpoint, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s %w", e.Name(), err)
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
