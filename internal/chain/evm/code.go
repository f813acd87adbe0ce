package evm

import (
	"context"
	"fmt"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/evm/rpc"
	"github.com/florinpay/florin/internal/fault"
)

// Code returns the Keccak-256 of the code at an address in the newest block; empty
// for an account without code, whose key serves on every EVM network. So does the
// key of an account that has delegated to a contract (EIP-7702). With two
// endpoints both must say the same.
func (a *Adapter) Code(ctx context.Context, at chain.Address) (string, error) {
	w, err := chain.ParseAddress(a.profile.Network, string(at))
	if err != nil {
		return "", err
	}
	var first, second string
	var asked *rpc.Endpoint
	read := func(into *string) func(context.Context, *rpc.Endpoint) error {
		return func(ctx context.Context, e *rpc.Endpoint) (err error) {
			asked = e
			*into, err = codeThrough(ctx, e, rpc.Address(w.Raw))
			return err
		}
	}
	err = a.pool.Do(ctx, read(&first))
	if err == nil && !a.pool.Single() {
		name := asked.Name()
		if err = a.pool.Among(ctx, a.pool.Without(name), read(&second)); err == nil && first != second {
			err = fault.New(fault.Unavailable, "%s and %s disagree about the code at %s", name, asked.Name(), at)
		}
	}
	if err != nil {
		return "", fmt.Errorf("code at %s on %s: %w", at, a.profile.Network, err)
	}
	return first, nil
}

func codeThrough(ctx context.Context, e *rpc.Endpoint, at rpc.Address) (string, error) {
	replies, err := e.Ask(ctx, rpc.CodeCall(at))
	if err != nil {
		return "", err
	}
	hash, size, err := rpc.CodeHash(replies[0])
	if err != nil || size == 0 || rpc.IsDelegation(replies[0]) {
		return "", err
	}
	return hash.String(), nil
}
