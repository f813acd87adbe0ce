package dashboard

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/exchange"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store/report"
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/dashboard"
	"github.com/florinpay/florin/web/session"
	"github.com/florinpay/florin/web/shell"
)

// filterNames are the query parameters of a filter.
var filterNames = []string{
	"q", "status", "network", "token", "kind", "from", "fromTime", "until", "untilTime", "min", "max", "in",
}

// filterOf keeps the query parameters that filter.
func filterOf(q url.Values) url.Values {
	kept := url.Values{}
	for _, name := range filterNames {
		if x := q.Get(name); x != "" {
			kept.Set(name, x)
		}
	}
	return kept
}

// paymentQuery reads a filter from query parameters; problem describes the first that is malformed.
func (d *Surface) paymentQuery(
	q url.Values, who session.Principal,
) (x report.Query, f dashboard.FilterFields, problem string) {
	f = dashboard.FilterFields{
		Text: strings.TrimSpace(
			q.Get("q"),
		), Status: q.Get("status"), Network: q.Get("network"), Token: q.Get("token"), Kind: q.Get("kind"),
		From: q.Get("from"), FromTime: q.Get("fromTime"), Until: q.Get("until"), UntilTime: q.Get("untilTime"),
		Min: q.Get("min"), Max: q.Get("max"),
	}
	zone := who.Zone()
	f.In, _ = currencyOf(who, q.Get("in"))
	x = report.Query{Keys: who.KeyIDs(), Text: f.Text[:min(len(f.Text), maxSearch)]}
	for _, read := range []func() error{
		func() error { return readStatus(f.Status, &x) },
		func() error { return readNetwork(f.Network, &x.Network) },
		func() error { return readToken(f.Token, &x.Token) },
		func() error { return readKind(f.Kind, &x.Kind) },
		func() error { return readMoment("from", f.From, f.FromTime, zone, false, &x.From) },
		func() error { return readMoment("through", f.Until, f.UntilTime, zone, true, &x.Until) },
		func() error { return readAmount("at least", f.Min, exchange.Currency(f.In), &x.Min, &x.MinPrice) },
		func() error { return readAmount("at most", f.Max, exchange.Currency(f.In), &x.Max, &x.MaxPrice) },
		func() error { return readPlace(q.Get("after"), &x.After) },
	} {
		if err := read(); err != nil && problem == "" {
			problem = shell.Sentence(err.Error())
		}
	}
	return x, f, problem
}

// Statuses that stand for more than one.
const (
	statusOpen      = "OPEN"
	statusAttention = "ATTENTION"
)

func readStatus(text string, to *report.Query) error {
	switch {
	case text == "":
	case text == statusOpen:
		to.Statuses = []payment.Status{payment.Pending, payment.Started}
	case text == statusAttention:
		to.Attention = true
	case slices.Contains(payment.Statuses(), payment.Status(text)):
		to.Statuses = []payment.Status{payment.Status(text)}
	default:
		return fmt.Errorf("there is no status %q", text)
	}
	return nil
}

func readNetwork(text string, to *chain.Network) error {
	if n, err := chain.ParseNetwork(text); err == nil {
		*to = n
		return nil
	}
	return known(text, "", "network")
}

func readToken(text string, to *money.Token) error {
	if t, err := money.ParseToken(text); err == nil {
		*to = t
	}
	return known(text, string(*to), "token")
}

func readKind(text string, to *payment.Kind) error {
	for _, k := range []payment.Kind{payment.KindMerchant, payment.KindDonation} {
		if text == string(k) {
			*to = k
		}
	}
	return known(text, string(*to), "kind")
}

func known(text, read, what string) error {
	if text != read {
		return fmt.Errorf("there is no %s %q", what, text)
	}
	return nil
}

// firstDay and endOfDays bound the dates of a search: there were no payments
// before, and databases differ in the years they can hold.
var (
	firstDay  = time.Unix(0, 0).UTC()
	endOfDays = time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC)
)

// timeFormat is how times of a day are written in forms and addresses.
const timeFormat = "15:04"

// readMoment reads a day and, if there is one, a time of it. The end of a span holds the whole day, or the whole
// minute.
func readMoment(name, day, clock string, zone *time.Location, end bool, to *time.Time) error {
	if day == "" {
		return nil
	}
	t, err := time.ParseInLocation(session.DayFormat, day, zone)
	if err != nil || t.Before(firstDay) {
		return fmt.Errorf("%q must be a day such as 2026-11-21", name)
	}
	*to = t
	if clock != "" {
		at, err := time.Parse(timeFormat, clock)
		if err != nil {
			return fmt.Errorf("the time of %q must be one such as 14:30", name)
		}
		*to = time.Date(t.Year(), t.Month(), t.Day(), at.Hour(), at.Minute(), 0, 0, zone)
	}
	switch {
	case end && clock != "":
		*to = to.Add(time.Minute)
	case end:
		*to = t.AddDate(0, 0, 1)
	}
	return nil
}

