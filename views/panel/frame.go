package panel

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/florinpay/florin/views"
)

// Frame is what every page for somebody who is signed in shows around its own.
type Frame struct {
	views.Page

	Title   string
	Section string // path of the rail's word, or of its part, that is current
	Email   string
	// Operator shows the operator's word in the rail.
	Operator bool
	// May is what the reader may do for the merchant; what they may not is not
	// offered.
	May May
	// Merchant is whose account it is, where that is not the reader's own;
	// Merchants are those the reader can change to.
	Merchant, Role string
	Merchants      []Choice
	Notices        []Notice
	Now            time.Time
}

// May is what somebody may do for a merchant.
type May struct {
	Read, Pay, Payments, Webhooks, Keys, Callback, Branding, Credits, Money, Complete, Team, Campaigns, Moderate bool
}

// Notice is one line above the page: what has just been done, or what needs care.
type Notice struct {
	Text string
	Bad  bool
	// Plain: neither good nor bad, but to be known.
	Plain bool
	// Link and LinkText lead to where it is settled; may be empty.
	Link, LinkText string
}

// word is one of the rail's nine; parts are the pages behind it, where there is
// more than one.
type word struct {
	Text, Path, Icon string
	parts            []part
}

// part is a page of a word, as a tab on it.
type part struct{ Text, Path string }

var rail = []word{
	{Text: "Overview", Path: "/dashboard", Icon: "home"},
	{Text: "Payments", Path: "/dashboard/payments", Icon: "list"},
	{Text: "Collect", Icon: "plus", parts: []part{{"One payment", "/dashboard/create"}, {"Payment links", "/dashboard/links"}, {"Campaigns", "/dashboard/campaigns"}}},
	{Text: "Keys", Path: "/dashboard/keys", Icon: "key"},
	{Text: "Credits", Path: "/dashboard/credits", Icon: "coin"},
	{Text: "Custodian", Icon: "wallet", parts: []part{{"Money and callbacks", "/dashboard/custodian"}, {"Branding", "/dashboard/branding"}}},
	{Text: "Developers", Icon: "code", parts: []part{{"Quick start", "/dashboard/developers"}, {"Webhooks", "/dashboard/webhooks"}}},
	{Text: "Team", Path: "/dashboard/team", Icon: "people"},
	{Text: "Security", Path: "/dashboard/security", Icon: "lock"},
}

// words are the rail of this page's reader: what they may not open is left out,
// and a word leads to the first of its parts that they may.
func (f Frame) words() []word {
	var words []word
	for _, w := range rail {
		w.parts = slices.DeleteFunc(slices.Clone(w.parts), func(p part) bool { return !f.opens(p.Path) })
		if len(w.parts) > 0 {
			w.Path = w.parts[0].Path
		}
		if w.Path != "" && f.opens(w.Path) {
			words = append(words, w)
		}
	}
	if f.Operator {
		words = append(words, operatorWord)
	}
	return words
}

// opens tells whether the reader may open a page of the rail.
func (f Frame) opens(path string) bool {
	switch path {
	case "/dashboard/create":
		return f.May.Pay
	case "/dashboard/security":
		return true
	}
	return f.May.Read
}

// holds tells whether the page belongs to the word.
func (w word) holds(section string) bool {
	return w.Path == section || slices.ContainsFunc(w.parts, func(p part) bool { return p.Path == section })
}

// here is the word the page belongs to; one without parts for a page of none.
func (f Frame) here() word {
	for _, w := range f.words() {
		if w.holds(f.Section) {
			return w
		}
	}
	return word{}
}

// current says to a screen reader where in the navigation it is: at this very
// page, or at the word the page belongs to.
func (w word) current(section string) string {
	if w.Path == section {
		return "page"
	}
	return "true"
}

