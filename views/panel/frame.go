package panel

import (
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/florinpay/florin/views"
)

// Frame is what every page of a signed-in user shows around its content.
type Frame struct {
	views.Page

	Title   string
	Section string // path of the current entry of the navigation, or of its tab
	Email   string
	// Operator adds the operator's entry to the navigation.
	Operator bool
	// May is what the user may do for the merchant. Pages leave out the rest.
	May May
	// Merchant is the public id of the merchant the user acts for, and Role
	// the user's role there. Merchants are all they can switch to.
	Merchant, Role string
	Merchants      []Choice
	Notices        []Notice
	// Attention is how many things need the merchant; 0 to 100.
	Attention int
	Now       time.Time
}

// May is what a user may do for a merchant.
type May struct {
	Read, Pay, Payments, Webhooks, Keys, Callback, Branding, Credits, Money, Complete, Team, Campaigns, Moderate bool
}

// Notice is one line above the page: what was just done, or what needs attention.
type Notice struct {
	Text string
	Bad  bool
	// Plain notices inform; they are neither good nor bad.
	Plain bool
	// Link and LinkText lead to where it can be fixed; may be empty.
	Link, LinkText string
	// Button does what fixes it; nil: there is none.
	Button *Button
}

// Button sends a form of hidden inputs.
type Button struct {
	ID, Text, Path string
	Inputs         map[string]string // value by name
}

// entry is an entry of the navigation. It has tabs where more than one page
// belongs to it.
type entry struct {
	Text, Path, Icon string
	tabs             []tab
}

// tab is one of several pages of an entry.
type tab struct{ Text, Path string }

// attentionPath is the entry that shows a count.
const attentionPath = "/dashboard/attention"

var navigation = []entry{
	{Text: "Overview", Path: "/dashboard", Icon: "home"},
	{Text: "Needs attention", Path: attentionPath, Icon: "bell"},
	{Text: "Payments", Path: "/dashboard/payments", Icon: "list"},
	{
		Text: "Collect", Icon: "plus",
		tabs: []tab{
			{"One payment", "/dashboard/create"},
			{"Payment links", "/dashboard/links"},
			{"Campaigns", "/dashboard/campaigns"},
		},
	},
	{Text: "Credits", Path: "/dashboard/credits", Icon: "coin"},
	{
		Text: "Settings", Icon: "wallet",
		tabs: []tab{
			{"Payouts", "/dashboard/settings/payouts"},
			{"Payout schedule", "/dashboard/settings/settlement"},
			{"Checkout", "/dashboard/settings/checkout"},
			{"News", "/dashboard/settings/news"},
		},
	},
	{
		Text: "Developers", Icon: "code",
		tabs: []tab{
			{"Quick start", "/dashboard/developers"},
			{"API keys", "/dashboard/keys"},
			{"Webhooks", "/dashboard/settings/webhooks"},
			{"Webhook log", "/dashboard/webhooks"},
		},
	},
	{Text: "Team", Path: "/dashboard/team", Icon: "team"},
	{Text: "Security", Path: "/dashboard/security", Icon: "lock"},
}

// entries returns the navigation of this user. It leaves out pages they may not
// open; an entry leads to the first of its tabs that they may.
func (f Frame) entries() []entry {
	var all []entry
	for _, e := range navigation {
		e.tabs = slices.DeleteFunc(slices.Clone(e.tabs), func(t tab) bool { return !f.opens(t.Path) })
		if len(e.tabs) > 0 {
			e.Path = e.tabs[0].Path
		}
		if e.Path != "" && f.opens(e.Path) {
			all = append(all, e)
		}
	}
	if f.Operator {
		all = append(all, operatorEntry)
	}
	return all
}

// opens reports whether the user may open a page of the navigation.
func (f Frame) opens(path string) bool {
	switch path {
	case "/dashboard/create":
		return f.May.Pay
	case "/dashboard/security":
		return true
	}
	return f.May.Read
}

// holds reports whether the page at the path belongs to the entry.
func (e entry) holds(section string) bool {
	return e.Path == section || slices.ContainsFunc(e.tabs, func(t tab) bool { return t.Path == section })
}