// readAmount reads an amount in US dollars, or the price in a currency if there is one.
func readAmount(name, text string, in exchange.Currency, to *money.Micros, price *exchange.Sum) error {
	if text = strings.TrimSpace(text); text == "" {
		return nil
	}
	plain := cmp.Or(views.LocaleFor("en").Plain(text), text)
	if in != "" {
		units, err := in.ParseUnits(plain)
		if err != nil {
			return fmt.Errorf("%s must be an amount in %s such as 12.50", name, in)
		}
		*price = exchange.Sum{Currency: in, Units: units}
		return nil
	}
	m, err := money.ParseMicros(name, plain)
	if err == nil {
		*to = m
	}
	return err
}

// formatPlace writes the place of a payment in the list, for the next page's address.
func formatPlace(p report.Place) string {
	return strconv.FormatInt(p.At.UnixMicro(), 36) + "-" + strconv.FormatInt(p.Number, 36)
}

func readPlace(text string, to *report.Place) error {
	if text == "" {
		return nil
	}
	first, second, _ := strings.Cut(text, "-")
	micros, err1 := strconv.ParseInt(first, 36, 64)
	number, err2 := strconv.ParseInt(second, 36, 64)
	at := time.UnixMicro(micros).UTC()
	if err1 != nil || err2 != nil || number < 1 || at.Before(firstDay) || !at.Before(endOfDays) {
		return errors.New("the place in the list cannot be read; begin at the newest")
	}
	*to = report.Place{At: at, Number: number}
	return nil
}

// statusWords are what a sentence says of the status, before and after the noun.
func statusWords(q report.Query) (before, after string) {
	switch {
	case q.Attention:
		return "", " that need attention"
	case len(q.Statuses) > 1:
		return "open ", ""
	case len(q.Statuses) == 0:
		return "", ""
	}
	switch q.Statuses[0] {
	case payment.Pending:
		return "", " not started"
	case payment.Started:
		return "", " waiting for money"
	case payment.Completed:
		return "paid ", ""
	case payment.Expired:
		return "expired ", ""
	case payment.Cancelled:
		return "cancelled ", ""
	}
	return "", ""
}

// bound writes a bound of amounts, in US dollars or of the price; empty: there is none.
func bound(m money.Micros, price exchange.Sum) string {
	switch {
	case !price.None():
		return views.LocaleFor("en").Price(price.Amount(), string(price.Currency))
	case m > 0:
		return "$" + m.Display()
	}
	return ""
}

// momentText writes the bound of a span: at midnight the day alone.
func momentText(t time.Time) string {
	if t.Equal(session.Day(t)) {
		return t.Format("2 January 2006")
	}
	return t.Format("2 January 2006, 15:04")
}

// chips are the parts of a filter in words, each with the list without it.
func chips(filter url.Values, f dashboard.FilterFields) (all []dashboard.Chip) {
	add := func(text string, names ...string) {
		rest := maps.Clone(filter)
		for _, name := range names {
			rest.Del(name)
		}
		all = append(all, dashboard.Chip{Text: text, Without: session.WithQuery(paymentsPath, rest)})
	}
	for _, x := range []struct {
		text, value string
		names       []string
	}{
		{"“" + f.Text + "”", f.Text, []string{"q"}},
		{dashboard.ChoiceText(f.Status, dashboard.StatusChoices), f.Status, []string{"status"}},
		{dashboard.ChoiceText(f.Network, dashboard.NetworkChoices), f.Network, []string{"network"}},
		{f.Token, f.Token, []string{"token"}},
		{dashboard.ChoiceText(f.Kind, dashboard.KindChoices), f.Kind, []string{"kind"}},
		{strings.TrimSpace("From " + f.From + " " + f.FromTime), f.From, []string{"from", "fromTime"}},
		{strings.TrimSpace("Through " + f.Until + " " + f.UntilTime), f.Until, []string{"until", "untilTime"}},
		{"At least " + f.Min + " " + cmp.Or(f.In, "USD"), f.Min, []string{"min"}},
		{"At most " + f.Max + " " + cmp.Or(f.In, "USD"), f.Max, []string{"max"}},
	} {
		if x.value != "" {
			add(x.text, x.names...)
		}
	}
	return all
}

// sentenceOfQuery writes a filter as a sentence.
func sentenceOfQuery(q report.Query) string {
	var s strings.Builder
	noun := "payments"
	if q.Kind == payment.KindDonation {
		noun = "donations"
	}
	before, after := statusWords(q)
	s.WriteString(before + noun + after)
	if q.Token != "" {
		s.WriteString(" in " + string(q.Token))
	}
	if q.Network != "" {
		s.WriteString(" on " + views.NetworkName(string(q.Network)))
	}
	switch least, most := bound(q.Min, q.MinPrice), bound(q.Max, q.MaxPrice); {
	case least != "" && most != "":
		s.WriteString(" of " + least + " to " + most)
	case least != "":
		s.WriteString(" of at least " + least)
	case most != "":
		s.WriteString(" of at most " + most)
	}
	if q.Text != "" {
		s.WriteString(" found by “" + q.Text + "”")
	}
	if !q.From.IsZero() {
		s.WriteString(" from " + momentText(q.From))
	}
	if !q.Until.IsZero() {
		s.WriteString(" until " + momentText(q.Until))
	}
	text := s.String()
	if text == "payments" {
		return "All payments"
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
