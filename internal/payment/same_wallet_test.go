package payment_test

import (
	"slices"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
)

// anyWay is a route on Polygon of a merchant who takes both tokens there, and USDT at the same wallet on BNB Smart
// Chain.
func anyWay() payment.Route {
	r := routeOn(chain.Polygon)
	r.Tokens = []money.Token{money.USDT, money.USDC}
	r.Also = []payment.Choice{{Network: chain.BEP20, Token: money.USDT}}
	return r
}

// startedAnyWay is a payment of 10 that is to be made in USDT on Polygon.
func startedAnyWay(t *testing.T) payment.Payment {
	t.Helper()
	choice := payment.Choice{Network: chain.Polygon, Token: money.USDT}
	c, err := pending(t, "10").Start(choice, anyWay(), ttl, t0)
	if err != nil {
		t.Fatal(err)
	}
	return c.Payment
}

// TestObserve_OtherToken: the other token that the merchant takes on the network completes the payment, and names it.
func TestObserve_OtherToken(t *testing.T) {
	t.Parallel()
	p := startedAnyWay(t)
	if want := []money.Token{money.USDT, money.USDC}; !slices.Equal(p.Routes[0].Tokens, want) {
		t.Fatalf("the route takes %v, want %v", p.Routes[0].Tokens, want)
	}
	to := p.Routes[0].Address.Address
	half := view(chain.Polygon, 1, 5, 5, paidTo(to, usdcPolygon, "4000000", 3, "part"))
	p = observe(t, p, half, t0).Payment
	if p.Status != payment.Started || p.Choice.Token != money.USDT || p.Missing() != 6*money.USD {
		t.Fatalf("%s in %s with %s missing", p.Status, p.Choice.Token, p.Missing())
	}
	p = observe(t, p, view(chain.Polygon, 6, 9, 9, paidTo(to, usdcPolygon, "6000000", 7, "rest")), t0).Payment
	if p.Status != payment.Completed || p.Choice.Token != money.USDC || p.Hash != "rest" {
		t.Errorf("%s in %s by %s", p.Status, p.Choice.Token, p.Hash)
	}
}

// TestObserve_OtherNetwork: so does money on another EVM network that the merchant takes at the same wallet. The
// payment then has a route there, so that it waits for that network and its money is swept.
func TestObserve_OtherNetwork(t *testing.T) {
	t.Parallel()
	p := startedAnyWay(t)
	to := p.Routes[0].Address.Address
	half := view(chain.BEP20, 1, 5, 5, paidTo(to, usdtBSC, "4000000000000000000", 3, "part"))
	p = observe(t, p, half, t0.Add(time.Minute)).Payment
	if len(p.Routes) != 2 || p.Routes[1].Network != chain.BEP20 || p.Routes[1].Settlement != p.Routes[0].Settlement ||
		p.Routes[1].Address.Address != to || !p.Routes[1].Since.Equal(p.Routes[0].Since) {
		t.Fatalf("routes %+v", p.Routes)
	}
	if p.Choice.Network != chain.Polygon || p.Received().Micros() != 4*money.USD {
		t.Fatalf("%s received on %s", p.Received().Micros(), p.Choice.Network)
	}
	only := payment.Coverage{chain.Polygon: p.ExpiresAt}
	if c, _ := p.Expire(only, p.ExpiresAt); c.Payment.Status != payment.Started {
		t.Error("it expires while a network with its money is not read")
	}
	p = observe(t, p, view(chain.BEP20, 6, 9, 9, paidTo(to, usdtBSC, "6000000000000000000", 7, "rest")), t0).Payment
	if p.Status != payment.Completed || p.Choice != (payment.Choice{Network: chain.BEP20, Token: money.USDT}) ||
		p.Hash != "rest" || len(p.Routes) != 2 {
		t.Errorf("%s by %s in %v, on %d routes", p.Status, p.Hash, p.Choice, len(p.Routes))
	}
	if r, ok := p.Route(); !ok || r.Address.Address != to {
		t.Error("the completed payment has no address")
	}
}

// TestObserve_NotTaken: what the merchant does not take does not count, and makes no route.
func TestObserve_NotTaken(t *testing.T) {
	t.Parallel()
	p := startedAnyWay(t)
	to := p.Routes[0].Address.Address
	for name, v := range map[string]payment.View{
		"OtherAddress": view(chain.BEP20, 1, 5, 5, transfer(usdtBSC, "10000000000000000000", 3, "a", "x")),
		"BridgedTwin":  view(chain.Polygon, 1, 5, 5, paidTo(to, bridged, "10000000", 3, "x")),
		"OtherToken":   view(chain.BEP20, 1, 5, 5, paidTo(to, usdcBSC(), "10000000000000000000", 3, "x")),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := observe(t, p, v, t0)
			if c.Payment.Status != payment.Started || len(c.Payment.Routes) != 1 || !c.Payment.Received().IsZero() {
				t.Errorf(
					"%s with %s on %d routes", c.Payment.Status, c.Payment.Received().Micros(), len(c.Payment.Routes),
				)
			}
		})
	}
}

// usdcBSC is the other token of BNB Smart Chain.
func usdcBSC() chain.Asset {
	a := usdtBSC
	a.Contract, a.Symbol, a.Token = "0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d", "USDC", money.USDC
	return a
}

// paidTo is a transfer to the address.
func paidTo(to chain.Address, a chain.Asset, units string, block uint64, tx string) chain.Transfer {
	t := transfer(a, units, block, "a", tx)
	t.To = to
	return t
}

// TestExpire_SameWallet: a payment waits for every network where its money counts, as far as it is read at all.
func TestExpire_SameWallet(t *testing.T) {
	t.Parallel()
	p := startedAnyWay(t)
	over := p.ExpiresAt.Add(time.Minute)
	for name, c := range map[string]struct {
		covered payment.Coverage
		want    payment.Status
	}{
		"BothRead":         {payment.Coverage{chain.Polygon: over, chain.BEP20: p.ExpiresAt}, payment.Expired},
		"SameWalletBehind": {payment.Coverage{chain.Polygon: over, chain.BEP20: p.ExpiresAt.Add(-1)}, payment.Started},
		"SameWalletUnread": {payment.Coverage{chain.Polygon: over, chain.BEP20: {}}, payment.Started},
		"SameWalletIsOff":  {payment.Coverage{chain.Polygon: over}, payment.Expired},
		"OwnUnread":        {payment.Coverage{chain.BEP20: over}, payment.Started},
		"OtherIsUnrelated": {payment.Coverage{chain.Polygon: over, chain.Base: {}}, payment.Expired},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := p.Expire(c.covered, over)
			if err != nil || got.Payment.Status != c.want {
				t.Errorf("%s, %v; want %s", got.Payment.Status, err, c.want)
			}
		})
	}
}
