package evm

import (
	"context"
	"fmt"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/evm/rpc"
)

// Code returns whose the wallet at an address is, as a quorum of endpoints says: empty for an account without code,
// whose key serves on every EVM network, also where it has delegated to a contract (EIP-7702). A contract is the
// network's own: the same code elsewhere may belong to somebody else.
func (a *Adapter) Code(ctx context.Context, at chain.Address) (string, error) {
	w, err := chain.ParseAddress(a.profile.Network, string(at))
	if err != nil {
		return "", err
	}
	same := func(a, b string) bool { return a == b }
	code, err := chain.Agree(a.pool.Voices(), a.pool.Size(), same, func(e *rpc.Endpoint) (code string, err error) {
		err = a.pool.Try(ctx, e, func(ctx context.Context, e *rpc.Endpoint) (err error) {
			code, err = a.codeThrough(ctx, e, rpc.Address(w.Raw))
			return err
		})
		return code, fromEndpoint(e, err)
	})
	if err != nil {
		return "", fmt.Errorf("code at %s on %s: %w", at, a.profile.Network, err)
	}
	return code, nil
}

func (a *Adapter) codeThrough(ctx context.Context, e *rpc.Endpoint, at rpc.Address) (string, error) {
	replies, err := e.Ask(ctx, rpc.CodeCall(at))
	if err != nil {
		return "", err
	}
	_, size, err := rpc.CodeHash(replies[0])
	if err != nil || size == 0 || rpc.IsDelegation(replies[0]) {
		return "", err
	}
	return "a contract on " + string(a.profile.Network), nil
}
