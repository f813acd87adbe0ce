package solana

import (
	"context"
	"fmt"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/solana/effect"
	"github.com/florinpay/florin/internal/chain/solana/rpc"
	"github.com/florinpay/florin/internal/fault"
)

// coinDecimals is the scale of SOL in lamports.
const coinDecimals = 9

// Find looks up a transaction and returns everything it moved to any recipient: tokens of any mint, and SOL,
// whose Asset has no contract. The recipient of a token is the owner of the receiving account if that is the
// associated one, else the account itself. A failed transaction moved nothing. A mint that is not an asset of the
// network is named by its address alone, because anyone can choose the name of a mint.
func (a *Adapter) Find(ctx context.Context, tx chain.TxHash) (chain.Found, error) {
	signature, ok := rpc.ParseSignature(tx)
	if !ok {
		return chain.Found{}, fault.New(fault.Invalid, "a transaction of %s is known by its signature, the base58 text of 64 bytes", a.profile.Network)
	}
	if gaveUp(ctx) {
		return chain.Found{}, ctx.Err()
	}
	found, err := chain.Agree(a.pool.ready(), len(a.pool.endpoints), chain.Found.Same,
		func(e *endpoint) (found chain.Found, err error) {
			err = a.pool.try(ctx, e, func(ctx context.Context, e *endpoint) (err error) {
				found, err = a.find(ctx, e, signature)
				return err
			})
			return found, e.named(err)
		})
	if gaveUp(ctx) {
		return chain.Found{}, ctx.Err()
	}
	if err != nil {
		return chain.Found{}, fmt.Errorf("transaction %s on %s: %w", signature, a.profile.Network, err)
	}
	return found, nil
}

// find is Find through one endpoint.
func (a *Adapter) find(ctx context.Context, e *endpoint, signature string) (chain.Found, error) {
	statuses, err := e.Statuses(ctx, []string{signature})
	if err != nil {
		return chain.Found{}, err
	}
	st := statuses[signature]
	if st == nil {
		return chain.Found{}, nil
	}
	if !st.Included() {
		return chain.Found{Exists: true}, nil
	}
	r := newCache(e)
	t, err := r.transaction(ctx, signature)
	if err != nil {
		return chain.Found{}, err
	}
	found := chain.Found{Exists: true, Failed: t.Failed(), Final: st.Final()}
	if found.Block, err = r.head(ctx, t.Slot); err != nil {
		return chain.Found{}, err
	}
	if !found.Failed {
		found.Transfers = a.moved(t, signature)
	}
	for i := range found.Transfers {
		found.Transfers[i].Block, found.Transfers[i].Source = found.Block, e.Name
	}
	return found, nil
}

// moved lists what a transaction moved: tokens by account, then SOL.
func (a *Adapter) moved(t *effect.Transaction, signature string) []chain.Transfer {
	var transfers []chain.Transfer
	changes := t.Changes()
	for _, c := range changes {
		gained, more := c.Gained()
		if !more || gained == 0 {
			continue
		}
		to := chain.Address(c.Account)
		if c.Steady && owned(c) {
			to = chain.Address(c.Owner)
		}
		transfers = append(transfers, chain.Transfer{
			Key:   chain.Key{Network: a.profile.Network, Tx: chain.TxHash(signature), Ordinal: c.Index},
			Asset: a.assetAt(c), From: effect.Payer(changes, c.Mint), To: to, Units: c.Units(),
		})
	}
	coins := t.Coins()
	for i, key := range t.Keys {
		if units, gained := coins[i]; gained {
			transfers = append(transfers, chain.Transfer{
				Key:   chain.Key{Network: a.profile.Network, Tx: chain.TxHash(signature), Ordinal: i},
				Asset: chain.Asset{Network: a.profile.Network, Symbol: a.profile.Coin, Decimals: coinDecimals},
				From:  chain.Address(t.Keys[0]), To: chain.Address(key), Units: units,
			})
		}
	}
	return transfers
}

// assetAt returns the asset of the change's mint, with nothing but the address if the mint is unknown.
func (a *Adapter) assetAt(c effect.Change) chain.Asset {
	if m, ok := a.mint(chain.Address(c.Mint)); ok {
		return m.asset
	}
	return chain.Asset{Network: a.profile.Network, Contract: chain.Address(c.Mint)}
}
