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
		c = c.given()
		gained, more := c.Gained()
		if !more || gained == 0 {
			continue
		}
		to, holder := chain.Address(c.Account), chain.Address("")
		if c.Steady {
			holder = chain.Address(c.Owner)
		}
		if c.Steady && c.From == "" && c.Associated() {
			to = holder
		}
		transfers = append(transfers, chain.Transfer{
			Key:   chain.Key{Network: p.Network, Tx: chain.TxHash(signature), Ordinal: c.Index},
			Asset: AssetOf(p, c.Mint), From: Payer(changes, c.Mint), To: to, Units: c.Units(),
			Account: chain.Address(c.Account), Holder: holder,
		})
	}
	coins := t.Coins()
	for i, key := range t.Keys {
		if units, gained := coins[i]; gained {
			transfers = append(transfers, chain.Transfer{
				Key:   chain.Key{Network: p.Network, Tx: chain.TxHash(signature), Ordinal: i},
				Asset: p.CoinAsset(), From: chain.Address(t.Keys[0]), To: chain.Address(key), Units: units,
			})
		}
	}
	return transfers
}

// AssetOf returns the asset of a mint.
func AssetOf(p chain.Profile, mint string) chain.Asset {
	contract := chain.Address(mint)
	i := slices.IndexFunc(p.Assets, func(a chain.Asset) bool { return a.Contract == contract })
	if i < 0 {
		return chain.Asset{Network: p.Network, Contract: contract}
	}
	asset := p.Assets[i]
	asset.Network = p.Network
	return asset
}
