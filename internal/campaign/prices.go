package campaign

import (
	"slices"
	"strings"

	"github.com/florinpay/florin/internal/exchange"
	"github.com/florinpay/florin/internal/fault"
)

// Prices are the goal and the suggested amounts of a campaign in another currency than US dollars, in its smallest
// unit. Every donation of the campaign is then in that currency, at the rate of its time, so that their sum needs no
// other.
type Prices struct {
	Currency  exchange.Currency // empty: the campaign is in US dollars; it never changes
	Goal      int64
	Suggested []int64
}

// None reports whether the campaign is in US dollars.
func (p Prices) None() bool { return p.Currency == "" }

// Text is a plain decimal of so many units; empty for none.
func (p Prices) Text(units int64) string {
	if units == 0 {
		return ""
	}
	return exchange.Sum{Currency: p.Currency, Units: units}.Amount()
}

// prices reads what a campaign in another currency asks for.
func (in Draft) prices(c exchange.Currency) (p Prices, goalErr, suggestedErr error) {
	p = Prices{Currency: c}
	read := func(field, text string) (int64, error) {
		if text = strings.TrimSpace(text); text == "" {
			return 0, nil
		}
		units, err := c.ParseUnits(text)
		if x := fault.Of(err); x != nil {
			err = x.At(field)
		}
		return units, err
	}
	p.Goal, goalErr = read("goalAmount", in.Goal)
	for _, text := range in.Suggested {
		units, err := read("suggestedAmounts", text)
		if err != nil {
			return p, goalErr, err
		}
		if units > 0 && !slices.Contains(p.Suggested, units) {
			p.Suggested = append(p.Suggested, units)
		}
	}
	if len(p.Suggested) > MaxSuggested {
		suggestedErr = errTooManySuggested
	}
	slices.Sort(p.Suggested)
	return p, goalErr, suggestedErr
}

// priceOf returns what is asked for a gift to the campaign: in its own currency, if that is not US dollars.
func (c Campaign) priceOf(g Gift) (exchange.Text, error) {
	own := string(c.Prices.Currency)
	switch {
	case c.Prices.None():
		return g.Price, nil
	case g.Price.None():
		return g.Price, fault.About(fault.Invalid, "amount",
			"must be left out: this campaign is in %s; send price with amount and currency", own)
	case g.Price.Currency == "":
		g.Price.Currency = own
	case !strings.EqualFold(strings.TrimSpace(g.Price.Currency), own):
		return g.Price, fault.About(fault.Invalid, exchange.Field+".currency", "must be %s, as the campaign is", own)
	}
	return g.Price, nil
}
