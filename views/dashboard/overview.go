package dashboard

import (
	"cmp"
	"context"
	"strconv"
	"time"

	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/onboarding"
	"github.com/florinpay/florin/views/panel"
	"github.com/florinpay/florin/views/settings"
)

// OverviewProps is the first page.
type OverviewProps struct {
	panel.Frame

	// Setup sets up the shop of a new merchant; nil once there is one.
	Setup   *onboarding.Card
	Steps   []Step
	Alerts  []panel.Notice
	Odd     int                   // payments that need the merchant; 0 to 100
	Waiting []settings.WaitingRow // changes of where money goes
	Today   Today
	// Days is the range of the chart and the funnel, one of Ranges.
	Days   int
	Chart  Chart
	Volume string // the sum of the chart, with its currency
	Count  int64
	Funnel []FunnelStep
	// Conversion says how many of the started payments were paid.
	Conversion string
	// FunnelNewest is how many payments the funnel counts, the newest, if there are more; 0: it counts all.
	FunnelNewest int64
	Lists        OverviewListsProps
	Keys         []Balance
	// Currency is what the figures are read in, one of Currencies; empty: US dollars.
	Currency   string
	Currencies []string
}

// path is the overview of so many days, read in the currency.
func (p OverviewProps) path(base string, days int, currency string) string {
	path := panel.WithQuery(base, "days", strconv.Itoa(days))
	if len(p.Currencies) > 0 {
		path += "&in=" + cmp.Or(currency, "USD")
	}
	return path
}

// Today is what was paid today, beside the same day last week.
type Today struct {
	Volume, LastWeek string
	Count            int64
	Weekday          time.Weekday
}

func (t Today) words(ctx context.Context) string {
	return views.N(ctx, "{{.N}} payments.", int(t.Count)) + " " + views.T(ctx, lastWeek[t.Weekday], "Sum", t.LastWeek)
}

var lastWeek = [...]string{
	"Last Sunday: {{.Sum}}", "Last Monday: {{.Sum}}", "Last Tuesday: {{.Sum}}", "Last Wednesday: {{.Sum}}",
	"Last Thursday: {{.Sum}}", "Last Friday: {{.Sum}}", "Last Saturday: {{.Sum}}",
}

// Range is a length of time the overview can show.
type Range struct {
	Days int
	Text string
}

// Ranges are what the overview can show.
var Ranges = []Range{{7, "7 days"}, {30, "30 days"}, {90, "90 days"}, {365, "Year"}}

// FunnelStep is how many payments came so far, and what share of those before.
type FunnelStep struct {
	Text    string
	Count   int64
	Percent int64 // of all that were created
	// Lost says how many ended here, and how; empty for none.
	Lost string
}

// OverviewListsProps is the part of the overview that is updated live.
type OverviewListsProps struct {
	Open   string       // how many payments are open
	Recent []PaymentRow // the newest of all
	Now    time.Time
}

// oddText says how many payments need the merchant.
func oddText(ctx context.Context, n int) string {
	return views.N(ctx, "{{.Count}} payments need your attention.", n, "Count", panel.UpTo(n))
}

// Step is one of the first steps.
type Step struct {
	Text, Path string
	Done       bool
}

// creditsOf names the credits of a key; the key itself only where there is another.
func (p OverviewProps) creditsOf(ctx context.Context, b Balance) string {
	if len(p.Keys) < 2 {
		return views.T(ctx, "Credits left")
	}
	return views.T(ctx, "Left on “{{.Key}}”", "Key", b.Label)
}

// ConversionText says how many of the started payments were paid.
func ConversionText(ctx context.Context, started, paid int64) string {
	if started == 0 {
		return views.T(ctx, "No customer has chosen how to pay yet.")
	}
	return views.N(ctx, "Customers started {{.N}} payments and paid {{.Paid}}: {{.Percent}} %.", int(started),
		"Paid", panel.Integer(ctx, paid), "Percent", panel.Integer(ctx, Percent(min(paid, started), started)))
}

// Percent is the share of a part in a whole that is not 0, rounded to the nearest. Only all of it is 100, and only none
// of it is 0.
func Percent(part, whole int64) int64 {
	share := (part*200 + whole) / (whole * 2)
	if part > 0 && part < whole {
		return min(max(share, 1), 99)
	}
	return share
}

// left reports whether any step is left to do.
func (p OverviewProps) left() bool {
	for _, s := range p.Steps {
		if !s.Done {
			return true
		}
	}
	return false
}

// RunwayText says for how many days credits last. Left is that number; measured is
// how many days the pace was measured over.
func RunwayText(ctx context.Context, left, measured int64) string {
	if left < 1 {
		return views.N(ctx, "At the pace of the last {{.N}} days, they last less than a day.", int(measured))
	}
	return views.N(ctx, "At the pace of the last {{.N}} days, they last about {{.Time}}.", int(measured),
		"Time", views.N(ctx, "{{.N}} days", int(left)))
}

// Balance is what is left on a key.
type Balance struct {
	Label, KeyID string
	Credits      int64
	Queries      int64
	// Runway says for how long the credits last; empty if nothing is known.
	Runway string
}
