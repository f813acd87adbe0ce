// Package uri writes the links with which wallets fill in a transfer.
package uri

import (
	"fmt"
	"net/url"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/payment"
)

// Of returns the link with which a wallet fills in the transfer of the missing
// amount (EIP-681 on EVM networks, Solana Pay on Solana), or an empty text for a
// payment that is not started. Some wallets read only the first address of an
// EIP-681 link, which is the token's, so show the plain address first.
func Of(p payment.Payment, profile chain.Profile) string {
	route, ok := p.Route()
	asset, known := profile.Asset(p.Choice.Token)
	if !ok || !known {
		return ""
	}
	due := p.Due()
	if profile.Network == chain.Solana {
		q := url.Values{}
		q.Set("amount", due.String())
		q.Set("spl-token", string(asset.Contract))
		return fmt.Sprintf("solana:%s?%s", route.Address.Address, q.Encode())
	}
	return fmt.Sprintf("ethereum:%s@%d/transfer?address=%s&uint256=%s",
		asset.Contract, profile.ChainID, route.Address.Address, due.Units(asset.Decimals))
}
