package exchange_test

import (
	"context"
	"errors"
	"math/big"
	"testing"
	"testing/synctest"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/exchange"
	"github.com/florinpay/florin/internal/fault"
)

// euro is a view of two chains that agree on a euro, inside a fence.
func euro(price float64) exchange.View {
	return exchange.View{
		Readings: map[string][]exchange.Reading{
			"EUR": {feed("chainlink:a", "EUR", price), feed("chainlink:b", "EUR", price)},
		},
		Fence: exchange.Fence{
			Name: "ecb", Date: noon.AddDate(0, 0, -1).Truncate(24 * time.Hour),
			PerEuro: map[exchange.Currency]*big.Rat{exchange.USD: big.NewRat(11615, 10000)},
		},
	}
}

var fenced = exchange.Rules{Fenced: true, FencePercent: 3, PegPercent: 1}

func causeOf(err error) exchange.Cause {
	if r, ok := errors.AsType[*exchange.Refusal](err); ok {
		return r.Cause
	}
	return ""
}

// What a merchant wants of his rates is in the quote, and goes beyond no fence.
func TestDecideFor(t *testing.T) {
	t.Parallel()
	rate := func(text string) exchange.Rate {
		r, ok := exchange.ParseRate(text)
		if !ok {
			t.Fatalf("%q is no rate", text)
		}
		return r
	}
	alone := exchange.Rules{PegPercent: 1}
	eur := func(fixed, least, most string) exchange.Pricing {
		return exchange.Pricing{Currency: "EUR", Fixed: rate(fixed), Least: rate(least), Most: rate(most)}
	}
	for name, x := range map[string]struct {
		view  exchange.View
		rules exchange.Rules
		own   exchange.Pricing
		rate  string
		cause exchange.Cause
	}{
		"nothing":             {euro(1.25), exchange.Rules{PegPercent: 1}, exchange.Pricing{}, "1.25", ""},
		"mark-up":             {euro(1.125), fenced, exchange.Pricing{Markup: 150}, "", exchange.FenceOutside},
		"mark-up inside":      {euro(1.15625), fenced, exchange.Pricing{Markup: 150}, "1.15625", ""},
		"fixed":               {euro(1.15625), fenced, eur("1.17", "", ""), "1.17", ""},
		"fixed, no source":    {exchange.View{Fence: euro(1).Fence}, fenced, eur("1.17", "", ""), "1.17", ""},
		"fixed, forgotten":    {euro(1.15625), fenced, eur("1.05", "", ""), "", exchange.FenceOutside},
		"fixed, fence absent": {exchange.View{}, fenced, eur("1.17", "", ""), "", exchange.FenceOld},
		"fixed of another": {
			euro(1.15625), fenced, exchange.Pricing{Currency: "GBP", Fixed: rate("1.3")}, "1.15625", "",
		},
		"inside own bounds": {euro(1.15625), alone, eur("", "1.1", "1.2"), "1.15625", ""},
		"below own bound":   {euro(1.15625), alone, eur("", "1.17", ""), "", exchange.OwnBound},
		"above own bound":   {euro(1.15625), alone, eur("", "", "1.15"), "", exchange.OwnBound},
	} {
		q, err := exchange.DecideFor("EUR", x.view, x.rules, x.own, nil, noon)
		if causeOf(err) != x.cause || x.cause == "" && (q.Rate.String() != x.rate || q.Markup != x.own.Markup) {
			t.Errorf("%s: %+v, %v", name, q, err)
		}
	}
	// A currency that the fence does not list stands by the merchant's own word.
	dirham := exchange.Pricing{Currency: "AED", Fixed: rate("0.2723")}
	q, err := exchange.DecideFor("AED", euro(1.16), fenced, dirham, nil, noon)
	if err != nil || len(q.Sources) != 1 || q.Sources[0] != exchange.FixedSource {
		t.Errorf("a fixed dirham: %+v, %v", q, err)
	}
}

// A mark-up is part of the one rounding, and what came in is counted back with it.
func TestPrice_Markup(t *testing.T) {
	t.Parallel()
	p := exchange.Price{
		Sum:   exchange.Sum{Currency: "EUR", Units: 3050},
		Quote: exchange.Quote{Rate: 11_615_200_000, Markup: 150, At: noon},
	}
	if worth, ok := p.Worth(); !ok || worth != 35_957_755 { // 30.50 × 1.16152 × 1.015 = 35.9577554
		t.Errorf("with a mark-up it is %s", worth)
	}
	if units := p.Of(35_957_755); units != 3050 || p.MarkupPercent() != "1.5" {
		t.Errorf("back it is %d, with %s %%", units, p.MarkupPercent())
	}
}

func TestPricing_Check(t *testing.T) {
	t.Parallel()
	for _, p := range []exchange.Pricing{
		{Markup: -1},
		{Markup: exchange.MaxMarkup + 1},
		{Fixed: 1},
		{Currency: exchange.USD, Fixed: 1},
		{Currency: "EUR", Fixed: -1},
		{Currency: "EUR", Least: 2, Most: 1},
		{URL: "https://rates.example"},
	} {
		if err := p.Check(); !fault.Is(err, fault.Invalid) {
			t.Errorf("%+v: %v", p, err)
		}
	}
	for _, text := range []string{"0", "-1", "1e3", "1,16", "10000001", "1.00000000001", "NaN"} {
		if r, ok := exchange.ParseRate(text); ok {
			t.Errorf("%q is the rate %s", text, r)
		}
	}
}

// A merchant's own address is one voice beside the others, asked once a minute while he prices, and for no other's
// price.
func TestService_Own(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var from sources
		asked := 0
		s := exchange.New(exchange.Options{
			Now: time.Now, Rules: exchange.Rules{PegPercent: 1},
			Sources: []exchange.Source{
				exchange.Feeds(chain.Base, []chain.Feed{{Of: "EUR", MaxAge: 26 * time.Hour}}, from.read),
			},
			Own: func(address string) exchange.Source {
				read := func(context.Context) ([]exchange.Reading, error) {
					asked++
					return []exchange.Reading{{
						Of: "EUR", Answer: big.NewInt(116_000_000), Decimals: 8, Description: "EUR / USD",
						UpdatedAt: time.Now(), MaxAge: time.Minute,
					}}, nil
				}
				return exchange.Source{Name: address, Of: []string{"EUR"}, Read: read}
			},
		})
		his := exchange.Pricing{Currency: "EUR", URL: "rates.example"}
		q, err := s.Rate(t.Context(), "EUR", his)
		if err != nil || len(q.Sources) != 2 || asked != 1 {
			t.Fatalf("one chain and his own: %+v, %v, asked %d times", q, err, asked)
		}
		if _, err := s.Rate(t.Context(), "EUR", exchange.Pricing{}); !fault.Is(err, fault.Unavailable) || asked != 1 {
			t.Errorf("another merchant has one chain alone: %v, asked %d times", err, asked)
		}
		for range 10 {
			run(t, s, time.Minute)
			before := asked
			if _, err := s.Rate(t.Context(), "EUR", his); err != nil || asked != before {
				t.Fatalf("warm: %v, asked %d times in the request", err, asked-before)
			}
		}
		if asked > 12 || asked < 10 {
			t.Errorf("asked %d times in ten minutes", asked)
		}
		run(t, s, time.Hour)
		before := asked
		if run(t, s, time.Hour); asked != before {
			t.Errorf("asked %d times after the last price", asked-before)
		}
	})
}
