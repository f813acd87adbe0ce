package dashboard

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/exchange"
	"github.com/florinpay/florin/internal/mail"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store/report"
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/dashboard"
	"github.com/florinpay/florin/web/session"
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
	ctx context.Context, q url.Values, who session.Principal,
) (x report.Query, f dashboard.FilterFields, problem string) {
	f = dashboard.FilterFields{
		Text: strings.TrimSpace(q.Get("q")), Status: q.Get("status"), Kind: q.Get("kind"),
		Network: q.Get("network"), Token: q.Get("token"),
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
		func() error { return readMoment("From", f.From, f.FromTime, zone, false, &x.From) },
		func() error { return readMoment("Through", f.Until, f.UntilTime, zone, true, &x.Until) },
		func() error { return readAmount("At least", f.Min, exchange.Currency(f.In), &x.Min, &x.MinPrice) },
		func() error { return readAmount("At most", f.Max, exchange.Currency(f.In), &x.Max, &x.MaxPrice) },
		func() error { return readPlace(q.Get("after"), &x.After) },
	} {
		if err := read(); err != nil && problem == "" {
			problem = wrongText(ctx, err)
		}
	}
	return x, f, problem
}

// badFilter is why a filter is refused: an English text and its values. The value Name is the label of an input.
type badFilter struct {
	text string
	args []any
}

func (b badFilter) Error() string { return b.text }

func wrong(text string, args ...any) error { return badFilter{text, args} }

func wrongText(ctx context.Context, err error) string {
	var b badFilter
	if !errors.As(err, &b) {
		return err.Error()
	}
	args := slices.Clone(b.args)
	if len(args) > 1 && args[0] == "Name" {
		args[1] = views.T(ctx, args[1].(string)) //nolint:forcetypeassert // labels are texts
	}
	return views.T(ctx, b.text, args...)
}

// Statuses that stand for more than one.
const (
	statusOpen      = "OPEN"
	statusAttention = "ATTENTION"
	statusRefunded  = "REFUNDED"
)

func readStatus(text string, to *report.Query) error {
	switch {
	case text == "":
	case text == statusOpen:
		to.Statuses = []payment.Status{payment.Pending, payment.Started}
	case text == statusAttention:
		to.Attention = true
	case text == statusRefunded:
		to.Refunded = true
	case slices.Contains(payment.Statuses(), payment.Status(text)):
		to.Statuses = []payment.Status{payment.Status(text)}
	default:
		return wrong("There is no status “{{.Text}}”.", "Text", text)
	}
	return nil
}

func readNetwork(text string, to *chain.Network) error {
	if n, err := chain.ParseNetwork(text); err == nil {
		*to = n
		return nil
	}
	return known(text, "", "There is no network “{{.Text}}”.")
}

func readToken(text string, to *money.Token) error {
	if t, err := money.ParseToken(text); err == nil {
		*to = t
	}
	return known(text, string(*to), "There is no token “{{.Text}}”.")
}

func readKind(text string, to *payment.Kind) error {
	for _, k := range []payment.Kind{payment.KindMerchant, payment.KindDonation} {
		if text == string(k) {
			*to = k
		}
	}
	return known(text, string(*to), "There is no kind “{{.Text}}”.")
}

func known(text, read, refusal string) error {
	if text != read {
		return wrong(refusal, "Text", text)
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
		return wrong("“{{.Name}}” must be a day such as 2026-11-21.", "Name", name)
	}
	*to = t
	if clock != "" {
		at, err := time.Parse(timeFormat, clock)
		if err != nil {
			return wrong("The time of “{{.Name}}” must be one such as 14:30.", "Name", name)
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
			return wrong("“{{.Name}}” must be an amount in {{.Currency}} such as 12.50.", "Name", name, "Currency", string(in))
		}
		*price = exchange.Sum{Currency: in, Units: units}
		return nil
	}
	m, err := money.ParseMicros(name, plain)
	if err != nil {
		return wrong("“{{.Name}}” must be an amount in {{.Currency}} such as 12.50.", "Name", name, "Currency", "USD")
	}
	*to = m
	return nil
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
		return wrong("The place in the list cannot be read; begin at the newest.")
	}
	*to = report.Place{At: at, Number: number}
	return nil
}

