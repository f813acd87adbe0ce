package dashboard

import (
	"context"
	"slices"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/exchange"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/store/report"
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/dashboard"
)

// volume is what was paid in some days.
type volume struct {
	paid  int64        // in the currency that the page is read in: of those priced in it, or all in USD micros
	other money.Micros // of those priced otherwise
	count int64
}

// in is the currency that a page is read in; empty: US dollars. Nothing is converted: what was priced in another
// currency stays apart.
type in exchange.Currency

// text writes an amount.
func (x in) text(ctx context.Context, amount int64) string {
	if x == "" {
		return dollars(ctx, cents(money.Micros(amount)))
	}
	sum := exchange.Sum{Currency: exchange.Currency(x), Units: amount}
	return views.LocaleOf(ctx).Price(sum.Amount(), string(x))
}

// sum adds the days from from until before until, and of the networks only, if there are any.
func (x in) sum(days []report.Day, from, until time.Time, networks ...chain.Network) (v volume) {
	for _, d := range days {
		if d.Day.Before(from) || !d.Day.Before(until) || len(networks) > 0 && !slices.Contains(networks, d.Network) {
			continue
		}
		v.count += d.Count
		switch {
		case x == "":
			v.paid += int64(d.Volume)
		case d.Price.Currency == exchange.Currency(x):
			v.paid += d.Price.Units
		default:
			v.other += d.Volume
		}
	}
	return v
}

// words writes the sum, and what is apart from it.
func (x in) words(ctx context.Context, v volume) string {
	if v.other > 0 {
		return views.T(ctx, "{{.Sum}} and {{.Other}} priced otherwise",
			"Sum", x.text(ctx, v.paid), "Other", dollars(ctx, cents(v.other)))
	}
	return x.text(ctx, v.paid)
}

// chart arranges the sums into bars of so many days each, those without income
// included.
func (x in) chart(ctx context.Context, days []report.Day, first, last time.Time, each int) dashboard.Chart {
	c := dashboard.Chart{Weekly: each > 1, Currency: string(x), Places: money.MicrosDecimals}
	if x != "" {
		c.Places = exchange.Currency(x).Digits()
	}
	var networks []chain.Network
	for _, n := range append(chain.Networks(), "") {
		if slices.ContainsFunc(days, func(d report.Day) bool { return d.Network == n && !d.Day.Before(first) }) {
			networks = append(networks, n)
			c.Networks = append(c.Networks, string(n))
		}
	}
	for from := first; !from.After(last); from = from.AddDate(0, 0, each) {
		until := from.AddDate(0, 0, each)
		bar := dashboard.Bar{From: from}
		for _, n := range networks {
			part := x.sum(days, from, until, n)
			bar.Parts, bar.Each = append(bar.Parts, part.paid), append(bar.Each, x.text(ctx, part.paid))
		}
		v := x.sum(days, from, until)
		bar.Volume, bar.Paid, bar.Count = x.words(ctx, v), v.paid, v.count
		c.Bars = append(c.Bars, bar)
	}
	return c
}
