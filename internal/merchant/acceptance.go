package merchant

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/exchange"
	"github.com/florinpay/florin/internal/mail"
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
			if was[i].value != is[i].value {
				name := mail.T("{{.What}} on {{.Network}}", "What", is[i].name, "Network", n.Name())
				changes = append(changes, Changed(name, was[i].value, is[i].value))
			}
		}
	}
	changes = appendChange(changes, mail.T("accepted short by"), percent(before.ShortBasis), percent(c.ShortBasis))
	changes = appendChange(changes, mail.T("accepted after expiry for"), hours(before.LateFor), hours(c.LateFor))
	changes = appendChange(changes, mail.T("kept of what is paid too much, up to"),
		mail.Dollars(before.KeepOver).Kept(), mail.Dollars(c.KeepOver).Kept())
	changes = appendChange(changes, mail.T("warning of orders that are paid twice"),
		yesNo(!before.Repeats), yesNo(!c.Repeats))
	changes = appendChange(changes, mail.T("orders that expired can be started again"),
		yesNo(before.Restarts), yesNo(c.Restarts))
	changes = appendChange(changes, mail.T("refunds offered to payers"),
		yesNo(before.OfferRefunds), yesNo(c.OfferRefunds))
	was, is := pricingWords(before.Pricing), pricingWords(c.Pricing)
	for i := range is {
		changes = appendChange(changes, is[i].name, was[i].value, is[i].value)
	}
	return changes
}

// pricingWords are what a merchant wants of rates, as names and texts for mails and the audit log.
func pricingWords(p exchange.Pricing) []setting {
	rate := func(r exchange.Rate) string {
		if r == 0 {
			return ""
		}
		return string(p.Currency) + " " + r.String()
	}
	return []setting{
		{mail.T("added to prices in other currencies"), percent(p.Markup)},
		{mail.T("fixed rate"), rate(p.Fixed)},
		{mail.T("lowest rate"), rate(p.Least)},
		{mail.T("highest rate"), rate(p.Most)},
		{mail.T("own source of rates"), strings.TrimSpace(string(p.Currency) + " " + p.URL)},
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
		if !slices.EqualFunc(is.words(), was.words(), setting.same) {
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
func (o NetworkOptions) words() []setting {
	tokens := make([]string, len(o.Tokens))
	for i, t := range o.Tokens {
		tokens[i] = string(t)
	}
	all := []setting{
		{mail.T("offered"), yesNo(o.Enabled)},
		{mail.T("tokens"), cmp.Or(strings.Join(tokens, ", "), mail.T("all").Kept())},
		{mail.T("smallest amount"), limit(o.MinAmount)},
		{mail.T("largest amount"), limit(o.MaxAmount)},
		{mail.T("final after"), mail.T("the network's own rule").Kept()},
		{mail.T("smallest amount swept"), limit(o.SweepMin)},
	}
	if o.Finality != (chain.Finality{}) {
		all[4].value = o.Finality.String()
	}
	return all
}

// setting is one of a merchant, and its value in words.
type setting struct {
	name  mail.Words
	value string
}

func (s setting) same(o setting) bool { return s.value == o.value }

func yesNo(on bool) string {
	if on {
		return mail.T("yes").Kept()
	}
	return mail.T("no").Kept()
}

func appendChange(changes []string, name mail.Words, was, is string) []string {
	if was == is {
		return changes
	}
	return append(changes, Changed(name, was, is))
}

func limit(m money.Micros) string {
	if m == 0 {
		return ""
	}
	return mail.Dollars(m).Kept()
}

func percent(basis int64) string {
	return mail.Number(strconv.FormatFloat(float64(basis)/100, 'f', -1, 64)).Kept() + " %"
}

func hours(d time.Duration) string {
	return mail.T("{{.Hours}} h", "Hours", mail.Number(strconv.FormatFloat(d.Hours(), 'f', -1, 64))).Kept()
}
