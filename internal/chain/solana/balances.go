package solana

import (
	"context"
	"fmt"

	solanago "github.com/gagliardetto/solana-go"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/money"
)

// Balances returns what the associated accounts of the owners hold of the asset, from a node that has reached
// the slot of `at`.
func (a *Adapter) Balances(
	ctx context.Context, asset chain.Asset, addresses []chain.Address, at chain.Head,
) ([]money.Units, error) {
	m, ok := a.mint(asset.Contract)
	if !ok {
		return nil, fault.New(fault.Invalid, "%s is not an asset of %s", asset.Contract, a.profile.Network)
	}
	if gaveUp(ctx) {
		return nil, ctx.Err()
	}
	owners := make([]solanago.PublicKey, len(addresses))
	keys := make([]solanago.PublicKey, len(addresses))
	for i, text := range addresses {
		owner, err := parseKey(string(text))
		if err != nil {
			return nil, err
		}
		owners[i], keys[i] = owner, a.watched.addresses.associated(owner, m.key)
	}
	balances := make([]money.Units, len(addresses))
	err := a.pool.do(ctx, func(ctx context.Context, e *endpoint) error {
		held, err := e.holdings(ctx, keys, at.Number)
		if err != nil {
			return err
		}
		for i, h := range held {
			balances[i] = money.Units{}
			if h.valid && h.owner == owners[i] && h.mint == m.key {
				balances[i] = money.UnitsFromUint64(h.amount)
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("balances on %s: %w", a.profile.Network, err)
	}
	return balances, nil
}