// railIcons are line icons of 20 units square, like those of package views.
var railIcons = map[string]string{
	"home":   "M3 9l7-6 7 6v8h-5v-5H8v5H3z",
	"list":   "M3 5h14M3 10h14M3 15h14",
	"plus":   "M10 4v12M4 10h12",
	"key":    "M12.5 3a4.5 4.5 0 11-3.9 6.7L3 15.3V17h3v-2h2v-2h1.5M13.5 6.5v.01",
	"coin":   "M10 2.5a7.5 7.5 0 100 15 7.5 7.5 0 000-15zM12.5 7.5H9a1.5 1.5 0 000 3h2a1.5 1.5 0 010 3H7.5M10 5.5v2M10 13.5v1",
	"wallet": "M3 6h13v10H3zM3 6V4h10v2M16 10h-3.5v2.5H16",
	"code":   "M7 6l-4 4 4 4M13 6l4 4-4 4",
	"lock":   "M5 9h10v8H5zM7 9V6.5a3 3 0 016 0V9",
	"people": "M7.5 9.5a3 3 0 100-6 3 3 0 000 6zM2 17v-1.5a4 4 0 014-4h3a4 4 0 014 4V17M13.5 9.5a3 3 0 000-6M15 11.7a4 4 0 013 3.8V17",
	"gauge":  "M3 14a7 7 0 1114 0M10 14l3.5-5",
}

// exact is a time to the second, for whoever needs it.
func exact(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") }

// relative says how long ago or ahead a time is, in the one unit that matters.
func relative(t, now time.Time) string {
	d := now.Sub(t)
	ahead := d < 0
	if ahead {
		d = -d
	}
	n, unit := int64(d/time.Second), "second"
	switch {
	case d < 10*time.Second && !ahead:
		return "just now"
	case d >= 48*time.Hour:
		n, unit = int64(d/(24*time.Hour)), "day"
	case d >= 2*time.Hour:
		n, unit = int64(d/time.Hour), "hour"
	case d >= time.Minute:
		n, unit = int64(d/time.Minute), "minute"
	}
	text := Count(n, unit)
	if ahead {
		return "in " + text
	}
	return text + " ago"
}

// Count is a number with its noun.
func Count(n int64, noun string) string { return Plural(n, noun, noun+"s") }

// Plural is count for a noun with a plural of its own.
func Plural(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Number(n) + " " + many
}

// Number groups the digits of n.
func Number(n int64) string {
	if n < 0 {
		return "−" + views.LocaleFor("en").Amount(strconv.FormatUint(uint64(-n), 10))
	}
	return views.LocaleFor("en").Amount(strconv.FormatInt(n, 10))
}

// USD writes a plain decimal as dollars.
func USD(plain string) string { return "$" + views.LocaleFor("en").Amount(plain) }

// statusText and meaning are how a payment's status is written and coloured.
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

func meaning(status string) string {
	switch status {
	case "COMPLETED", "DELIVERED", "CONFIRMED":
		return "is-good"
	case "EXPIRED", "FAILED", "STOPPED":
		return "is-bad"
	}
	return "is-wait"
}

// OrDash shows that there is nothing to show.
func OrDash(text string) string {
	if text == "" {
		return "–"
	}
	return text
}

// Sentence begins with a capital.
func Sentence(text string) string {
	r, n := utf8.DecodeRuneInString(text)
	if n == 0 || r == utf8.RuneError {
		return text
	}
	return string(unicode.ToUpper(r)) + text[n:]
}

// Short is the beginning and end of a long identifier, for tables; the whole
// one is on the page behind it and in the title.
func Short(id string) string {
	if len(id) <= 14 {
		return id
	}
	return id[:8] + "…" + id[len(id)-4:]
}

// WithQuery returns a path with query pairs; empty values are left out.
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

// operatorWord leads to the operator's area.
var operatorWord = word{Text: "Operator", Path: "/operator", Icon: "gauge", parts: []part{
	{"Installation", "/operator"},
	{"Stuck work", "/operator/trouble"},
	{"Users and keys", "/operator/users"},
	{"Settlement", "/operator/sweeps"},
	{"Top-ups", "/operator/topups"},
}}
