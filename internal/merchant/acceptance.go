package merchant

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/exchange"
	"github.com/florinpay/florin/internal/money"
)

// Acceptance returns the differences from before in how payments are accepted,
// one line each: what is offered, the limits of the amount, when money counts as
// final, and what counts as paid. Owners are notified of them.
func (c Custodian) Acceptance(before Custodian) []string {
	var changes []string
	for _, n := range chain.Networks() {
		was, is := before.optionsOf(n).words(), c.optionsOf(n).words()
		for i := range is {
			changes = appendChange(changes, string(n)+" "+is[i][0], was[i][1], is[i][1])
		}
	}
	changes = appendChange(changes, "accepted short by", percent(before.ShortBasis), percent(c.ShortBasis))
	changes = appendChange(changes, "accepted after expiry for", hours(before.LateFor), hours(c.LateFor))
	changes = appendChange(changes, "kept of what is paid too much",
		"up to $"+before.KeepOver.Display(), "up to $"+c.KeepOver.Display())
	changes = appendChange(changes, "warning of orders that are paid twice", warns(before), warns(c))
	changes = appendChange(changes, "orders that expired can be started again", restarts(before), restarts(c))
	offers := map[bool]string{false: "off", true: "on"}
	changes = appendChange(changes, "refunds offered to payers", offers[before.OfferRefunds], offers[c.OfferRefunds])
	was, is := pricingWords(before.Pricing), pricingWords(c.Pricing)
	for i := range is {
		changes = appendChange(changes, is[i][0], was[i][1], is[i][1])
	}
	return changes
}

// pricingWords are what a merchant wants of rates, as names and texts for mails and the audit log.
func pricingWords(p exchange.Pricing) [][2]string {
	rate := func(r exchange.Rate) string {
		if r == 0 {
			return "none"
		}
		return string(p.Currency) + " " + r.String()
	}
	return [][2]string{
		{"added to prices in other currencies", percent(p.Markup)},
		{"fixed rate", rate(p.Fixed)},
		{"lowest rate", rate(p.Least)},
		{"highest rate", rate(p.Most)},
		{"own source of rates", cmp.Or(strings.TrimSpace(string(p.Currency)+" "+p.URL), "none")},
	}
}

// Stricter reports whether a change of how payments are accepted only refuses more
// than before: a network or token is no longer offered, or less is accepted short or
// late. Such a change is made at once on a locked account, too.
func (c Custodian) Stricter(before Custodian) bool {
	for _, n := range chain.Networks() {
		was, is := before.optionsOf(n), c.optionsOf(n)
		if is.Enabled && !was.Enabled || is.Enabled && !within(is.Tokens, was.Tokens) {
			return false
		}
		is.Enabled, is.Tokens = was.Enabled, was.Tokens
		if !slices.Equal(is.words(), was.words()) {
			return false
		}
	}
	return c.ShortBasis <= before.ShortBasis && c.LateFor <= before.LateFor && (before.Repeats || !c.Repeats) &&
		(before.Restarts || !c.Restarts) && c.Pricing == before.Pricing
}

// within reports whether no token is offered that was not before; an empty list
// offers all.
func within(tokens, before []money.Token) bool {
	if len(before) == 0 {
		return true
	}
	return len(tokens) > 0 && !slices.ContainsFunc(tokens, func(t money.Token) bool {
		return !slices.Contains(before, t)
	})
}

// optionsOf returns the options of a network. A network the merchant did not set
// is offered with defaults.
func (c Custodian) optionsOf(n chain.Network) NetworkOptions {
	if o, ok := c.Networks[n]; ok {
		return o
	}
	return NetworkOptions{Enabled: true}
}

// words returns the options as names and texts for mails and the audit log.
func (o NetworkOptions) words() [][2]string {
	tokens := make([]string, len(o.Tokens))
	for i, t := range o.Tokens {
		tokens[i] = string(t)
	}
	all := [][2]string{
		{"offered", map[bool]string{true: "yes", false: "no"}[o.Enabled]},
		{"tokens", orAll(strings.Join(tokens, " and "))},
		{"smallest amount", limit(o.MinAmount)},
		{"largest amount", limit(o.MaxAmount)},
		{"final after", "the network's own rule"},
		{"smallest amount swept", limit(o.SweepMin)},
	}
	if o.Finality != (chain.Finality{}) {
		all[4][1] = o.Finality.String()
	}
	return all
}

func warns(c Custodian) string { return map[bool]string{false: "on", true: "off"}[c.Repeats] }

func restarts(c Custodian) string { return map[bool]string{true: "yes", false: "no"}[c.Restarts] }

func appendChange(changes []string, name, was, is string) []string {
	if was == is {
		return changes
	}
	return append(changes, name+": "+was+" → "+is)
}

func limit(m money.Micros) string {
	if m == 0 {
		return "none"
	}
	return "$" + m.Display()
}

func orAll(tokens string) string {
	if tokens == "" {
		return "all"
	}
	return tokens
}

func percent(basis int64) string { return strconv.FormatFloat(float64(basis)/100, 'f', -1, 64) + " %" }

func hours(d time.Duration) string { return strconv.FormatFloat(d.Hours(), 'f', -1, 64) + " h" }
