package dashboard

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store/report"
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/dashboard"
	"github.com/florinpay/florin/web/session"
	"github.com/florinpay/florin/web/shell"
)

// filterNames are the query parameters of a filter.
var filterNames = []string{"q", "status", "network", "token", "kind", "from", "until", "min", "max"}

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
		From: q.Get("from"), Until: q.Get("until"), Min: q.Get("min"), Max: q.Get("max"),
	}
	x = report.Query{Keys: who.KeyIDs(), Now: d.Shell.Now(), Text: f.Text[:min(len(f.Text), maxSearch)]}
	for _, read := range []func() error{
		func() error { return readStatus(f.Status, &x.Status) },
		func() error { return readNetwork(f.Network, &x.Network) },
		func() error { return readToken(f.Token, &x.Token) },
		func() error { return readKind(f.Kind, &x.Kind) },
		func() error { return readDay("from", f.From, 0, &x.From) },
		func() error { return readDay("through", f.Until, 1, &x.Until) },
		func() error { return readAmount("at least", f.Min, &x.Min) },
		func() error { return readAmount("at most", f.Max, &x.Max) },
		func() error { return readPlace(q.Get("after"), &x.After) },
	} {
		if err := read(); err != nil && problem == "" {
			problem = shell.Sentence(err.Error())
		}
	}
	return x, f, problem
}

func readStatus(text string, to *payment.Status) error {
	for _, s := range payment.Statuses() {
		if text == string(s) {
			*to = s
		}
	}
	return known(text, string(*to), "status")
}

func readNetwork(text string, to *chain.Network) error {
	if n, err := chain.ParseNetwork(text); err == nil {
		*to = n
	}
	return known(text, string(*to), "network")
}

func readToken(text string, to *money.Token) error {
	if t, err := money.ParseToken(text); err == nil {
		*to = t
	}
	return known(text, string(*to), "token")
}

func readKind(text string, to *payment.Kind) error {
	for _, k := range []payment.Kind{payment.KindMerchant, payment.KindDonation, payment.KindTopUp} {
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

func readDay(name, text string, add int, to *time.Time) error {
	if text == "" {
		return nil
	}
	t, err := time.Parse(session.DayFormat, text)
	if err != nil || t.Before(firstDay) {
		return fmt.Errorf("%q must be a day such as 2026-11-21", name)
	}
	*to = t.AddDate(0, 0, add)
	return nil
}

func readAmount(name, text string, to *money.Micros) error {
	if text = strings.TrimSpace(text); text == "" {
		return nil
	}
	m, err := money.ParseMicros(name, text)
	if err == nil {
		*to = m
	}
	return err
}

// formatPlace writes the place of a payment in the list, for the next page's address.
func formatPlace(p payment.Payment) string {
	return strconv.FormatInt(p.CreatedAt.UnixMicro(), 36) + "-" + strconv.FormatInt(p.Number, 36)
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

// sentenceOfQuery writes a filter as a sentence.
func sentenceOfQuery(q report.Query) string {
	var s strings.Builder
	if q.Status != "" {
		s.WriteString(strings.ToLower(string(q.Status)) + " ")
	}
	s.WriteString(
		map[payment.Kind]string{payment.KindDonation: "donations", payment.KindTopUp: "credit top-ups"}[q.Kind],
	)
	if q.Kind == "" || q.Kind == payment.KindMerchant {
		s.WriteString("payments")
	}
	if q.Token != "" {
		s.WriteString(" in " + string(q.Token))
	}
	if q.Network != "" {
		s.WriteString(" on " + views.NetworkName(string(q.Network)))
	}
	switch {
	case q.Min > 0 && q.Max > 0:
		s.WriteString(" of $" + q.Min.Display() + " to $" + q.Max.Display())
	case q.Min > 0:
		s.WriteString(" of at least $" + q.Min.Display())
	case q.Max > 0:
		s.WriteString(" of at most $" + q.Max.Display())
	}
	if q.Text != "" {
		s.WriteString(" found by “" + q.Text + "”")
	}
	if !q.From.IsZero() {
		s.WriteString(" from " + q.From.Format("2 January 2006"))
	}
	if !q.Until.IsZero() {
		s.WriteString(" through " + q.Until.AddDate(0, 0, -1).Format("2 January 2006"))
	}
	text := s.String()
	if text == "payments" {
		return "All payments"
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
