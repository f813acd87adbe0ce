package payment_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
)

var t0 = time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)

const ttl = 30 * time.Minute

var (
	usdcPolygon = chain.Asset{Network: chain.Polygon, Contract: "0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359", Symbol: "USDC", Decimals: 6, Token: money.USDC}
	usdtPolygon = chain.Asset{Network: chain.Polygon, Contract: "0xc2132D05D31c914a87C6611C10748AEb04B58e8F", Symbol: "USDT", Decimals: 6, Token: money.USDT}
	bridged     = chain.Asset{Network: chain.Polygon, Contract: "0x2791Bca1f2de4661ED88A30C99A7a9449Aa84174", Symbol: "USDC.e", Decimals: 6}
	usdtBSC     = chain.Asset{Network: chain.BEP20, Contract: "0x55d398326f99059fF775485246999027B3197955", Symbol: "USDT", Decimals: 18, Token: money.USDT}
)

func pending(t testing.TB, amount string) payment.Payment {
	t.Helper()
	m, err := money.ParseMicros("amount", amount)
	if err != nil {
		t.Fatal(err)
	}
	c := payment.New(payment.Request{
		ID: "01KAJ0000000000000000000AA", KeyID: 7, Kind: payment.KindMerchant, Amount: m, ValidFor: time.Hour,
	}, t0)
	c.Payment.Number = 1
	return c.Payment
}

func routeOn(n chain.Network) payment.Route {
	raw := make([]byte, 20)
	raw[0], raw[19] = 1, byte(len(n))
	return payment.Route{
		Network: n, Address: chain.AddressOf(n, raw), Settlement: "0x9858EfFD232B4033E47d90003D41EC34EcaEda94",
		Scheme: chain.SchemeTxnID,
	}
}

func mustStart(t testing.TB, p payment.Payment, n chain.Network, tok money.Token, now time.Time) payment.Payment {
	t.Helper()
	c, err := p.Start(payment.Choice{Network: n, Token: tok}, routeOn(n), ttl, now)
	if err != nil {
		t.Fatal(err)
	}
	return c.Payment
}

func started(t testing.TB, amount string) payment.Payment {
	t.Helper()
	return mustStart(t, pending(t, amount), chain.Polygon, money.USDC, t0.Add(time.Minute))
}

// transfer is money in a block whose hash follows from fork, so that a reorg
// is the same number with another fork.
func transfer(a chain.Asset, units string, block uint64, fork string, tx string) chain.Transfer {
	u, err := money.ParseUnits(units)
	if err != nil {
		panic(err)
	}
	return chain.Transfer{
		Key: chain.Key{
			Network: a.Network, Tx: chain.TxHash(tx),
		}, Asset: a, To: routeOn(a.Network).Address.Address, Units: u,
		Block: chain.Head{
			Number: block, Hash: fmt.Sprint(fork, block), Time: t0.Add(time.Duration(block) * time.Second),
		},
	}
}

func view(n chain.Network, from, to, final uint64, ts ...chain.Transfer) payment.View {
	h := chain.Head{Number: final, Time: t0.Add(time.Duration(final) * time.Second)}
	return payment.View{Network: n, From: from, To: to, Final: h, Finalized: h, Transfers: ts}
}

