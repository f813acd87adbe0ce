package effect

import (
	"slices"

	"github.com/florinpay/florin/internal/chain"
)

// CoinDecimals is the scale of SOL in lamports.
const CoinDecimals = 9

// Transfers lists what the transaction moved, on the network of the profile: tokens by account, then SOL. A mint that
// is not an asset of the profile has an address only.
func (t *Transaction) Transfers(p chain.Profile, signature string) []chain.Transfer {
	var transfers []chain.Transfer
	changes := t.Changes()
	for _, c := range changes {
		gained, more := c.Gained()
		if !more || gained == 0 {
			continue
		}
		to := chain.Address(c.Account)
		if c.Steady && c.Associated() {
			to = chain.Address(c.Owner)
		}
		transfers = append(transfers, chain.Transfer{
			Key:   chain.Key{Network: p.Network, Tx: chain.TxHash(signature), Ordinal: c.Index},
			Asset: assetOf(p, c), From: Payer(changes, c.Mint), To: to, Units: c.Units(),
		})
	}
	coins := t.Coins()
	for i, key := range t.Keys {
		if units, gained := coins[i]; gained {
			transfers = append(transfers, chain.Transfer{
				Key:   chain.Key{Network: p.Network, Tx: chain.TxHash(signature), Ordinal: i},
				Asset: chain.Asset{Network: p.Network, Symbol: p.Coin, Decimals: CoinDecimals},
				From:  chain.Address(t.Keys[0]), To: chain.Address(key), Units: units,
			})
		}
	}
	return transfers
}

func assetOf(p chain.Profile, c Change) chain.Asset {
	contract := chain.Address(c.Mint)
	i := slices.IndexFunc(p.Assets, func(a chain.Asset) bool { return a.Contract == contract })
	if i < 0 {
		return chain.Asset{Network: p.Network, Contract: contract}
	}
	asset := p.Assets[i]
	asset.Network = p.Network
	return asset
}
