package views_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/donate"
)

func TestDonate(t *testing.T) {
	t.Parallel()
	p := sampleDonate("en")
	d := open(t, donate.Campaign(p))
	d.hasAll("raised", "donate-form", "amounts", "choose", "wall", "older", "copy-link", "languages")
	d.hasNone("paused", "ended", "problem", "no-donations")
	for _, want := range []string{"8,421.50\u00a0USD of 12,000\u00a0USD raised", "214 donations until Dec 21, 2026"} {
		if got := d.says("raised"); !strings.Contains(got, want) {
			t.Errorf("it reads %q, want %q in it", got, want)
		}
	}
	if got := len(d.elements(func(n *html.Node) bool { return attribute(n, "class") == "story" })); got != 2 {
		t.Errorf("the description has %d paragraphs, want 2", got)
	}
	if got := len(d.all("donation")); got != 2 {
		t.Errorf("%d donations are shown, want 2", got)
	}
	if got := content(d.all("donation")[1]); !strings.Contains(got, "Anonymous") ||
		!strings.Contains(got, "10\u00a0USDT") {
		t.Errorf("a donation without a name reads %q", got)
	}
}

// TestDonateForm: what is posted, where, and the choice when the page opens.
func TestDonateForm(t *testing.T) {
	t.Parallel()
	p := sampleDonate("es")
	d := open(t, donate.Campaign(p))
	if got, want := attribute(d.one("donate-form"), "action"), "/donate/winter-shelter/pay?lang=es"; got != want {
		t.Errorf("the form posts to %q, want %q", got, want)
	}
	if got := d.chosen("suggested"); got != "50" {
		t.Errorf("the amount is %q", got)
	}
	if via, token := d.chosen("via"), d.chosen("token"); via != "exchange" || token != "USDT" {
		t.Errorf("the money is at %q, in %q", via, token)
	}
	if got := d.ways("exchange", "USDC"); !slices.Equal(got, []string{"POLYGON", "BASE", "BEP20"}) {
		t.Errorf("offers %v", got)
	}
	if ancestor(d.one("pay-POLYGON-USDC"), "form") != d.one("donate-form") {
		t.Error("choosing a network does not send the donation")
	}
	p.Typed = url.Values{
		"suggested": {"other"}, "amount": {"7.5"}, "via": {"wallet"}, "token": {"USDC"}, "name": {"Eve"},
		"message": {"Hi"},
	}
	d = open(t, donate.Campaign(p))
	if d.chosen("suggested") != "other" || d.chosen("via") != "wallet" || d.chosen("token") != "USDC" ||
		attribute(d.one("amount"), "value") != "7.5" {
		t.Error("what was typed is lost")
	}
	p.Choices = nil
	d = open(t, donate.Campaign(p))
	d.hasAll("no-network")
	if got := d.elements(func(n *html.Node) bool {
		return n.Data == "button" && ancestor(n, "form") != nil
	}); len(got) > 0 {
		t.Error("a payment can be started without any network")
	}
}

// chosen is the value of the radio button of a name that is checked.
func (d document) chosen(name string) string {
	d.t.Helper()
	found := d.elements(func(n *html.Node) bool { return attribute(n, "name") == name && hasAttribute(n, "checked") })
	if len(found) != 1 {
		d.t.Fatalf("%d values of %s are chosen", len(found), name)
	}
	return attribute(found[0], "value")
}

func TestDonateStates(t *testing.T) {
	t.Parallel()
	for status, want := range map[donate.CampaignStatus]string{
		donate.CampaignPaused: "paused",
		donate.CampaignEnded:  "ended",
	} {
		p := sampleDonate("en")
		p.Status = status
		d := open(t, donate.Campaign(p))
		d.hasAll(want, "wall")
		d.hasNone("donate-form")
	}
	p := sampleDonate("en")
	p.Donations, p.Goal, p.Suggested, p.Donors = nil, "", nil, 1
	d := open(t, donate.Campaign(p))
	d.hasAll("no-donations", "amount")
	if got := d.says("raised"); !strings.HasPrefix(got, "8,421.50\u00a0USD raised") ||
		!strings.Contains(got, "1 donation ") {
		t.Errorf("without a goal it reads %q", got)
	}
}