// bound writes a bound of amounts, in US dollars or of the price; empty: there is none.
func bound(m money.Micros, price exchange.Sum) string {
	switch {
	case !price.None():
		return mail.Price(price.Amount(), string(price.Currency)).Kept()
	case m > 0:
		return mail.Dollars(m).Kept()
	}
	return ""
}

// momentText writes the bound of a span: at midnight the day alone.
func momentText(t time.Time) mail.Words {
	if t.Equal(session.Day(t)) {
		return mail.Date(t)
	}
	return mail.Date(t).Comma(mail.Number(t.Format("15:04")))
}

// chips are the parts of a filter in words, each with the list without it.
func chips(ctx context.Context, filter url.Values, f dashboard.FilterFields) (all []dashboard.Chip) {
	from, until := strings.TrimSpace(f.From+" "+f.FromTime), strings.TrimSpace(f.Until+" "+f.UntilTime)
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
		{dashboard.ChoiceText(ctx, f.Status, dashboard.StatusChoices), f.Status, []string{"status"}},
		{dashboard.ChoiceText(ctx, f.Network, dashboard.NetworkChoices), f.Network, []string{"network"}},
		{f.Token, f.Token, []string{"token"}},
		{dashboard.ChoiceText(ctx, f.Kind, dashboard.KindChoices), f.Kind, []string{"kind"}},
		{views.T(ctx, "From {{.Time}}", "Time", from), f.From, []string{"from", "fromTime"}},
		{views.T(ctx, "Through {{.Time}}", "Time", until), f.Until, []string{"until", "untilTime"}},
		{views.T(ctx, "At least {{.Amount}}", "Amount", f.Min+" "+cmp.Or(f.In, "USD")), f.Min, []string{"min"}},
		{views.T(ctx, "At most {{.Amount}}", "Amount", f.Max+" "+cmp.Or(f.In, "USD")), f.Max, []string{"max"}},
	} {
		if x.value != "" {
			add(x.text, x.names...)
		}
	}
	return all
}

// sentenceOfQuery writes a filter as its parts, for shell.Said: what is listed, and then each bound of it.
func sentenceOfQuery(q report.Query) string {
	all := mail.Words{Text: nounOf(q)}
	add := func(text string, args ...any) { all = all.Comma(mail.T(text, args...)) }
	if q.Token != "" {
		add("in {{.Token}}", "Token", string(q.Token))
	}
	if q.Network != "" {
		add("on {{.Network}}", "Network", views.NetworkName(string(q.Network)))
	}
	least, most := bound(q.Min, q.MinPrice), bound(q.Max, q.MaxPrice)
	if least != "" {
		add("at least {{.Amount}}", "Amount", least)
	}
	if most != "" {
		add("at most {{.Amount}}", "Amount", most)
	}
	if q.Text != "" {
		add("found by {{.Text}}", "Text", "“"+q.Text+"”") // whoever is erased is looked for between the quotes
	}
	if !q.From.IsZero() {
		add("from {{.Time}}", "Time", momentText(q.From))
	}
	if !q.Until.IsZero() {
		add("until {{.Time}}", "Time", momentText(q.Until))
	}
	if all.Text == "Payments" {
		all.Text = mail.T("All payments").Text
	}
	return all.Kept()
}

// nounOf says in English what a filter lists, by status and kind.
func nounOf(q report.Query) string {
	payments, donations := "Payments", "Donations"
	switch {
	case q.Attention:
		payments, donations = "Payments that need attention", "Donations that need attention"
	case q.Refunded:
		payments, donations = "Refunded payments", "Refunded donations"
	case len(q.Statuses) > 1:
		payments, donations = "Open payments", "Open donations"
	case len(q.Statuses) == 1:
		switch q.Statuses[0] {
		case payment.Pending:
			payments, donations = "Payments not started", "Donations not started"
		case payment.Started:
			payments, donations = "Payments waiting for money", "Donations waiting for money"
		case payment.Completed:
			payments, donations = "Paid payments", "Paid donations"
		case payment.Expired:
			payments, donations = "Expired payments", "Expired donations"
		case payment.Cancelled:
			payments, donations = "Cancelled payments", "Cancelled donations"
		}
	}
	if q.Kind == payment.KindDonation {
		return donations
	}
	return payments
}
