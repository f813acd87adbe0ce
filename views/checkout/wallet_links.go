package checkout

import (
	"net/url"
	"strings"
)

// WalletLink opens a page in the browser inside of a wallet app, where the wallet can pay from the page.
type WalletLink struct {
	ID, Name, Href string
}

// coinIDs are the networks in Trust Wallet's registry (trustwallet/wallet-core, registry.json).
var coinIDs = map[string]string{"BEP20": "20000714", "POLYGON": "966", "BASE": "8453", "SOL": "501"}

// WalletLinks are links that open the page in the wallets of a network, in the formats their makers document:
//
//	MetaMask      docs.metamask.io, "Use deeplinks"
//	Trust Wallet  developer.trustwallet.com, "Deep Linking"
//	OKX Wallet    web3.okx.com, "App Universal Link"
//	Phantom       docs.phantom.com, "Browse"
//	Solflare      docs.solflare.com, "Browse"
//
// Wallets open pages over https only, so there are none for another page.
func WalletLinks(network, page string) []WalletLink {
	u, err := url.Parse(page)
	if err != nil || u.Scheme != "https" || u.Host == "" || coinIDs[network] == "" {
		return nil
	}
	at, site := url.QueryEscape(page), url.QueryEscape("https://"+u.Host)
	trust := WalletLink{
		"trust", "Trust", "https://link.trustwallet.com/open_url?coin_id=" + coinIDs[network] + "&url=" + at,
	}
	okx := WalletLink{
		"okx", "OKX",
		"https://web3.okx.com/download?deeplink=" + url.QueryEscape("okx://wallet/dapp/url?dappUrl="+at),
	}
	if network == "SOL" {
		return []WalletLink{
			{"phantom", "Phantom", "https://phantom.app/ul/browse/" + at + "?ref=" + site},
			{"solflare", "Solflare", "https://solflare.com/ul/v1/browse/" + at + "?ref=" + site},
			trust, okx,
		}
	}
	metamask := WalletLink{"metamask", "MetaMask", "https://link.metamask.io/dapp/" + strings.TrimPrefix(page, "https://")}
	return []WalletLink{metamask, trust, okx}
}

// walletLinks open this page in the wallets of the payment's network.
func (p Props) walletLinks() []WalletLink {
	if p.Origin == "" || p.Pay == nil {
		return nil
	}
	return WalletLinks(p.Pay.Network, p.Origin+WithVia(p.at(ViewNow), ViaWallet))
}

// WithVia adds where the money is to the address of a checkout page.
func WithVia(page string, via Via) string {
	if via != ViaWallet {
		return page
	}
	return page + "&via=" + string(via)
}
