package solana

import (
	"context"
	"fmt"

	solanago "github.com/gagliardetto/solana-go"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/solana/rpc"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/money"
)

// Balances returns what the associated accounts of the owners hold of the asset, as a quorum of nodes says that have
// reached the slot of `at`.
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
	m, ok := a.mint(asset.Contract)
	if !ok {
		return nil, false, fault.New(fault.Invalid, "%s is not an asset of %s", asset.Contract, a.profile.Network)
	}
	if gaveUp(ctx) {
		return nil, false, ctx.Err()
	}
	owners := make([]solanago.PublicKey, len(addresses))
	keys := make([]solanago.PublicKey, len(addresses))
	for i, text := range addresses {
		owner, err := parseKey(string(text))
		if err != nil {
			return nil, false, err
		}
		owners[i], keys[i] = owner, a.addresses.Of(owner, m.key)
	}
	held, agreed, err = a.heldThrough(ctx, addresses, func(
		ctx context.Context, e *endpoint, part []int, balances []money.Units,
	) error {
		return e.patiently(ctx, at.Number, func() error {
			holdings, err := e.Holdings(ctx, pick(keys, part), at.Number)
			for k, h := range holdings {
				if i := part[k]; err == nil && h.Valid && h.Owner == owners[i] && h.Mint == m.key {
					balances[i] = money.UnitsFromUint64(h.Amount)
				}
			}
			return err
		})
	})
	if err != nil {
		err = fmt.Errorf("balances on %s: %w", a.profile.Network, err)
	}
	return held, agreed, err
}

// pick returns the keys at the places.
func pick(keys []solanago.PublicKey, places []int) []solanago.PublicKey {
	list := make([]solanago.PublicKey, len(places))
	for k, i := range places {
		list[k] = keys[i]
	}
	return list
}

// heldThrough asks for balances until a quorum agrees. read reads those at some places of the list; one for which an
// endpoint fails is found among the others.
func (a *Adapter) heldThrough(
	ctx context.Context, addresses []chain.Address,
	read func(ctx context.Context, e *endpoint, part []int, balances []money.Units) error,
) (held []money.Units, agreed bool, err error) {
	places := make([]int, len(addresses))
	for i := range places {
		places[i] = i
	}
	held, agreed, err = chain.Held(
		a.pool.voices(), a.pool.size(), addresses, func(e *endpoint) (chain.Balances, error) {
			b := chain.Balances{Held: make([]money.Units, len(addresses)), Unread: make(map[int]error)}
			err := a.pool.try(ctx, e, func(ctx context.Context, e *endpoint) error {
				return rpc.Isolated(ctx, new(rpc.Isolation), places, func(ctx context.Context, part []int) error {
					return read(ctx, e, part, b.Held)
				}, func(i int, err error) error { b.Unread[i] = e.named(err); return nil })
			})
			return b, e.named(err)
		})
	if gaveUp(ctx) {
		return nil, false, ctx.Err()
	}
	return held, agreed, err
}

// Coins returns the SOL of each address in lamports, as a quorum of nodes says that have reached the slot of `at`. The
// lamports of a token account are its rent and do not count.
func (a *Adapter) Coins(ctx context.Context, addresses []chain.Address, at chain.Head) ([]money.Units, error) {
	keys := make([]solanago.PublicKey, len(addresses))
	for i, text := range addresses {
		key, err := parseKey(string(text))
		if err != nil {
			return nil, err
		}
		keys[i] = key
	}
	held, agreed, err := a.heldThrough(ctx, addresses, func(
		ctx context.Context, e *endpoint, places []int, balances []money.Units,
	) error {
		return rpc.Each(ctx, places, rpc.AccountsPerCall, func(ctx context.Context, part []int, _ int) error {
			got, _, err := e.Accounts(ctx, pick(keys, part), at.Number)
			for k, r := range got {
				if r != nil && !r.Token() {
					balances[part[k]] = money.UnitsFromUint64(r.Lamports)
				}
			}
			return err
		})
	})
	if err == nil && !agreed {
		err = chain.ErrDisagree
	}
	if err != nil {
		return nil, fmt.Errorf("SOL of addresses: %w", err)
	}
	return held, nil
}

// Token returns any mint of either token program as an asset, and what the associated account of an owner
// holds of it. It fails with fault.Unprocessable where there is no mint. Unless the mint is one of the
// network's assets its symbol is its address, because anyone can choose the name of a mint.
func (a *Adapter) Token(ctx context.Context, contract, holder chain.Address) (chain.Asset, money.Units, error) {
	key, err := parseKey(string(contract))
	if err != nil {
		return chain.Asset{}, money.Units{}, err
	}
	owner, err := parseKey(string(holder))
	if err != nil {
		return chain.Asset{}, money.Units{}, err
	}
	var m rpc.Mint
	var held rpc.Holding
	err = a.pool.do(ctx, func(ctx context.Context, e *endpoint) (err error) {
		if m, err = e.Mint(ctx, key); err != nil || m.Program.IsZero() {
			return err
		}
		got, _, err := e.Accounts(ctx, []solanago.PublicKey{rpc.AccountOfProgram(owner, key, m.Program)}, 0)
		if err != nil {
			return err
		}
		held, err = got[0].HoldingOf(m.Program)
		return err
	})
	if err != nil {
		return chain.Asset{}, money.Units{}, fmt.Errorf("token %s on %s: %w", contract, a.profile.Network, err)
	}
	if m.Program.IsZero() {
		return chain.Asset{}, money.Units{}, fault.New(
			fault.Unprocessable, "there is no token at %s on %s", contract, a.profile.Network,
		)
	}
	asset := chain.Asset{
		Network: a.profile.Network, Contract: chain.Address(key.String()), Symbol: key.String(),
		Decimals: int(m.Decimals),
	}
	if known, ok := a.mint(asset.Contract); ok {
		asset = known.asset
	}
	if !held.Valid || held.Owner != owner {
		return asset, money.Units{}, nil
	}
	return asset, money.UnitsFromUint64(held.Amount), nil
}
