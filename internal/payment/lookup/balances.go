package lookup

import (
	"context"
	"slices"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/payment"
)

// parseAddress reads an address and returns the networks it can be on.
func parseAddress(text string) (chain.Address, []chain.Network, bool) {
	for _, part := range word.FindAllString(plain(text), -1) {
		if a, err := chain.ParseAddress(chain.Polygon, part); err == nil {
			return a.Address, []chain.Network{chain.BEP20, chain.Polygon, chain.Base}, true
		}
		if a, err := chain.ParseAddress(chain.Solana, part); err == nil {
			return a.Address, []chain.Network{chain.Solana}, true
		}
	}
	return "", nil, false
}

// byAddress says what became of the money sent from or to an address: by the
// stored deposits if there are any, else by the balances of the payment's
// addresses.
func (l *Finder) byAddress(ctx context.Context, p payment.Payment, a chain.Address, networks []chain.Network) Result {
	best := Result{}
	for _, d := range p.Deposits {
		if d.Transfer.From != a && d.Transfer.To != a && d.Transfer.Account != a {
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
func (l *Finder) byBalance(ctx context.Context, p payment.Payment, networks []chain.Network) Result {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	var best bestResult
	for _, n := range networks {
		reader, ok := l.readers[n]
		network, configured := l.payments.Network(n)
		if !ok || !configured {
			continue
		}
		for _, asset := range network.Profile.Assets {
			best.Go(func() Result { return l.judgeBalance(ctx, reader, p, network.Profile, asset) })
		}
		best.Go(func() Result { return l.byAccounts(ctx, reader, p, network.Profile) })
	}
	return best.Wait()
}

// judgeBalance judges what the payment's addresses hold of one asset.
func (l *Finder) judgeBalance(
	ctx context.Context, reader chain.Reader, p payment.Payment, profile chain.Profile, asset chain.Asset,
) Result {
	n := profile.Network
	addresses := addressesOn(p, n)
	if len(addresses) == 0 || hasDepositOf(p, n, asset) {
		return Result{Verdict: NotFound}
	}
	balances, err := reader.Balances(ctx, asset, addresses, l.payments.Health(n).Latest)
	if err != nil || len(balances) != len(addresses) {
		return Result{Verdict: Unavailable, Network: n}
	}
	best := Result{Verdict: NotFound}
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
func addressesOn(p payment.Payment, n chain.Network) []chain.Address {
	var addresses []chain.Address
	for _, r := range p.Routes {
		if n.SharesAddresses(r.Network) {
			addresses = append(addresses, r.Address.Address)
		}
	}
	return addresses
}

func hasDepositOf(p payment.Payment, n chain.Network, asset chain.Asset) bool {
	return slices.ContainsFunc(p.Deposits, func(d payment.Deposit) bool {
		return d.Transfer.Network == n && d.Transfer.Asset.Contract == asset.Contract &&
			d.State != payment.DepositVanished
	})
}
