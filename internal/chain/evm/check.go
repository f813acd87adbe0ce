package evm

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"

	"golang.org/x/crypto/sha3"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/evm/contracts"
	"github.com/florinpay/florin/internal/fault"
)

// ErrNoFactory: the network lacks the contract that deposit addresses come
// from; `florin deploy` puts it there.
var ErrNoFactory = errors.New("no forwarder factory")

// Check asks the chain whether it is the one configured: chain id, the
// decimals of every asset, and the code of the forwarder factory and of what
// its forwarders run.
func (a *Adapter) Check(ctx context.Context) error {
	calls, contractsOf := a.checkCalls()
	var replies []reply
	err := a.pool.do(ctx, func(ctx context.Context, e *endpoint) (err error) {
		replies, err = e.ask(ctx, calls...)
		return err
	})
	if err != nil {
		return fmt.Errorf("check %s: %w", a.profile.Network, err)
	}
	for i, contract := range contractsOf {
		if err := a.checkDecimals(a.assets[contract], replies[i]); err != nil {
			return err
		}
	}
	return a.checkCode(replies[len(contractsOf):])
}

// checkCalls asks for the decimals of every asset, then for the code of the
// factory and of the implementation.
func (a *Adapter) checkCalls() ([]call, []address) {
	var calls []call
	var list []address
	for contract := range a.assets {
		list = append(list, contract)
		calls = append(calls, contractCall(contract, decimalsSelector))
	}
	factory := contracts.FactoryAddress()
	return append(calls, codeCall(address(factory)), codeCall(address(contracts.ImplementationAddress(factory)))), list
}

func codeCall(at address) call { return call{"eth_getCode", []any{at.String(), "latest"}} }

func (a *Adapter) checkDecimals(asset chain.Asset, r reply) error {
	n := a.profile.Network
	decimals, ok := parseWord(r.result)
	if r.err != nil || !ok {
		return fault.New(fault.Unprocessable, "%s of %s: there is no token at %s on chain %d; correct FLORIN_%s_%s or the chain id",
			asset.Symbol, n, asset.Contract, a.profile.ChainID, n, asset.Symbol)
	}
	if !decimals.IsInt64() || decimals.Int64() != int64(asset.Decimals) {
		return fault.New(fault.Unprocessable, "%s of %s has %s decimals on the chain, not %d; correct FLORIN_%s_%s_DECIMALS or the contract",
			asset.Symbol, n, decimals, asset.Decimals, n, asset.Symbol)
	}
	return nil
}

// checkCode compares the code of the factory and of the implementation with
// what Florin was built with.
func (a *Adapter) checkCode(replies []reply) error {
	want := []struct {
		name string
		hash hash
	}{
		{"forwarder factory", hash(contracts.FactoryCodeHash)},
		{"forwarder implementation", hash(contracts.ImplementationCodeHash)},
	}
	for i, w := range want {
		got, size, err := codeHash(replies[i])
		switch {
		case err != nil:
			return fmt.Errorf("check %s: code of the %s: %w", a.profile.Network, w.name, err)
		case size == 0:
			return fmt.Errorf("%w: %w", ErrNoFactory, fault.New(fault.Unprocessable,
				"deposit addresses on %[1]s need the forwarder factory, which is not deployed; run `florin deploy --network %[1]s`", a.profile.Network))
		case got != w.hash:
			return fault.New(fault.Unprocessable, "the %s on %s has other code than this version of Florin expects; use the version that deployed it",
				w.name, a.profile.Network)
		}
	}
	return nil
}

// codeHash returns the Keccak-256 of the code in answer to eth_getCode.
func codeHash(r reply) (h hash, size int, err error) {
	if r.err != nil {
		return h, 0, callFailure(r.err)
	}
	raw := r.result
	if len(raw) < 4 || string(raw[:3]) != `"0x` || raw[len(raw)-1] != '"' {
		return h, 0, malformed("eth_getCode")
	}
	code, err := hex.DecodeString(string(raw[3 : len(raw)-1]))
	if err != nil {
		return h, 0, malformed("eth_getCode")
	}
	keccak := sha3.NewLegacyKeccak256()
	keccak.Write(code)
	keccak.Sum(h[:0])
	return h, len(code), nil
}
