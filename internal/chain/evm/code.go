package evm

import (
	"context"
	"fmt"
	"strings"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/evm/rpc"
	"github.com/florinpay/florin/internal/fault"
)

// Code returns what identifies the wallet at an address in the newest block: empty
// for an account without code, whose key serves on every EVM network. So does the
// key of an account that has delegated to a contract (EIP-7702). A contract is
// identified by the Keccak-256 of its code and by its owners: proxies have the same
// code, whoever they belong to, so one that names no owners is like none on another
// network. With two endpoints both must say the same.
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
			*into, err = a.codeThrough(ctx, e, rpc.Address(w.Raw))
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

// Selectors of the functions by which contract wallets name who controls them.
const (
	safeOwners    = "0xa0e67e2b" // getOwners() of a Safe
	safeThreshold = "0xe75235b8" // getThreshold() of a Safe
	erc173Owner   = "0x8da5cb5b" // owner() of ERC-173
)

func (a *Adapter) codeThrough(ctx context.Context, e *rpc.Endpoint, at rpc.Address) (string, error) {
	replies, err := e.Ask(ctx, rpc.CodeCall(at))
	if err != nil {
		return "", err
	}
	hash, size, err := rpc.CodeHash(replies[0])
	if err != nil || size == 0 || rpc.IsDelegation(replies[0]) {
		return "", err
	}
	owners, err := ownersThrough(ctx, e, at)
	if err != nil {
		return "", err
	}
	if owners == "" && rpc.MayDelegateCall(replies[0]) {
		owners = string(a.profile.Network)
	}
	return hash.String() + owners, nil
}

// ownersThrough returns what the contract answers of its owners, empty if it names none.
func ownersThrough(ctx context.Context, e *rpc.Endpoint, at rpc.Address) (string, error) {
	replies, err := e.Ask(ctx, rpc.ContractCall(at, safeOwners), rpc.ContractCall(at, safeThreshold),
		rpc.ContractCall(at, erc173Owner))
	if err != nil {
		return "", err
	}
	var owners strings.Builder
	for _, r := range replies {
		switch {
		case r.Err != nil && !rpc.Reverted(r.Err):
			return "", rpc.CallError(r.Err)
		case r.Err == nil && len(r.Result) > len(`"0x"`):
			owners.WriteString(" " + strings.ToLower(string(r.Result)))
		}
	}
	return owners.String(), nil
}
