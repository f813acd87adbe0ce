package views

import (
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"

	"github.com/florinpay/florin/internal/input"
)

// groups cuts an address or hash into groups of four, the first with its 0x, for comparing by eye.
// Joined they are the text again: the gaps are drawn by CSS, so that a selection copies the plain
// address.
func groups(s string) []string {
	prefix := ""
	if rest, ok := strings.CutPrefix(s, "0x"); ok {
		prefix, s = "0x", rest
	}
	var out []string
	for len(s) > 4 {
		out, s = append(out, prefix+s[:4]), s[4:]
		prefix = ""
	}
	return append(out, prefix+s)
}

// WalletHref is a payment request as a link; anything but the two schemes of wallets is refused.
func WalletHref(uri string) templ.SafeURL {
	for _, scheme := range []string{"ethereum:", "solana:"} {
		if strings.HasPrefix(uri, scheme) {
			return templ.SafeURL(uri)
		}
	}
	return templ.FailedSanitizationURL
}

// WebHref is an http or https address, or none: other schemes in a merchant's link would run in our origin.
func WebHref(s string) (templ.SafeURL, bool) {
	u, err := url.Parse(s)
	if err != nil || u.Host == "" || (u.Scheme != "https" && u.Scheme != "http") {
		return "", false
	}
	return templ.SafeURL(u.String()), true
}

// ImageSrc is webHref, or a path of our own origin.
func ImageSrc(s string) (string, bool) {
	// Browsers read a backslash as a slash: "/\host" would be another origin.
	if strings.HasPrefix(s, "/") && !strings.HasPrefix(s, "//") && !strings.Contains(s, `\`) {
		return s, true
	}
	u, ok := WebHref(s)
	return string(u), ok
}

// ReturnHref is the merchant's link with status and txnid at the end of its query. The rest of it stays as the merchant
// wrote it, byte for byte: a shop may know its order by a query that another program would write otherwise.
func ReturnHref(link, txnID, status string) (templ.SafeURL, bool) {
	if _, ok := input.Origin(link); !ok {
		return "", false
	}
	link, fragment, hasFragment := strings.Cut(link, "#")
	switch {
	case !strings.Contains(link, "?"):
		link += "?"
	case !strings.HasSuffix(link, "?") && !strings.HasSuffix(link, "&"):
		link += "&"
	}
	link += "status=" + url.QueryEscape(status) + "&txnid=" + url.QueryEscape(txnID)
	if hasFragment {
		link += "#" + fragment
	}
	return templ.SafeURL(link), true
}

// Comma joins texts with commas.
func (l *Locale) Comma(texts ...string) string {
	all := texts[0]
	for _, text := range texts[1:] {
		all = l.T("{{.First}}, {{.Next}}", "First", all, "Next", text)
	}
	return all
}

// Span writes n seconds, in whole seconds below 90 and in whole minutes above; ids are the
// two messages.
func (l *Locale) Span(n int, secondsID, minutesID string) string {
	if n < 90 {
		return l.N(secondsID, max(n, 1))
	}
	return l.N(minutesID, (n+30)/60)
}

// ClockText is mm:ss, or h:mm:ss from an hour.
func ClockText(seconds int) string {
	d := time.Duration(max(seconds, 0)) * time.Second
	h, m, s := int(d.Hours()), int(d.Minutes())%60, int(d.Seconds())%60
	two := func(n int) string { return string([]byte{byte('0' + n/10), byte('0' + n%10)}) }
	if h > 0 {
		return strconv.Itoa(h) + ":" + two(m) + ":" + two(s)
	}
	return two(m) + ":" + two(s)
}