func observe(t testing.TB, p payment.Payment, v payment.View, now time.Time) payment.Change {
	t.Helper()
	c, err := p.Observe(v, now)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func types(c payment.Change) []payment.EventType {
	var ts []payment.EventType
	for _, e := range c.Events {
		ts = append(ts, e.Type)
	}
	return ts
}

func TestStart(t *testing.T) {
	t.Parallel()
	now := t0.Add(50 * time.Minute)
	c, err := pending(t, "10").Start(
		payment.Choice{Network: chain.Polygon, Token: money.USDC}, routeOn(chain.Polygon), ttl, now,
	)
	if err != nil {
		t.Fatal(err)
	}
	p := c.Payment
	if p.Status != payment.Started || !p.ExpiresAt.Equal(now.Add(ttl)) || !p.StartedAt.Equal(now) {
		t.Errorf("started payment is %s until %s", p.Status, p.ExpiresAt)
	}
	want := ledger.Spend(7, ledger.Credit, ledger.ReasonStart, "start:"+string(p.ID), now)
	if len(c.Entries) != 1 || c.Entries[0] != want {
		t.Errorf("entries %v, want the one credit", c.Entries)
	}

	t.Run("Again", func(t *testing.T) {
		c, err := p.Start(p.Choice, payment.Route{}, ttl, now.Add(time.Minute))
		if err != nil || !c.None() {
			t.Errorf("the same start again changed something: %v %v", c, err)
		}
	})
	t.Run("OtherNetwork", func(t *testing.T) {
		c, err := p.Start(
			payment.Choice{Network: chain.BEP20, Token: money.USDT}, routeOn(chain.BEP20), ttl, now.Add(time.Minute),
		)
		if err != nil || len(c.Entries) != 0 || len(c.Payment.Routes) != 2 || !c.Payment.ExpiresAt.Equal(p.ExpiresAt) {
			t.Errorf("switch: %+v, %v", c, err)
		}
	})
	t.Run("KeepsSettlement", func(t *testing.T) {
		r := routeOn(chain.Polygon)
		r.Settlement = "0x6Fac4D18c912343BF86fa7049364Dd4E424Ab9C0"
		c, err := p.Start(payment.Choice{Network: chain.Polygon, Token: money.USDT}, r, ttl, now)
		if err != nil || len(c.Payment.Routes) != 1 ||
			c.Payment.Routes[0].Settlement != routeOn(chain.Polygon).Settlement {
			t.Errorf("the recorded settlement wallet changed: %+v, %v", c.Payment.Routes, err)
		}
	})
	t.Run("PastExpiry", func(t *testing.T) {
		_, err := pending(t, "10").Start(
			payment.Choice{Network: chain.Base, Token: money.USDC}, routeOn(chain.Base), ttl, t0.Add(time.Hour),
		)
		if !errors.Is(err, payment.ErrPastExpiry) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("MoneySeen", func(t *testing.T) {
		seen := observe(t, p, view(chain.Polygon, 1, 10, 5, transfer(usdcPolygon, "1", 9, "a", "x")), now).Payment
		_, err := seen.Start(payment.Choice{Network: chain.Base, Token: money.USDC}, routeOn(chain.Base), ttl, now)
		if !errors.Is(err, payment.ErrMoneyReceived) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("TopUpTakesNoCredit", func(t *testing.T) {
		p := pending(t, "10")
		p.Kind = payment.KindTopUp
		c, err := p.Start(payment.Choice{Network: chain.Base, Token: money.USDC}, routeOn(chain.Base), ttl, t0)
		if err != nil || len(c.Entries) != 0 {
			t.Errorf("entries %v, %v", c.Entries, err)
		}
	})
}

func TestObserve(t *testing.T) {
	t.Parallel()
	now := t0.Add(2 * time.Minute)

	t.Run("SeenThenFinal", func(t *testing.T) {
		p := started(t, "10")
		c := observe(t, p, view(chain.Polygon, 1, 10, 5, transfer(usdcPolygon, "10000000", 9, "a", "x")), now)
		if !slices.Equal(types(c), []payment.EventType{payment.EventSeen}) || c.Payment.Status != payment.Started ||
			c.Payment.Hash != "x" {
			t.Fatalf("seen: %v %s", types(c), c.Payment.Status)
		}
		c = observe(t, c.Payment, view(chain.Polygon, 6, 9, 9, transfer(usdcPolygon, "10000000", 9, "a", "x")), now)
		if !slices.Equal(types(c), []payment.EventType{payment.EventFinal, payment.EventCompleted}) ||
			c.Payment.Status != payment.Completed {
			t.Fatalf("final: %v %s", types(c), c.Payment.Status)
		}
		if again := observe(
			t, c.Payment, view(chain.Polygon, 6, 9, 9, transfer(usdcPolygon, "10000000", 9, "a", "x")), now,
		); !again.None() {
			t.Errorf("the same view again changed something: %v", types(again))
		}
	})
	t.Run("HardenedIsNoNews", func(t *testing.T) {
		tr := transfer(usdcPolygon, "10000000", 9, "a", "x")
		v := view(chain.Polygon, 6, 9, 9, tr)
		v.Finalized.Number = 5
		c := observe(t, started(t, "10"), v, now)
		if c.Payment.Status != payment.Completed || c.Deposits[0].Rechecked {
			t.Fatalf("credited early: %s, rechecked %t", c.Payment.Status, c.Deposits[0].Rechecked)
		}
		c = observe(t, c.Payment, view(chain.Polygon, 6, 9, 9, tr), now)
		if len(c.Deposits) != 1 || !c.Deposits[0].Rechecked || len(c.Events) != 0 {
			t.Errorf("when it can no longer be taken back: deposits %+v, events %v", c.Deposits, types(c))
		}
	})
	t.Run("ShortAddsUpAndExtendsOnce", func(t *testing.T) {
		p := started(t, "10")
		late := p.ExpiresAt.Add(-time.Minute)
		first := transfer(usdcPolygon, "9630000", 3, "a", "x")
		c := observe(t, p, view(chain.Polygon, 1, 5, 5, first), late)
		if c.Payment.Status != payment.Started || c.Payment.Missing() != 370_000 ||
			!c.Payment.ExpiresAt.Equal(late.Add(payment.ShortExtension)) {
			t.Fatalf("short: %s missing %s until %s", c.Payment.Status, c.Payment.Missing(), c.Payment.ExpiresAt)
		}
		expires := c.Payment.ExpiresAt
		c = observe(
			t, c.Payment, view(chain.Polygon, 6, 6, 6, transfer(usdcPolygon, "1", 6, "a", "y")), late.Add(time.Minute),
		)
		if !c.Payment.ExpiresAt.Equal(expires) {
			t.Errorf("the timer was extended twice")
		}
		c = observe(
			t, c.Payment, view(chain.Polygon, 7, 7, 7, transfer(usdcPolygon, "369999", 7, "a", "z")),
			late.Add(2*time.Minute),
		)
		if c.Payment.Status != payment.Completed || c.Payment.Hash != "z" {
			t.Errorf("three deposits that add up leave it %s", c.Payment.Status)
		}
	})
	t.Run("Over", func(t *testing.T) {
		c := observe(t, started(t, "10"), view(chain.Polygon, 1, 5, 5, transfer(usdcPolygon, "12500000", 3, "a", "x")), now)
		if c.Payment.Status != payment.Completed || c.Payment.Received().Micros() != 12_500_000 {
			t.Errorf("over: %s %s", c.Payment.Status, c.Payment.Received().Micros())
		}
	})
	t.Run("EighteenDecimalsExactly", func(t *testing.T) {
		p := mustStart(t, pending(t, "10"), chain.BEP20, money.USDT, t0)
		c := observe(t, p, view(chain.BEP20, 1, 5, 5, transfer(usdtBSC, "9999999999999999999", 3, "a", "x")), now)
		if c.Payment.Status != payment.Started || c.Payment.Missing() != 1 {
			t.Fatalf("one atto short: %s missing %s", c.Payment.Status, c.Payment.Missing())
		}
		c = observe(t, c.Payment, view(chain.BEP20, 6, 6, 6, transfer(usdtBSC, "1", 6, "a", "y")), now)
		if c.Payment.Status != payment.Completed {
			t.Errorf("exact: %s", c.Payment.Status)
		}
	})
	t.Run("NeverCounted", func(t *testing.T) {
		elsewhere := transfer(usdtBSC, "10000000000000000000", 3, "a", "w")
		elsewhere.To = routeOn(chain.Polygon).Address.Address
		for name, v := range map[string]payment.View{
			"BridgedTwin":  view(chain.Polygon, 1, 5, 5, transfer(bridged, "10000000", 3, "a", "x")),
			"OtherToken":   view(chain.Polygon, 1, 5, 5, transfer(usdtPolygon, "10000000", 3, "a", "x")),
			"OtherNetwork": view(chain.BEP20, 1, 5, 5, elsewhere),
			"ZeroValue":    view(chain.Polygon, 1, 5, 5, transfer(usdcPolygon, "0", 3, "a", "x")),
		} {
			c := observe(t, started(t, "10"), v, now)
			if c.Payment.Status != payment.Started || !c.Payment.Received().IsZero() {
				t.Errorf("%s was counted: %s", name, c.Payment.Status)
			}
			if recorded := len(c.Deposits) == 1; recorded != (name != "ZeroValue") {
				t.Errorf("%s: %d deposits recorded", name, len(c.Deposits))
			}
		}
	})
	t.Run("OtherTokenCountsOnceChosen", func(t *testing.T) {
		c := observe(t, started(t, "10"), view(chain.Polygon, 1, 5, 5, transfer(usdtPolygon, "10000000", 3, "a", "x")), now)
		c, err := c.Payment.Start(payment.Choice{Network: chain.Polygon, Token: money.USDT}, payment.Route{}, ttl, now)
		if err != nil || c.Payment.Status != payment.Completed {
			t.Errorf("after choosing the token that was sent: %s, %v", c.Payment.Status, err)
		}
	})
	t.Run("ReorgBeforeFinal", func(t *testing.T) {
		p := observe(t, started(t, "10"), view(chain.Polygon, 1, 10, 5, transfer(usdcPolygon, "10000000", 9, "a", "x")), now).Payment
		c := observe(t, p, view(chain.Polygon, 6, 11, 5), now)
		if !slices.Equal(types(c), []payment.EventType{payment.EventVanished}) || !c.Payment.Incoming().IsZero() {
			t.Fatalf("vanished: %v", types(c))
		}
		c = observe(t, c.Payment, view(chain.Polygon, 6, 12, 12, transfer(usdcPolygon, "10000000", 12, "b", "x")), now)
		if c.Payment.Status != payment.Completed || len(c.Payment.Deposits) != 1 {
			t.Errorf("mined again: %s with %d deposits", c.Payment.Status, len(c.Payment.Deposits))
		}
	})
	t.Run("ReorgAfterCredit", func(t *testing.T) {
		soft := view(chain.Polygon, 1, 9, 9, transfer(usdcPolygon, "10000000", 9, "a", "x"))
		soft.Finalized.Number = 2
		p := observe(t, started(t, "10"), soft, now).Payment
		if p.Status != payment.Completed || p.Deposits[0].Rechecked {
			t.Fatalf("credited early: %s, rechecked %v", p.Status, p.Deposits[0].Rechecked)
		}
		c := observe(t, p, view(chain.Polygon, 3, 12, 12), now)
		if !c.Payment.Reorged ||
			!slices.Equal(types(c), []payment.EventType{payment.EventVanished, payment.EventReorged}) {
			t.Errorf("reorged %v, events %v", c.Payment.Reorged, types(c))
		}
	})
	t.Run("HardenedStays", func(t *testing.T) {
		p := observe(t, started(t, "10"), view(chain.Polygon, 1, 9, 9, transfer(usdcPolygon, "10000000", 9, "a", "x")), now).Payment
		if c := observe(t, p, view(chain.Polygon, 1, 12, 12), now); !c.None() {
			t.Errorf("a lying node undid finalized money: %v", types(c))
		}
	})
	t.Run("Late", func(t *testing.T) {
		p := started(t, "10")
		c, err := p.Expire(payment.Coverage{chain.Polygon: p.ExpiresAt}, p.ExpiresAt)
		if err != nil || c.Payment.Status != payment.Expired {
			t.Fatal(c.Payment.Status, err)
		}
		block := uint64(p.ExpiresAt.Sub(t0)/time.Second) + 60
		money := view(chain.Polygon, block, block, block, transfer(usdcPolygon, "10000000", block, "a", "x"))
		late := observe(t, c.Payment, money, p.ExpiresAt.Add(2*time.Minute))
		if late.Payment.Status != payment.Expired || !late.Deposits[0].Late {
			t.Errorf("late money: %s, late %v", late.Payment.Status, late.Deposits[0].Late)
		}
		generous := c.Payment
		generous.Terms.LateFor = time.Hour
		if late := observe(
			t, generous, money, p.ExpiresAt.Add(2*time.Minute),
		); late.Payment.Status != payment.Completed {
			t.Errorf("with late terms it is %s", late.Payment.Status)
		}
		generous.Terms.LateFor = 30 * time.Second
		if late := observe(t, generous, money, p.ExpiresAt.Add(2*time.Minute)); late.Payment.Status != payment.Expired {
			t.Errorf("beyond its late terms it is %s", late.Payment.Status)
		}
	})
	t.Run("ShortTerms", func(t *testing.T) {
		p := started(t, "10")
		p.Terms.ShortBasis = 100
		if c := observe(
			t, p, view(chain.Polygon, 1, 5, 5, transfer(usdcPolygon, "9899999", 3, "a", "x")), now,
		); c.Payment.Status != payment.Started {
			t.Errorf("more than 1 %% short completes it")
		}
		if c := observe(
			t, p, view(chain.Polygon, 1, 5, 5, transfer(usdcPolygon, "9900000", 3, "a", "x")), now,
		); c.Payment.Status != payment.Completed {
			t.Errorf("exactly 1 %% short leaves it %s", c.Payment.Status)
		}
	})
	t.Run("TopUpGrantsCredits", func(t *testing.T) {
		p := started(t, "1")
		p.Kind, p.Credits = payment.KindTopUp, 20
		c := observe(t, p, view(chain.Polygon, 1, 5, 5, transfer(usdcPolygon, "1500000", 3, "a", "x")), now)
		if len(c.Entries) != 1 || c.Entries[0].Count != 30 || c.Entries[0].To != ledger.Key(7) {
			t.Errorf("entries %v", c.Entries)
		}
	})
}