// here returns the entry the page belongs to; the zero entry if there is none.
func (f Frame) here() entry {
	for _, e := range f.entries() {
		if e.holds(f.Section) {
			return e
		}
	}
	return entry{}
}

// current is the value of aria-current: "page" for the page itself, "true" for
// the entry the page belongs to.
func (e entry) current(section string) string {
	if e.Path == section {
		return "page"
	}
	return "true"
}

// navigationIcons are line icons on a grid of 20 × 20 units.
var navigationIcons = map[string]string{
	"home":   "M3 9l7-6 7 6v8h-5v-5H8v5H3z",
	"list":   "M3 5h14M3 10h14M3 15h14",
	"plus":   "M10 4v12M4 10h12",
	"bell":   "M10 3a5 5 0 00-5 5v4l-1.5 2.5h13L15 12V8a5 5 0 00-5-5zM8 17h4",
	"coin":   "M10 2.5a7.5 7.5 0 100 15 7.5 7.5 0 000-15zM12.5 7.5H9a1.5 1.5 0 000 3h2a1.5 1.5 0 010 3H7.5M10 5.5v2M10 13.5v1",
	"wallet": "M3 6h13v10H3zM3 6V4h10v2M16 10h-3.5v2.5H16",
	"code":   "M7 6l-4 4 4 4M13 6l4 4-4 4",
	"lock":   "M5 9h10v8H5zM7 9V6.5a3 3 0 016 0V9",
	"team":   "M7.5 9.5a3 3 0 100-6 3 3 0 000 6zM2 17v-1.5a4 4 0 014-4h3a4 4 0 014 4V17M13.5 9.5a3 3 0 000-6M15 11.7a4 4 0 013 3.8V17",
	"gauge":  "M3 14a7 7 0 1114 0M10 14l3.5-5",
}

// Exact writes a time to the second, in a zone.
func Exact(ctx context.Context, t time.Time, zone *time.Location) string {
	t = t.In(zone)
	l := views.LocaleOf(ctx)
	return l.Comma(l.Day(t), t.Format("15:04:05 MST"))
}

// near reports whether a time is within a day of now.
func near(t, now time.Time) bool { return now.Sub(t).Abs() < 24*time.Hour }

// when writes a time of this year to the minute, and another as its day.
func when(ctx context.Context, t, now time.Time) string {
	t = t.In(now.Location())
	l := views.LocaleOf(ctx)
	if t.Year() != now.Year() {
		return l.Day(t)
	}
	return l.Comma(l.DayOfYear(t), t.Format("15:04"))
}

// relative writes the distance of a time from now in its largest useful unit,
// such as "3 hours ago" or "in 1 minute".
func relative(ctx context.Context, t, now time.Time) string {
	d := now.Sub(t)
	switch {
	case d < 0:
		n, unit := largest(-d)
		return views.N(ctx, [...]string{
			"in {{.N}} seconds", "in {{.N}} minutes", "in {{.N}} hours", "in {{.N}} days",
		}[unit], n)
	case d < 10*time.Second:
		return views.T(ctx, "just now")
	}
	n, unit := largest(d)
	return views.N(ctx, [...]string{
		"{{.N}} seconds ago", "{{.N}} minutes ago", "{{.N}} hours ago", "{{.N}} days ago",
	}[unit], n)
}

// Span writes a duration in its largest useful unit, such as "3 hours".
func Span(ctx context.Context, d time.Duration) string {
	n, unit := largest(d)
	return views.N(ctx, [...]string{"{{.N}} seconds", "{{.N}} minutes", "{{.N}} hours", "{{.N}} days"}[unit], n)
}

// largest is a duration in its largest useful unit: 0 for seconds, then minutes, hours and days.
func largest(d time.Duration) (n, unit int) {
	switch {
	case d >= 48*time.Hour:
		return int(d / (24 * time.Hour)), 3
	case d >= 2*time.Hour:
		return int(d / time.Hour), 2
	case d >= time.Minute:
		return int(d / time.Minute), 1
	}
	return int(d / time.Second), 0
}

// Count writes a number with its noun, in English: for the pages of operators.
func Count(n int64, noun string) string { return Plural(n, noun, noun+"s") }

