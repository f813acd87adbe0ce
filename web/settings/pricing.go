package settings

import (
	"net/url"
	"strings"

	"github.com/florinpay/florin/internal/exchange"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/views/panel"
	"github.com/florinpay/florin/web/shell"
)

// pricingFields are the inputs of what a merchant wants of the rates of his prices. The fixed rate, the bounds and the
// address are about one currency: that of the shop.
func pricingFields(f *shell.Form, key merchant.Key, p exchange.Pricing) []panel.Field {
	about := p.Currency
	if about == "" {
		about = key.Currency
	}
	rate := func(r exchange.Rate) string {
		if r == 0 {
			return ""
		}
		return r.String()
	}
	return []panel.Field{
		f.Field(panel.Field{
			Setting: true, Name: "markup", Label: "Add to the rate (%)", Value: percentOf(p.Markup), Mode: "decimal",
			Max: "6", Hint: "From 0 to 20, on prices in every other currency than US dollars. Your customer sees it.",
		}),
		f.Field(panel.Field{
			Setting: true, Name: "rateOf", Label: "Currency of the rates below", Value: string(about), Max: "3",
			Placeholder: "EUR", Autocomplete: "off",
		}),
		f.Field(panel.Field{
			Setting: true, Name: "fixed", Label: "Fixed rate (optional)", Value: rate(p.Fixed), Mode: "decimal",
			Max: "20", Placeholder: "1.16",
			Hint: "US dollars for one unit. It must be near the reference rate, where there is one.",
		}),
		f.Field(panel.Field{
			Setting: true, Name: "source", Label: "Your own source of rates (optional)", Value: p.URL, Type: "url",
			Max:  "500",
			Hint: "A public https address that answers as the page about prices says. It is one voice beside the others.",
		}),
		f.Field(panel.Field{
			Setting: true, Name: "least", Label: "Lowest rate (optional)", Value: rate(p.Least), Mode: "decimal",
			Max: "20", Hint: "Outside of these two bounds nothing is priced, whatever the sources say.",
		}),
		f.Field(panel.Field{
			Setting: true, Name: "most", Label: "Highest rate (optional)", Value: rate(p.Most), Mode: "decimal",
			Max: "20",
		}),
	}
}

// percentOf writes hundredths of a per cent; empty for none.
func percentOf(basis int64) string { return exchange.Quote{Markup: basis}.MarkupPercent() }

// pricingInput reads the form; nil where none of its inputs was touched. Malformed values are reported beside them.
func pricingInput(f *shell.Form) *exchange.Pricing {
	if !f.Touched("markup", "rateOf", "fixed", "source", "least", "most") {
		return nil
	}
	p := exchange.Pricing{Currency: exchange.Currency(strings.ToUpper(f.Text("rateOf"))), URL: f.Text("source")}
	var ok bool
	if text := f.Amount("markup"); text != "" {
		if p.Markup, ok = parseHundredths(text); !ok || p.Markup > exchange.MaxMarkup {
			f.Bad("markup", "Enter a percentage from 0 to 20, with at most two decimals.")
		}
	}
	for name, to := range map[string]*exchange.Rate{"fixed": &p.Fixed, "least": &p.Least, "most": &p.Most} {
		if *to, ok = exchange.ParseRate(f.Amount(name)); !ok {
			f.Bad(name, "Enter what one unit is worth in US dollars, such as 1.16.")
		}
	}
	if _, err := exchange.ParseCurrency(string(p.Currency)); err != nil && p.Currency != "" {
		f.Bad("rateOf", "Enter the three letters of a currency, such as EUR.")
	}
	if u, err := url.Parse(p.URL); p.URL != "" && (err != nil || u.Host == "") {
		f.Bad("source", "Enter an address that begins with https://.")
	}
	if p.Fixed == 0 && p.Least == 0 && p.Most == 0 && p.URL == "" {
		p.Currency = ""
	}
	return &p
}

// optionSubjects map the fields that a refusal of postOptions can name to inputs.
var optionSubjects = []shell.Subject{
	{Service: "pricing.markup", Input: "markup", Label: "The percentage"},
	{Service: "pricing.currency", Input: "rateOf", Label: "The currency"},
	{Service: "pricing.rate", Input: "most", Label: "The rate"},
	{Service: "pricing.url", Input: "source", Label: "The address"},
}