// TestInputErrors: every error has words of its own, beside its field, and the field names them.
func TestInputErrors(t *testing.T) {
	t.Parallel()
	seen := map[string]donate.InputError{}
	for _, e := range []donate.InputError{
		donate.InputAmount, donate.InputTooSmall, donate.InputTooLarge,
		donate.InputWay, donate.InputTooLong, donate.InputText,
	} {
		p := sampleLink("en")
		p.Amount, p.Min, p.Max, p.Errors = "", "1", "500", map[string]donate.InputError{"amount": e}
		d := open(t, donate.PayLink(p))
		words := d.says("amount-problem")
		if other, ok := seen[words]; ok {
			t.Errorf("%s and %s have the same text %q", e, other, words)
		}
		seen[words] = e
		field := d.one("amount")
		if attribute(field, "aria-invalid") != "true" || attribute(field, "aria-describedby") != "amount-problem" {
			t.Errorf("%s: the field does not name its problem", e)
		}
	}
	for field := range map[string]bool{"name": true, "message": true, "way": true} {
		p := sampleDonate("en")
		p.Errors = map[string]donate.InputError{field: donate.InputText}
		open(t, donate.Campaign(p)).hasAll(field + "-problem")
	}
}

func TestPayLink(t *testing.T) {
	t.Parallel()
	fixed := open(t, donate.PayLink(sampleLink("fr")))
	if got, want := fixed.says("amount"), "18,50 USD"; got != want {
		t.Errorf("the amount reads %q, want %q", got, want)
	}
	form := ancestor(fixed.one("pay-POLYGON-USDC"), "form")
	if got, want := attribute(form, "action"), "/link/table-4?lang=fr"; got != want {
		t.Errorf("the form posts to %q, want %q", got, want)
	}
	closed := sampleLink("en")
	closed.Closed = true
	d := open(t, donate.PayLink(closed))
	d.hasAll("closed")
	d.hasNone("link-form", "choose")
	free := sampleLink("en")
	free.Amount, free.Choices = "", nil
	d = open(t, donate.PayLink(free))
	d.hasAll("open", "amount", "link-submit")
	if got, want := attribute(d.one("link-form"), "action"), "/link/table-4?lang=en"; got != want {
		t.Errorf("the form posts to %q, want %q", got, want)
	}
}

// TestDonateShare: what other sites show of a link to a campaign.
func TestDonateShare(t *testing.T) {
	t.Parallel()
	p := sampleDonate("en")
	d := open(t, donate.Campaign(p))
	for property, want := range map[string]string{
		"og:title": p.Title, "og:url": p.URL, "og:image": p.CardURL, "og:image:width": "1200", "og:image:height": "630",
		"og:description": "Our heating failed in October, and the repair costs more than a whole year of food. Every donation goes to the new heat pump. What is left over buys blankets.",
	} {
		found := d.elements(func(n *html.Node) bool { return attribute(n, "property") == property })
		if len(found) != 1 || attribute(found[0], "content") != want {
			t.Errorf("%s is not %q", property, want)
		}
	}
	p.Description = strings.Repeat("ä ", 300)
	if got := []rune(p.Summary()); len(got) > donate.MaxSummary+1 || got[len(got)-1] != '…' {
		t.Errorf("a long description is shared as %d characters", len(got))
	}
}

func TestWidget(t *testing.T) {
	t.Parallel()
	p := sampleDonate("en")
	d := open(t, donate.Widget(p))
	d.hasAll("raised", "give")
	if scripts := d.elements(func(n *html.Node) bool { return n.Data == "script" }); len(scripts) > 0 {
		t.Error("the widget runs scripts on other people's sites")
	}
	if give := d.one("give"); attribute(give, "href") != p.URL || attribute(give, "target") != "_blank" ||
		content(give) != "Donate" {
		t.Errorf("the button leads to %q", attribute(give, "href"))
	}
	p.Status = donate.CampaignEnded
	if got := content(open(t, donate.Widget(p)).one("give")); got != "Read more" {
		t.Errorf("an ended campaign says %q", got)
	}
}

// TestEmbeds: what merchants copy is well-formed whatever their campaign is called, and can be read.
func TestEmbeds(t *testing.T) {
	t.Parallel()
	const title = `"Rex" & <b>friends</b>`
	frame := document{t: t, root: parse(t, donate.EmbedHTML("https://pay.example/donate/a&b", title))}
	frames := frame.elements(func(n *html.Node) bool { return n.Data == "iframe" })
	if len(frames) != 1 || attribute(frames[0], "src") != "https://pay.example/donate/a&b/widget" || attribute(frames[0], "title") != title {
		t.Errorf("the frame is %v", frames)
	}
	for _, accent := range []string{"", "#ffd400", "#000", "red;}"} {
		button := document{t: t, root: parse(t, donate.ButtonHTML("https://pay.example/link/x", title, views.Merchant{Accent: accent}))}
		links := button.elements(func(n *html.Node) bool { return n.Data == "a" })
		if len(links) != 1 || content(links[0]) != title || strings.Contains(attribute(links[0], "style"), "red") {
			t.Errorf("the button is %v", links)
		}
	}
}
