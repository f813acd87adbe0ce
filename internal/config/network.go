package config

import (
	"errors"
	"fmt"
	"slices"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/secret"
)

// settings lists the settings of the network, which overwrite parts of the compiled-in profile.
func (n *Network) settings() []setting {
	p := &n.Profile
	name, address := string(p.Network)+"_", address(p.Network)
	list := []setting{hidden(name+"RPC", "", maskEndpoints, &n.RPC, listed(addEndpoint))}
	for i := range p.Assets {
		if a := &p.Assets[i]; a.Token != "" {
			list = append(list,
				plain(name+string(a.Token), "", &a.Contract, address),
				plain(
					name+string(a.Token)+"_DECIMALS", "", &a.Decimals, whole[int](money.MinDecimals, money.MaxDecimals),
				))
		}
	}
	if p.Network.EVM() {
		list = append(list,
			plain(name+"CHAIN_ID", "", &p.ChainID, parseChainID),
			plain(name+"RATE_FEEDS", "", &n.RateFeeds, listed(addFeed(p.Network))))
	}
	list = append(list,
		plain(name+"RPC_BUDGET", "100000", &n.RPCBudget, listed(addBudget)),
		plain(name+"ALONE", string(chain.AloneSmall), &n.Alone,
			oneOf(chain.AloneStop, chain.AloneSmall, chain.AloneAll)),
		plain(name+"FINALITY", "", &p.Finality, chain.ParseFinality),
		plain(name+"EXPLORER", "", &p.Explorer, parsePublicURL))
	for i := range list {
		list[i].compiled = list[i].fallback == ""
	}
	return append(list, plain(name+"TREASURY", "", &n.Treasury, address))
}

// coinPrices are what native coins are taken to cost: the upper end of their prices in November 2026, so that no sweep
// costs more than it brings. They only weigh gas of some cents against what a sweep brings, so nobody keeps them up.
var coinPrices = map[chain.Network]money.Micros{
	chain.BEP20: 1000 * money.USD, chain.Polygon: money.USD / 4, chain.Base: 3000 * money.USD,
	chain.Solana: 150 * money.USD,
}

// compiledIn says of every network what is compiled in, whether or not it is on and what replaces it.
func compiledIn() (lines []string) {
	for _, p := range chain.Profiles() {
		name := string(p.Network)
		if p.ChainID > 0 {
			lines = append(lines, fmt.Sprintf("# %s, compiled in: chain id %d", name, p.ChainID))
		}
		lines = append(lines, fmt.Sprintf("# %s, compiled in: finality %s, explorer %s", name, p.Finality, p.Explorer))
		for _, a := range p.Assets {
			as := "counts as " + string(a.Token)
			if a.Token == "" {
				as = "watched, never counted"
			}
			lines = append(lines, fmt.Sprintf("# %s, compiled in: %s %s, %d decimals, %s", name, a.Symbol, a.Contract,
				a.Decimals, as))
		}
	}
	return lines
}

// complete derives the settings of the network that are not set from those that are, and checks that they agree. A
// network without an endpoint is off.
//
// The compiled-in contracts belong to one chain. Once a contract or the chain id is another, the network is a test
// network where none of them exists: only the contracts that are set count, no bridged twin is watched, and a payer's
// wallet must not be sent to the real chain.
func (n *Network) complete(compiled chain.Profile, set map[string]bool) (on bool, problems Problems) {
	p, name := &n.Profile, prefix+string(n.Profile.Network)
	all := p.Assets
	if len(n.RPC) == 0 {
		clear(all) // the settings point into it and print what they find
		*n = Network{}
		return false, nil
	}
	contractSet := func(a chain.Asset) bool { return a.Token != "" && set[name+"_"+string(a.Token)] }
	if p.ChainID == compiled.ChainID && !slices.ContainsFunc(all, contractSet) {
		n.RateFeeds = n.RateFeeds.over(chain.Feeds(p.Network))
	} else {
		n.RateFeeds = n.RateFeeds.over(nil)
	}
	n.CoinPrice = coinPrices[p.Network]
	if slices.ContainsFunc(all, contractSet) {
		p.Assets, n.CoinPrice = onlySet(all, contractSet), 0
		p.WalletRPC = "" // of the real chain
		if !slices.ContainsFunc(n.RPC, func(e secret.Text) bool { return !onThisMachine(e.Reveal()) }) {
			n.MaxGasPrice = testGasPrice
		}
		if !p.Network.EVM() {
			p.Cluster, p.IndexLag = cluster(p.Assets), 0
		}
	} else if p.ChainID != compiled.ChainID {
		problems.add(name+"_CHAIN_ID",
			fmt.Errorf("is not the chain of the compiled-in tokens; set %s_USDT or %[1]s_USDC too", name))
	}
	if p.Finality != compiled.Finality && p.Finality.Depth > 0 {
		p.TypicalFinal = p.Finality.Depth
	}
	for i, a := range p.Assets {
		if slices.ContainsFunc(p.Assets[:i], func(b chain.Asset) bool { return b.Contract == a.Contract }) {
			problems.add(name+"_"+a.Symbol, errors.New("is the contract of another token too"))
		}
		if a.Contract == n.Treasury {
			problems.add(name+"_TREASURY", fmt.Errorf("is the contract of %s, not a wallet", a.Symbol))
		}
	}
	return true, problems
}

// testGasPrice is the most a sweep pays for a unit of gas where test tokens are on a chain of this machine, in wei:
// coins cost nothing there.
var testGasPrice = money.UnitsFromUint64(1_000_000_000_000)

// cluster names the chain of Solana to wallets by its mints, which are not mainnet's: Circle's test USDC is on devnet.
func cluster(mints []chain.Asset) string {
	const devnetUSDC = "4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU"
	if slices.ContainsFunc(mints, func(a chain.Asset) bool { return a.Contract == devnetUSDC }) {
		return "devnet"
	}
	return "localnet"
}

// onlySet returns the assets whose contract is set. The others, compiled in for the main network, are cleared in place:
// the settings point to them and print what they find.
func onlySet(all []chain.Asset, contractSet func(chain.Asset) bool) (kept []chain.Asset) {
	for i, a := range all {
		if contractSet(a) {
			kept = append(kept, a)
		} else {
			all[i] = chain.Asset{}
		}
	}
	return kept
}
