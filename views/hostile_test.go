package views_test

import (
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/a-h/templ"
	"golang.org/x/net/html"

	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/checkout"
	"github.com/florinpay/florin/views/donate"
	"github.com/florinpay/florin/views/sandbox"
)

// hostilePages are the pages that show text of merchants and payers, with the given text in every place for it.
func hostilePages(t testing.TB, text string) map[string]templ.Component {
	t.Helper()
	merchant := views.Merchant{
		Name: text, Tagline: text, Host: text, HostVerified: true, SupportEmail: text, LogoURL: text,
		Accent: text, Background: text, Theme: text,
	}
	deposits := []checkout.Deposit{
		{Kind: checkout.DepositOther, Network: text, Token: text, Amount: text, Hash: text, ExplorerURL: text},
		{Kind: checkout.DepositFinal, Network: text, Token: text, Amount: text, Hash: text, ExplorerURL: text},
	}
	pages := map[string]templ.Component{
		"receipt": checkout.Receipt(checkout.ReceiptProps{
			Page: views.Page{Lang: text, Nonce: "n"}, Merchant: merchant, TxnID: text, Reference: text,
			Description: text,
			Amount:      text, Received: text, Network: text, Token: text, Address: text, Deposits: deposits, VerifyURL: "https://pay.example",
		}),
		"failure": views.Failure(views.FailureProps{Page: views.Page{Lang: text, Nonce: "n"}, RequestID: text, Path: text, Again: text, Kind: views.FailureKind(text)}),
		"sandbox": sandbox.Page(sandbox.Props{
			Page: views.Page{Nonce: "n"}, Notice: text, APIKey: text, BaseURL: text, Receiver: text,
			Payments: []sandbox.Payment{{
				TxnID: text, Amount: text, Network: text, Token: text, Address: text,
				Status: text, Received: text,
			}},
			Inbox: []sandbox.Delivery{{
				ID: text, Status: text, TxnID: text, Body: text, Verdict: text,
				Headers: []sandbox.Header{{Name: text, Value: text}},
			}},
			Mails: []sandbox.Mail{{To: text, Subject: text, Text: text}},
		}),
	}
	give := sampleDonate("en")
	give.Merchant, give.CampaignID, give.Title, give.Description, give.Raised, give.Goal = merchant, text, text, text,
		text, text
	give.Suggested, give.Donations = []string{text},
		[]donate.Donation{{
			Name: text, Message: text, Amount: text, Token: text, Network: text, Hash: text,
			ExplorerURL: text,
		}}
	give.Typed = url.Values{
		"suggested": {text}, "amount": {text}, "token": {text}, "via": {text},
		"name": {text}, "message": {text},
	}
	pages["donate"], pages["donate-widget"] = donate.Campaign(give), donate.Widget(give)
	pages["link"] = donate.PayLink(donate.LinkProps{
		Merchant: merchant, Slug: text, Description: text,
		Typed: give.Typed, Min: text, Max: text,
	})
	for _, s := range checkoutSamples {
		p := s.props(t, "en")
		p.Merchant, p.TxnID, p.Description, p.Reference, p.Deposits = merchant, text, text, text,
			append(p.Deposits, deposits...)
		p.ReturnURL, p.CancelURL, p.ExplorerURL, p.Hash = text, text, text, text
		p.Choices = append(p.Choices,
			checkout.NetworkChoice{Network: text, Tokens: []checkout.TokenChoice{{Token: text}}, FeeUSD: text})
		if p.Lookup != nil {
			f := *p.Lookup
			f.Asked, f.Network, f.Token, f.ExplorerURL = text, text, text, text
			p.Lookup = &f
		}
		if p.Pay != nil {
			p.Pay.Address, p.Pay.PaymentURI, p.Pay.Network = text, text, text
		}
		pages["checkout-"+s.name] = checkout.Pay(p)
		onCampaign := p.OnCampaign(text)
		paying := give
		paying.Paying = &onCampaign
		pages["gift-"+s.name] = donate.Campaign(paying)
	}
	return pages
}

// linkSchemes are what links may begin with.
var linkSchemes = []string{"http://", "https://", "mailto:", "ethereum:", "solana:", "/", "?", "#", "about:invalid#TemplFailedSanitizationURL"}

// misuse describes what in a page would run or lead to a forbidden place; empty if nothing does.
func misuse(d document) []string {
	var found []string
	for _, n := range d.elements(func(*html.Node) bool { return true }) {
		if n.Data == "script" && (!strings.HasPrefix(attribute(n, "src"), "/static/") || content(n) != "") {
			found = append(found, "a script of its own")
		}
		if slices.Contains([]string{"iframe", "object", "embed", "base", "applet", "frame"}, n.Data) {
			found = append(found, "<"+n.Data+">")
		}
		for _, a := range n.Attr {
			value := strings.ToLower(strings.TrimSpace(a.Val))
			link := a.Key == "href" || a.Key == "src" || a.Key == "action" || a.Key == "formaction" ||
				a.Key == "xlink:href"
			switch {
			case strings.HasPrefix(a.Key, "on"), a.Key == "style", a.Key == "srcdoc", strings.HasPrefix(a.Key, "hx-on"):
				found = append(found, a.Key+"="+a.Val)
			case link && strings.HasPrefix(value, "//"):
				found = append(found, a.Key+"="+a.Val)
			case link && value != "" &&
				!slices.ContainsFunc(linkSchemes,
					func(s string) bool { return strings.HasPrefix(value, strings.ToLower(s)) }):
				found = append(found, a.Key+"="+a.Val)
			}
		}
	}
	return found
}

