package solana

import (
	"context"
	"errors"
	"fmt"

	solanago "github.com/gagliardetto/solana-go"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/solana/rpc"
	"github.com/florinpay/florin/internal/fault"
)

// Check compares the cluster with the configuration: its genesis hash, that every asset is a mint of the token program
// with the expected decimals, and that the treasury can be a settlement wallet.
func (a *Adapter) Check(ctx context.Context) error {
	if gaveUp(ctx) {
		return ctx.Err()
	}
	keys := make([]solanago.PublicKey, len(a.mints))
	for i, m := range a.mints {
		keys[i] = m.key
	}
	var mints []*rpc.Account
	err := a.pool.do(ctx, func(ctx context.Context, e *endpoint) (err error) {
		mints, _, err = e.Accounts(ctx, keys, 0)
		return err
	})
	if err != nil {
		return fmt.Errorf("check %s: %w", a.profile.Network, clusterFault(err))
	}
	for i, m := range a.mints {
		if err := a.checkMint(m.asset, mints[i]); err != nil {
			return err
		}
	}
	if a.treasury == "" {
		return nil
	}
	if err := a.CheckWallet(ctx, a.treasury); err != nil {
		return fault.Within("FLORIN_"+string(a.profile.Network)+"_TREASURY", err)
	}
	return nil
}

// clusterFault explains an endpoint of another cluster to the operator.
func clusterFault(err error) error {
	wrong, ok := errors.AsType[wrongCluster](err)
	if !ok {
		return err
	}
	return fault.New(fault.Unprocessable, "the endpoint of SOL is of the cluster with genesis hash %s, and these mints are of %s; correct FLORIN_SOL_RPC or the mints",
		wrong.got, wrong.want)
}

func (a *Adapter) checkMint(asset chain.Asset, r *rpc.Account) error {
	n := a.profile.Network
	decimals, ok := r.Decimals()
	if !ok {
		return fault.New(fault.Unprocessable, "%s of %s: there is no mint of the token program at %s; correct %s",
			asset.Symbol, n, asset.Contract, asset.Advice(""))
	}
	if decimals != asset.Decimals {
		return fault.New(fault.Unprocessable, "%s of %s has %d decimals on the chain, not %d; correct %s",
			asset.Symbol, n, decimals, asset.Decimals, asset.Advice("_DECIMALS"))
	}
	return nil
}

// CheckWallet refuses an address that cannot be a settlement wallet: a token account, a mint, a program or an account
// that only a program can sign for, except the vaults of programs, which the system program owns. Tokens paid
// to the associated account of such an address could be moved by nobody. It fails with fault.Unavailable while no
// endpoint answers.
func (a *Adapter) CheckWallet(ctx context.Context, wallet chain.Address) error {
	return a.checkWallet(ctx, wallet, false)
}

// CheckPayee is CheckWallet for an address that somebody has typed to be paid at: one that has no key, and nothing on
// it yet, is more likely the address of an account of a program than a vault.
func (a *Adapter) CheckPayee(ctx context.Context, wallet chain.Address) error {
	return a.checkWallet(ctx, wallet, true)
}

func (a *Adapter) checkWallet(ctx context.Context, wallet chain.Address, exists bool) error {
	key, err := parseKey(string(wallet))
	if err != nil {
		return err
	}
	var r *rpc.Account
	err = a.pool.do(ctx, func(ctx context.Context, e *endpoint) error {
		got, _, err := e.Accounts(ctx, []solanago.PublicKey{key}, 0)
		if err == nil {
			r = got[0]
		}
		return err
	})
	if err != nil {
		return fault.New(fault.Unavailable, "this wallet could not be checked, since %s cannot be reached at the moment; try again later", a.profile.Name)
	}
	if r == nil {
		if exists && !key.IsOnCurve() {
			return fault.New(fault.Invalid,
				"nobody has the key of this address, and there is nothing on it; enter the address of a wallet")
		}
		return nil
	}
	if !r.Token() {
		switch {
		case r.Executable:
			return fault.New(fault.Invalid, "this is a program, not a wallet; money sent there is lost")
		case r.Owner != solanago.SystemProgramID.String() && !key.IsOnCurve():
			return fault.New(fault.Invalid, "this account belongs to a program and is not a wallet; enter the wallet that the program keeps for you, often called vault")
		}
		return nil
	}
	program, err := parseKey(r.Owner)
	if err != nil {
		return err
	}
	held, err := r.HoldingOf(program)
	if err != nil {
		return err
	}
	if held.Valid {
		return fault.New(fault.Invalid, "this is a token account, not a wallet; enter the wallet that owns it, %s", held.Owner)
	}
	return fault.New(fault.Invalid, "this is an account of a token program, not a wallet; money sent there is lost")
}
