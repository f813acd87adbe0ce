package payment

import (
	"context"
	"slices"
	"strings"

	"github.com/florinpay/florin/internal/chain"
)

// parseLookupAddress reads an address and returns the networks it can be on.
func parseLookupAddress(text string) (chain.Address, []chain.Network, bool) {
	text = strings.TrimSpace(text)
	if a, err := chain.ParseAddress(chain.Polygon, text); err == nil {
		return a.Address, []chain.Network{chain.BEP20, chain.Polygon, chain.Base}, true
	}
	if a, err := chain.ParseAddress(chain.Solana, text); err == nil {
		return a.Address, []chain.Network{chain.Solana}, true
	}
	return "", nil, false
}

// byAddress says what became of the money sent from or to an address: by the
// stored deposits if there are any, else by the balances of the payment's
// addresses.
func (l *Lookup) byAddress(ctx context.Context, p Payment, a chain.Address, networks []chain.Network) LookupResult {
	best := LookupResult{}
	for _, d := range p.Deposits {
		if d.Transfer.From != a && d.Transfer.To != a {
			continue
		}
		if r, ok := judgeStored(p, d.Transfer.Tx, l.finalIn, l.now()); ok {
			best = betterResult(best, r)
		}
	}
	if best.Verdict != "" {
		return best
	}
	return l.byBalance(ctx, p, networks)
}

// byBalance looks for money on the payment's addresses that no deposit
// accounts for. The sender does not matter: no other payment has these
// addresses.
func (l *Lookup) byBalance(ctx context.Context, p Payment, networks []chain.Network) LookupResult {
	ctx, cancel := context.WithTimeout(ctx, lookupTimeout)
	defer cancel()
	var best bestResult
	for _, n := range networks {
		reader, ok := l.readers[n]
		network, configured := l.payments.Network(n)
		if !ok || !configured {
			continue
		}
		for _, asset := range network.Profile.Assets {
			best.Go(func() LookupResult { return l.judgeBalance(ctx, reader, p, network.Profile, asset) })
		}
	}
	return best.Wait()
}

// judgeBalance judges what the payment's addresses hold of one asset.
func (l *Lookup) judgeBalance(
	ctx context.Context, reader chain.Reader, p Payment, profile chain.Profile, asset chain.Asset,
) LookupResult {
	n := profile.Network
	addresses := p.addressesOn(n)
	if len(addresses) == 0 || p.hasDepositOf(n, asset) {
		return LookupResult{Verdict: LookupNotFound}
	}
	balances, err := reader.Balances(ctx, asset, addresses, l.payments.Health(n).Latest)
	if err != nil || len(balances) != len(addresses) {
		return LookupResult{Verdict: LookupUnavailable, Network: n}
	}
	best := LookupResult{Verdict: LookupNotFound}
	for i, units := range balances {
		if units.IsZero() {
			continue
		}
		t := chain.Transfer{Key: chain.Key{Network: n}, Asset: asset, To: addresses[i], Units: units}
		best = betterResult(best, judgeTransfer(p, profile, t, false, l.finalIn(n)))
	}
	return best
}

// addressesOn returns the payment's addresses that money on the network can
// reach: an EVM address is the same on every EVM network.
func (p Payment) addressesOn(n chain.Network) []chain.Address {
	var addresses []chain.Address
	for _, r := range p.Routes {
		if r.Network == n || r.Network.EVM() && n.EVM() {
			addresses = append(addresses, r.Address.Address)
		}
	}
	return addresses
}

func (p Payment) hasDepositOf(n chain.Network, asset chain.Asset) bool {
	return slices.ContainsFunc(p.Deposits, func(d Deposit) bool {
		return d.Transfer.Network == n && d.Transfer.Asset.Contract == asset.Contract && d.State != DepositVanished
	})
}