// parts counts the elements that no text may add: anything but groups of an address, links with their rows and logos.
func (d document) parts() int {
	return len(d.elements(func(n *html.Node) bool {
		return !slices.Contains([]string{"span", "b", "wbr", "a", "p", "img", "div"}, n.Data)
	}))
}

// styles is the text of all style elements of a page.
func (d document) styles() string {
	var b strings.Builder
	for _, n := range d.elements(func(n *html.Node) bool { return n.Data == "style" }) {
		b.WriteString(content(n))
	}
	return b.String()
}

var hostileTexts = []string{
	`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `' onmouseover='alert(1)`, `javascript:alert(1)`,
	` JaVaScRiPt:alert(1)`, "java\tscript:alert(1)", "java\nscript:alert(1)", `data:text/html,<script>alert(1)</script>`,
	`vbscript:msgbox(1)`, `//evil.example/x`, `/\evil.example`, `</style><script>alert(1)</script>`, `</title><script>alert(1)</script>`,
	`red;}*{display:none}`, `url(https://evil.example/)`, `#fff;}body{display:none`, `<!--`, `]]>`, "\u202egnp.exe\u202c",
	`{{.Merchant}}`, `<svg/onload=alert(1)>`, `&lt;script&gt;`, `&#x6a;avascript:alert(1)`, "\x00\xff\xfe", `--><script>alert(1)</script>`,
	`"; hx-get="/x`, `/`, `https://user:pass@evil.example/"><script>`, `mailto:x`, `?subject=x&bcc=all@evil.example`,
}

// TestHostileText: text of merchants and payers reaches a page as text, never as markup, script, style or address.
func TestHostileText(t *testing.T) {
	t.Parallel()
	harmless := map[string]int{}
	for name, page := range hostilePages(t, "harmless") {
		harmless[name] = open(t, page).parts()
	}
	for _, text := range hostileTexts {
		for name, page := range hostilePages(t, text) {
			d := open(t, page)
			for _, found := range misuse(d) {
				t.Errorf("%s with %q: %s", name, text, found)
			}
			if got := d.parts(); got != harmless[name] {
				t.Errorf("%s with %q has %d parts instead of %d", name, text, got, harmless[name])
			}
			if len(text) > 3 && strings.Contains(d.styles(), text) {
				t.Errorf("%s with %q: it reached the style sheet", name, text)
			}
		}
	}
}

// TestHostileTextIsShown: the text of a merchant is shown unchanged.
func TestHostileTextIsShown(t *testing.T) {
	t.Parallel()
	const text = `<b>"Tom & Jerry's"</b>`
	p := sampleCheckout(t, "en")
	p.Merchant.Name, p.Description, p.Reference = text, text, text
	d := open(t, checkout.Pay(p))
	for _, id := range []string{"merchant", "description"} {
		if got := d.says(id); got != text {
			t.Errorf("%s reads %q, want %q", id, got, text)
		}
	}
}

// TestMisuse: misuse finds each of the faults it looks for.
func TestMisuse(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{
		`<script>x</script>`, `<script src="https://evil.example/x.js"></script>`, `<a href="javascript:x">`, `<a href=" JAVASCRIPT:x">`,
		`<img src=x onerror=y>`, `<p style="color:red">`, `<iframe>`, `<a href="//evil.example">`, `<form action="data:x">`, `<base href="/">`,
	} {
		if found := misuse(document{t: t, root: parse(t, bad)}); len(found) == 0 {
			t.Errorf("%s passes", bad)
		}
	}
}

// FuzzHostileText puts any text into every page.
func FuzzHostileText(f *testing.F) {
	for _, text := range hostileTexts {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		pages := hostilePages(t, text)
		for _, name := range slices.Sorted(maps.Keys(pages)) {
			for _, found := range misuse(open(t, pages[name])) {
				t.Errorf("%s with %q: %s", name, text, found)
			}
		}
	})
}

func TestWebHref(t *testing.T) {
	t.Parallel()
	for text, ok := range map[string]bool{
		"https://shop.example/a?b=c": true, "http://shop.example": true, "javascript:alert(1)": false, "//shop.example": false,
		"shop.example": false, "": false, "https://": false, "ftp://shop.example": false, "https:shop.example": false, "\x01https://shop.example": false,
	} {
		if _, got := views.WebHref(text); got != ok {
			t.Errorf("WebHref(%q) is accepted: %t, want %t", text, got, ok)
		}
		if _, got := views.ReturnHref(text, "t", "s"); got != ok {
			t.Errorf("ReturnHref(%q) is accepted: %t, want %t", text, got, ok)
		}
	}
	for text, ok := range map[string]bool{"/logo.png": true, "//evil.example/x.png": false, `/\evil.example`: false, "https://cdn.example/x.png": true, "data:image/svg+xml,x": false} {
		if _, got := views.ImageSrc(text); got != ok {
			t.Errorf("ImageSrc(%q) is accepted: %t, want %t", text, got, ok)
		}
	}
	for text, want := range map[string]templ.SafeURL{
		"ethereum:0x1@1": "ethereum:0x1@1", "solana:abc": "solana:abc",
		"javascript:x": templ.FailedSanitizationURL, "https://x.example": templ.FailedSanitizationURL, "": templ.FailedSanitizationURL,
	} {
		if got := views.WalletHref(text); got != want {
			t.Errorf("WalletHref(%q) = %q, want %q", text, got, want)
		}
	}
}
