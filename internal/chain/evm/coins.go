package evm

import (
	"context"
	"fmt"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/evm/rpc"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/money"
)

// Coins returns what each address holds of the native coin, in wei, as a quorum of
// endpoints says, each in its newest block, which is `at` or a later one.
func (a *Adapter) Coins(ctx context.Context, addresses []chain.Address, at chain.Head) ([]money.Units, error) {
	holders, err := a.raw(addresses)
	if err != nil {
		return nil, err
	}
	held, agreed, err := a.heldThrough(ctx, addresses, at, func(
		ctx context.Context, e *rpc.Endpoint,
	) (chain.Balances, error) {
		return e.Balances(ctx, nil, holders, at.Number)
	})
	if err == nil && !agreed {
		err = chain.ErrDisagree
	}
	if err != nil {
		return nil, fmt.Errorf("native coin on %s: %w", a.profile.Network, err)
	}
	return held, nil
}

// Token returns any token contract as an asset, with the balance of an address.
// It fails with fault.Unprocessable where there is no token. Unless it is one
// of the network's assets its symbol is its address, because the name a
// contract gives itself proves nothing.
func (a *Adapter) Token(ctx context.Context, contract, holder chain.Address) (chain.Asset, money.Units, error) {
	w, err := chain.ParseAddress(a.profile.Network, string(contract))
	if err != nil {
		return chain.Asset{}, money.Units{}, err
	}
	of, err := chain.ParseAddress(a.profile.Network, string(holder))
	if err != nil {
		return chain.Asset{}, money.Units{}, err
	}
	asset, known := a.assets[rpc.Address(w.Raw)]
	if !known {
		asset = chain.Asset{Network: a.profile.Network, Contract: w.Address, Symbol: string(w.Address)}
	}
	var replies []rpc.Reply
	err = a.pool.Do(ctx, func(ctx context.Context, e *rpc.Endpoint) (err error) {
		replies, err = e.Ask(ctx, rpc.ContractCall(rpc.Address(w.Raw), rpc.BalanceOfData(of.Raw)),
			rpc.ContractCall(rpc.Address(w.Raw), rpc.DecimalsSelector))
		return err
	})
	if err != nil {
		return chain.Asset{}, money.Units{}, fmt.Errorf("token %s on %s: %w", contract, a.profile.Network, err)
	}
	balance, ok := rpc.ParseWord(replies[0].Result)
	if replies[0].Err != nil || !ok {
		return chain.Asset{}, money.Units{}, fault.New(fault.Unprocessable, "there is no token at %s on %s", contract,
			a.profile.Network)
	}
	if d, ok := rpc.ParseWord(replies[1].Result); !known && replies[1].Err == nil && ok && d.IsInt64() &&
		d.Int64() <= maxShownDecimals {
		asset.Decimals = int(d.Int64())
	}
	return asset, money.NewUnits(balance), nil
}

// maxShownDecimals bounds the scale that a token may claim.
const maxShownDecimals = 36
