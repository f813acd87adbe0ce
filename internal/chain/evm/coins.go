package evm

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/money"
)

// Coins returns what each address holds of the native coin, in wei, in the
// newest block of an endpoint that has reached `at`.
func (a *Adapter) Coins(ctx context.Context, addresses []chain.Address, at chain.Head) ([]money.Units, error) {
	calls := []call{{method: "eth_blockNumber"}}
	for _, text := range addresses {
		w, err := chain.ParseAddress(a.profile.Network, string(text))
		if err != nil {
			return nil, err
		}
		calls = append(calls, call{"eth_getBalance", []any{address(w.Raw).String(), "latest"}})
	}
	var balances []money.Units
	err := a.pool.do(ctx, func(ctx context.Context, e *endpoint) error {
		results, err := e.results(ctx, calls...)
		if err != nil {
			return err
		}
		if err := notBelow(results[0], at.Number); err != nil {
			return err
		}
		balances = balances[:0]
		for _, raw := range results[1:] {
			units, err := parseBalance(raw)
			if err != nil {
				return err
			}
			balances = append(balances, units)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("native coin on %s: %w", a.profile.Network, err)
	}
	return balances, nil
}

// Coin returns the network's native coin as an asset without a contract.
func (a *Adapter) Coin() chain.Asset {
	return chain.Asset{Network: a.profile.Network, Symbol: a.profile.Coin, Decimals: a.profile.Network.CoinDecimals()}
}

// Token returns any token contract as an asset, and what an address holds of
// it. It fails with fault.Unprocessable where there is no token. What it calls
// itself means nothing, so unless it is one of the network's assets its symbol
// is its address.
func (a *Adapter) Token(ctx context.Context, contract, holder chain.Address) (chain.Asset, money.Units, error) {
	w, err := chain.ParseAddress(a.profile.Network, string(contract))
	if err != nil {
		return chain.Asset{}, money.Units{}, err
	}
	of, err := chain.ParseAddress(a.profile.Network, string(holder))
	if err != nil {
		return chain.Asset{}, money.Units{}, err
	}
	asset, known := a.assets[address(w.Raw)]
	if !known {
		asset = chain.Asset{Network: a.profile.Network, Contract: w.Address, Symbol: string(w.Address)}
	}
	var replies []reply
	err = a.pool.do(ctx, func(ctx context.Context, e *endpoint) (err error) {
		replies, err = e.ask(ctx, contractCall(address(w.Raw), balanceOfData(of.Raw)),
			contractCall(address(w.Raw), decimalsSelector))
		return err
	})
	if err != nil {
		return chain.Asset{}, money.Units{}, fmt.Errorf("token %s on %s: %w", contract, a.profile.Network, err)
	}
	balance, ok := parseWord(replies[0].result)
	if replies[0].err != nil || !ok {
		return chain.Asset{}, money.Units{}, fault.New(fault.Unprocessable, "there is no token at %s on %s", contract, a.profile.Network)
	}
	if d, ok := parseWord(replies[1].result); !known && replies[1].err == nil && ok && d.IsInt64() && d.Int64() <= maxShownDecimals {
		asset.Decimals = int(d.Int64())
	}
	return asset, money.NewUnits(balance), nil
}

// maxShownDecimals bounds the scale that a token may claim.
const maxShownDecimals = 36

// parseBalance reads the answer to eth_getBalance.
func parseBalance(raw []byte) (money.Units, error) {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return money.Units{}, malformed("eth_getBalance")
	}
	v, ok := parseBig(text)
	if !ok {
		return money.Units{}, malformed("eth_getBalance")
	}
	return money.NewUnits(v), nil
}
