package payment

import (
	"crypto/sha256"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/mr-tron/base58"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
)

// LabelledURI adds to a link of Solana Pay who is paid.
func LabelledURI(link, merchant string) string {
	if !strings.HasPrefix(link, "solana:") || strings.HasPrefix(link, "solana:https:") {
		return link // a transaction request asks the server
	}
	return link + "&" + url.Values{"label": {uriText(merchant)}}.Encode()
}

// mostText is how much of a text a link holds, in characters: a code has little room.
const mostText = 60

func uriText(text string) string {
	if r := []rune(text); len(r) > mostText {
		return string(r[:mostText-1]) + "…"
	}
	return text
}

// uriReference is the key that a wallet names in its transaction, by which programs find it on the chain: a hash of the
// txnid, which nobody can sign for.
func uriReference(id ID) string {
	sum := sha256.Sum256([]byte("florin reference " + string(id)))
	return base58.Encode(sum[:])
}

// TransferURI returns the link with which a wallet fills in a transfer of the units of an asset to an address.
func TransferURI(profile chain.Profile, asset chain.Asset, to chain.Address, units money.Units) string {
	if profile.Network == chain.Solana {
		q := url.Values{"amount": {units.Format(asset.Decimals)}, "spl-token": {string(asset.Contract)}}
		return fmt.Sprintf("solana:%s?%s", to, q.Encode())
	}
	return "ethereum:" + string(asset.Contract) + "@" + strconv.FormatUint(profile.ChainID, 10) +
		"/transfer?address=" + string(to) + "&uint256=" + units.String()
}

// URI returns the link with which a wallet fills in the transfer of the missing
// amount (EIP-681 on EVM networks, Solana Pay on Solana), or an empty text for a
// payment that is not started. Some wallets read only the first address of an
// EIP-681 link, which is the token's, so show the plain address first.
func URI(p Payment, profile chain.Profile) string {
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
		q.Set("reference", uriReference(p.ID))
		if p.Description != "" {
			q.Set("message", uriText(p.Description))
		}
		return fmt.Sprintf("solana:%s?%s", route.Address.Address, q.Encode())
	}
	return TransferURI(profile, asset, route.Address.Address, due.Units(asset.Decimals))
}
