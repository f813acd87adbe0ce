package evm

import (
	"context"
	"fmt"
	"math/big"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/money"
)

// Selectors of ERC-20: the first four bytes of the Keccak-256 of the signature.
const (
	balanceOfSelector = "0x70a08231"
	decimalsSelector  = "0x313ce567"
)

// contractCall reads from a contract in the node's newest block: full nodes
// keep the state of the last few minutes only.
func contractCall(contract address, data string) call {
	return call{"eth_call", []any{map[string]string{"to": contract.String(), "data": data}, "latest"}}
}

// balanceOfData is the call data of ERC-20's balanceOf for a holder.
func balanceOfData(holder []byte) string {
	return balanceOfSelector + addressPadding[2:] + hexText(holder)[2:]
}

// parseWord reads the single 32-byte word a contract returned.
func parseWord(raw []byte) (*big.Int, bool) {
	var word hash
	if len(raw) < 2 || raw[0] != '"' || !parseBytes(word[:], raw[1:len(raw)-1]) {
		return nil, false
	}
	return new(big.Int).SetBytes(word[:]), true
}

// Balances returns what each address holds of the asset in the newest block of
// an endpoint that has reached `at`.
func (a *Adapter) Balances(ctx context.Context, asset chain.Asset, addresses []chain.Address, at chain.Head) ([]money.Units, error) {
	contract, ok := a.contract(asset)
	if !ok {
		return nil, fault.New(fault.Invalid, "%s is not an asset of %s", asset.Contract, a.profile.Network)
	}
	calls := []call{{method: "eth_blockNumber"}}
	for _, text := range addresses {
		w, err := chain.ParseAddress(a.profile.Network, string(text))
		if err != nil {
			return nil, err
		}
		calls = append(calls, contractCall(contract, balanceOfData(w.Raw)))
	}
	var balances []money.Units
	err := a.pool.do(ctx, func(ctx context.Context, e *endpoint) (err error) {
		balances, err = readWords(ctx, e, calls, at.Number)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("balances on %s: %w", a.profile.Network, err)
	}
	return balances, nil
}

// words makes calls to contracts, the first of calls being the question for
// the newest block, which must have reached a number.
func readWords(ctx context.Context, e *endpoint, calls []call, number uint64) ([]money.Units, error) {
	results, err := e.results(ctx, calls...)
	if err != nil {
		return nil, err
	}
	if err := notBelow(results[0], number); err != nil {
		return nil, err
	}
	words := make([]money.Units, 0, len(results)-1)
	for _, raw := range results[1:] {
		word, ok := parseWord(raw)
		if !ok {
			return nil, malformed("a balance that is no number")
		}
		words = append(words, money.NewUnits(word))
	}
	return words, nil
}

// notBelow judges the answer to eth_blockNumber.
func notBelow(raw []byte, number uint64) error {
	head, ok := parseText(raw)
	if !ok {
		return malformed("eth_blockNumber")
	}
	if head < number {
		return fmt.Errorf("%w: block %d is not there yet", errLagging, number)
	}
	return nil
}

// reached fails with errLagging unless the endpoint knows a block with the
// number.
func requireBlock(ctx context.Context, e *endpoint, number uint64) error {
	results, err := e.results(ctx, call{method: "eth_blockNumber"})
	if err != nil {
		return err
	}
	return notBelow(results[0], number)
}

// contract returns the address of a known asset.
func (a *Adapter) contract(asset chain.Asset) (address, bool) {
	w, err := chain.ParseAddress(a.profile.Network, string(asset.Contract))
	if err != nil {
		return address{}, false
	}
	_, ok := a.assets[address(w.Raw)]
	return address(w.Raw), ok
}
