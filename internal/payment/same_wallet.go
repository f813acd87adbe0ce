package payment

import (
	"slices"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
)

// A payer who sends another token, or on another EVM network, has paid if the
// merchant takes that: the forwarder at an address is the same on every EVM network
// where the settlement wallet is the same. What counts is fixed with the route.

// taking returns the route on which the merchant takes the tokens, the chosen one
// first.
func (r Route) taking(chosen money.Token) Route {
	tokens := []money.Token{chosen}
	for _, t := range r.Tokens {
		if t != chosen {
			tokens = append(tokens, t)
		}
	}
	r.Tokens = tokens
	return r
}

// sameWallet returns the route whose address the transfer pays on another network, if
// money counts there.
func (p Payment) sameWallet(t chain.Transfer) (Route, bool) {
	for _, r := range p.Routes {
		paid := Choice{Network: t.Network, Token: t.Asset.Token}
		if r.Address.Address == t.To && slices.Contains(r.Also, paid) {
			return r, true
		}
	}
	return Route{}, false
}

// WatchedOn returns the route whose address is watched on the network: the network's own, or one of another network
// where money to the same address counts.
func (p Payment) WatchedOn(n chain.Network) (Route, bool) {
	if r, ok := p.RouteOn(n); ok {
		return r, true
	}
	for _, r := range p.Routes {
		if slices.ContainsFunc(r.Also, func(c Choice) bool { return c.Network == n }) {
			return r, true
		}
	}
	return Route{}, false
}

// adoptRoutes adds a route for each other network on which money that counts has
// come, so that the payment waits for that network and its money is swept.
func (p *Payment) adoptRoutes() {
	for _, d := range p.Deposits {
		t := d.Transfer
		if d.State == DepositVanished || p.route(t.Network) >= 0 {
			continue
		}
		r, ok := p.sameWallet(t)
		if !ok {
			continue
		}
		adopted := Route{
			Network: t.Network, Address: r.Address, Settlement: r.Settlement, Scheme: r.Scheme, Since: r.Since,
		}
		for _, c := range r.Also {
			if c.Network == t.Network {
				adopted.Tokens = append(adopted.Tokens, c.Token)
			}
		}
		p.Routes = append(slices.Clone(p.Routes), adopted)
	}
}

// paidBy returns the choice that the payment was paid by: that of its newest
// deposit that counts, or the payer's own where nothing was received.
func (p Payment) paidBy() Choice {
	for _, d := range slices.Backward(p.Deposits) {
		if d.Transfer.Tx == p.Hash && p.Counts(d) && p.route(d.Transfer.Network) >= 0 {
			return Choice{Network: d.Transfer.Network, Token: d.Transfer.Asset.Token}
		}
	}
	return p.Choice
}