// Plural is Count for a noun with an irregular plural.
func Plural(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Number(n) + " " + many
}

// Number writes n in English, with grouped digits.
func Number(n int64) string {
	if n < 0 {
		return "−" + views.LocaleFor("en").Amount(strconv.FormatUint(uint64(-n), 10))
	}
	return views.LocaleFor("en").Amount(strconv.FormatInt(n, 10))
}

// USD is Dollars in English.
func USD(plain string) string { return "$" + views.LocaleFor("en").Amount(plain) }

// Integer writes n in the language of the page.
func Integer(ctx context.Context, n int64) string {
	if n < 0 {
		return "−" + Integer(ctx, -n)
	}
	return views.LocaleOf(ctx).Integer(int(n))
}

// Dollars writes a plain decimal such as "1234.5" as dollars in the language of the page.
func Dollars(ctx context.Context, plain string) string {
	l := views.LocaleOf(ctx)
	if l.Tag == "en" {
		return USD(plain)
	}
	return l.Price(plain, "USD")
}

// statusText writes the status of a payment, webhook or sweep.
func statusText(status string) string {
	switch status {
	case "PENDING":
		return "Pending"
	case "STARTED":
		return "Started"
	case "COMPLETED":
		return "Completed"
	case "EXPIRED":
		return "Expired"
	case "CANCELLED":
		return "Cancelled"
	}
	return Sentence(strings.ToLower(status))
}

// meaning is the CSS class of the colour of a status.
func meaning(status string) string {
	switch status {
	case "COMPLETED", "DELIVERED", "CONFIRMED":
		return "is-good"
	case "EXPIRED", "FAILED", "STOPPED":
		return "is-bad"
	}
	return "is-wait"
}

// standings are the words and colours of each payment.Standing.
var standings = map[string]struct{ text, meaning string }{
	"NOT_STARTED": {"Not started", "is-wait"},
	"WAITING":     {"Waiting for payment", "is-wait"},
	"SEEN":        {"Seen", "is-seen"},
	"SHORT":       {"Short", "is-seen"},
	"PAID":        {"Paid", "is-good"},
	"OVER":        {"Over", "is-good"},
	"LATE":        {"Late", "is-seen"},
	"EXPIRED":     {"Expired", "is-bad"},
	"CANCELLED":   {"Cancelled", "is-bad"},
	"REORGED":     {"Taken back", "is-bad"},
	"RETURNED":    {"Refunded", "is-wait"},

	"PART_RETURNED": {"Partly refunded", "is-seen"},
}

// NetworkClass is the CSS class of the colour of a network, as in the API.
func NetworkClass(network string) string { return "net-" + strings.ToLower(network) }

// UpTo writes a count that is not counted beyond 99.
func UpTo(n int) string {
	if n > 99 {
		return "99+"
	}
	return strconv.Itoa(n)
}

// OrDash returns a dash for an empty text.
func OrDash(text string) string {
	if text == "" {
		return "–"
	}
	return text
}

// Sentence returns the text with its first letter capitalized.
func Sentence(text string) string {
	r, n := utf8.DecodeRuneInString(text)
	if n == 0 || r == utf8.RuneError {
		return text
	}
	return string(unicode.ToUpper(r)) + text[n:]
}

// Short returns the beginning and end of a long identifier. Tables show it, with
// the whole identifier in the title.
func Short(id string) string {
	if len(id) <= 14 {
		return id
	}
	return id[:8] + "…" + id[len(id)-4:]
}

// WithQuery returns a path with pairs of query names and values. It leaves out
// empty values.
func WithQuery(path string, pairs ...string) string {
	q := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			q.Set(pairs[i], pairs[i+1])
		}
	}
	if len(q) == 0 {
		return path
	}
	return path + "?" + q.Encode()
}

// operatorEntry leads to the pages of the operator.
var operatorEntry = entry{Text: "Operator", Path: "/operator", Icon: "gauge", tabs: []tab{
	{"Installation", "/operator"},
	{"Stuck work", "/operator/problems"},
	{"Users and keys", "/operator/users"},
	{"Settlement", "/operator/sweeps"},
	{"Top-ups", "/operator/topups"},
}}
