package exchange

import (
	"maps"
	"time"

	"github.com/florinpay/florin/internal/fault"
)

// Pricing is what a merchant wants of the rates of his own prices. Its zero value is nothing.
type Pricing struct {
	// Markup is added to every price in another currency than US dollars, in hundredths of a per cent.
	Markup int64 `json:"markup,omitempty"`
	// Currency is what the others are about; empty: none of them is set.
	Currency Currency `json:"currency,omitempty"`
	// Fixed is a rate instead of that of the sources; the fence, where there is one, bounds it as any other. 0: none.
	Fixed Rate `json:"fixed,omitempty"`
	// Least and Most bound the rate, whatever the sources say; 0: no bound.
	Least Rate `json:"least,omitempty"`
	Most  Rate `json:"most,omitempty"`
	// URL is an address of the merchant's that is one more source; empty: none.
	URL string `json:"url,omitempty"`
}

// The bounds of Pricing.
const (
	// MaxMarkup is 20 %.
	MaxMarkup = 2_000
	maxURL    = 500
)

// Check returns what is wrong with it, a fault.Invalid.
func (p Pricing) Check() error {
	switch {
	case p.Markup < 0 || p.Markup > MaxMarkup:
		return fault.About(fault.Invalid, "pricing.markup", "must be between 0 and %d %%", MaxMarkup/100)
	case p.Currency == USD || p.Currency == "" && (p.Fixed != 0 || p.Least != 0 || p.Most != 0 || p.URL != ""):
		return fault.About(fault.Invalid, "pricing.currency", "must be the currency that the rate is of, and not USD")
	case p.Fixed < 0 || p.Fixed > maxRate || p.Least < 0 || p.Most < 0 || p.Most > maxRate:
		return fault.About(fault.Invalid, "pricing.rate", "must be a rate greater than 0")
	case p.Most != 0 && p.Least > p.Most:
		return fault.About(fault.Invalid, "pricing.rate", "must not be bounded below by more than above")
	case len(p.URL) > maxURL:
		return fault.About(fault.Invalid, "pricing.url", "must have at most %d characters", maxURL)
	}
	return nil
}

// FixedSource is the name of a merchant's fixed rate among sources.
const FixedSource = "fixed"

// OwnBound is the cause that the rate is outside of the merchant's own bounds.
const OwnBound Cause = "own_bound"

// DecideFor is Decide for a merchant's own prices. own are the readings of his own address.
func DecideFor(c Currency, v View, rules Rules, p Pricing, own []Reading, now time.Time) (Quote, error) {
	if c == USD {
		return Decide(c, v, rules, now)
	}
	about := p.Currency == c
	var q Quote
	var err error
	if about && p.Fixed > 0 {
		q, err = fixed(c, v, rules, p.Fixed, now)
	} else {
		if about && len(own) > 0 {
			v = v.with(c, own)
		}
		q, err = Decide(c, v, rules, now)
	}
	if err != nil {
		return q, err
	}
	if about && (q.Rate < p.Least || p.Most > 0 && q.Rate > p.Most) {
		return Quote{}, &Refusal{c, OwnBound, fault.Text("its rate is outside of the bounds that its merchant has set")}
	}
	q.Markup = p.Markup
	return q, nil
}

// fixed is the merchant's own rate, which the fence bounds where it lists the currency: one that was forgotten must not
// sell for half a price.
func fixed(c Currency, v View, rules Rules, r Rate, now time.Time) (Quote, error) {
	q := Quote{Rate: r, At: now, Sources: []string{FixedSource}}
	if cause, detail := v.Pegs(rules, now); cause != "" {
		return Quote{}, &Refusal{c, cause, detail}
	}
	if !rules.Fenced {
		return q, nil
	}
	if _, _, listed := v.Fence.dollars(c); v.Fence.Problem == "" && len(v.Fence.PerEuro) > 0 && !listed {
		return q, nil
	}
	if cause, detail := v.Fence.Admits(c, r, rules.FencePercent, now); cause != "" {
		return Quote{}, &Refusal{c, cause, fault.Text("the fixed rate: %s", detail)}
	}
	q.Sources = append(q.Sources, v.Fence.Name)
	return q, nil
}

// with returns the view with more readings of the currency.
func (v View) with(c Currency, more []Reading) View {
	readings := make(map[string][]Reading, len(v.Readings))
	maps.Copy(readings, v.Readings)
	for _, r := range more {
		if r.Of == string(c) {
			readings[r.Of] = append(append([]Reading(nil), readings[r.Of]...), r)
		}
	}
	v.Readings = readings
	return v
}
