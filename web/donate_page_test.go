package web

import (
	"bytes"
	"image/png"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/campaign"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
)

// One address serves a page and JSON, and both answers have a Vary header.
func TestDonatePage(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m := b.newMerchant(15)
	c := b.newCampaign(m, func(d *campaign.Draft) { d.EndsAt = b.clock.Now().Add(time.Hour) })
	path := "/donate/" + c.Slug
	html := []string{"Accept", "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8"}
	page := b.ask("GET", path, "", html...)
	page.wants(t, 200, "Winter shelter", "0.00\u00a0USD of 100.00\u00a0USD raised", `property="og:image" content="https://pay.example`+path+`/card.png"`, "&lt;iframe", `sse-connect="`+path+`/live`)
	if got := page.header.Values("Vary"); !strings.Contains(strings.Join(got, ","), "Accept") ||
		page.header.Get("X-Frame-Options") != "DENY" {
		t.Errorf("headers are %v", page.header)
	}
	b.ask("GET", path, "", "Accept", "*/*").wants(t, 200, `"campaignId":"`+c.Slug+`"`)
	b.ask("HEAD", path, "").wants(t, 200)
	b.ask("GET", "/donate/unknown-one", "", html...).wants(t, 404, "<html")
	b.ask("GET", "/donate/unknown-one", "").wants(t, 404, `"code":404`)
	b.ask("GET", "/donate/a%00b", "").wants(t, 404)
	b.ask("GET", "/donate/"+strings.Repeat("x", 5000), "", html...).wants(t, 404)
	b.ask("GET", path+"?lang=ar", "", html...).wants(t, 200, `dir="rtl"`)

	widget := b.ask("GET", path+"/widget", "", html...)
	widget.wants(t, 200, "Winter shelter")
	csp := widget.header.Get("Content-Security-Policy")
	if widget.header.Get("X-Frame-Options") != "" || !strings.Contains(csp, "frame-ancestors *") ||
		strings.Contains(csp, "script-src") || strings.Contains(widget.body, "<script") {
		t.Errorf("the widget: %v", widget.header)
	}
	card := b.ask("GET", path+"/card.png", "")
	if _, err := png.Decode(bytes.NewReader([]byte(card.body))); card.status != 200 ||
		card.header.Get("Content-Type") != "image/png" || err != nil && len(card.body) == 0 {
		t.Errorf("the card: %d %v %v", card.status, card.header, err)
	}
	for _, missing := range []string{"/widget", "/card.png", "/live"} {
		b.ask("GET", "/donate/unknown-one"+missing, "").wants(t, 404)
	}
	b.clock.advance(2 * time.Hour)
	ended := b.ask("GET", path, "", html...)
	ended.wants(t, 200, "This campaign has ended")
	if strings.Contains(ended.body, "donate-form") {
		t.Error("an ended campaign has a form")
	}
}

// post sends a form as a browser on our own page does.
func (b *bundle) postForm(path string, form url.Values, header ...string) reply {
	b.t.Helper()
	return b.ask("POST", path, form.Encode(), append([]string{
		"Content-Type", "application/x-www-form-urlencoded", "Accept", "text/html", "Sec-Fetch-Site", "same-origin",
	}, header...)...)
}

// donationAt is the payment that an answer leads to: on the page of its campaign.
func (b *bundle) donationAt(c campaign.Campaign, r reply, lang string) payment.Payment {
	b.t.Helper()
	at, err := url.Parse(r.header.Get("Location"))
	must(b.t, err)
	if r.status != 303 || at.Path != "/donate/"+c.Slug || at.Query().Get("lang") != lang {
		b.t.Fatalf("%d to %q: %s", r.status, at, r.start())
	}
	p, err := b.payments.Get(b.t.Context(), at.Query().Get("pay"))
	must(b.t, err)
	return p
}

// TestDonateOnOnePage: every step of paying a donation stays on the page of its
// campaign, and no other payment is shown there.
func TestDonateOnOnePage(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m := b.newMerchant(20)
	c := b.newCampaign(m)
	asPage := []string{"Accept", "text/html"}
	p := b.donationAt(c, b.postForm("/donate/"+c.Slug+"/pay",
		url.Values{"suggested": {"other"}, "amount": {"7.50"}, "network": {"POLYGON"}, "token": {"USDC"}}), "")
	id, page := string(p.ID), "/donate/"+c.Slug+"?pay="+string(p.ID)
	route, _ := p.Route()

	act := func(name string) string { return "/pay/" + id + "/" + name + "?campaign=" + c.Slug }
	form := func(name string) string {
		return `action="/pay/` + id + "/" + name + "?campaign=" + c.Slug + `&amp;lang=en"`
	}

	waiting := b.ask("GET", page, "", asPage...)
	waiting.wants(t, 200, `data-testid="gift"`, `data-state="waiting"`, string(route.Address.Address)[:6], "http-equiv=\"refresh\"", `sse-connect="/pay/`+id+`/live?campaign=`+c.Slug)
	if strings.Contains(waiting.body, `data-testid="donate-form"`) || strings.Contains(waiting.body, "/donate/"+c.Slug+"/live") {
		t.Error("the page of a donation that is paid has a form, or a second stream")
	}
	b.ask("GET", page+"&view=choose", "", asPage...).wants(t, 200, form("start"))
	b.ask("GET", page+"&view=find", "", asPage...).wants(t, 200, form("find"))
	b.ask("POST", act("find"), "hash="+string(testHash(9)), asForm...).wants(t, 200, `data-testid="gift"`, `data-testid="finding"`)
	b.ask("POST", act("start"), "network=SOL&token=USDC", asForm...).wants(t, 422, `data-testid="gift"`, `data-testid="problem"`)
	b.ask("POST", act("start"), "network=POLYGON&token=USDT", asForm...).leads(t, page)
	b.ask("POST", act("start")+"&lang=fr", "network=POLYGON&token=USDC", asForm...).leads(t,
		"/donate/"+c.Slug+"?lang=fr&pay="+id)
	b.ask("GET", page+"&view=cancel", "", asPage...).wants(t, 200, form("cancel"))

	p, err := b.payments.Get(t.Context(), id)
	must(t, err)
	b.deposit(p, p.Amount, true)
	b.ask("GET", page, "", asPage...).wants(t, 200, `data-state="paid"`, `href="/donate/`+c.Slug+`?lang=en" data-testid="campaign"`, "/donate/"+c.Slug+"/live")

	other := b.donationAt(c,
		b.postForm("/donate/"+c.Slug+"/pay",
			url.Values{"suggested": {"other"}, "amount": {"8"}, "network": {"POLYGON"}, "token": {"USDC"}}), "")
	b.ask("POST", "/pay/"+string(other.ID)+"/cancel?campaign="+c.Slug, "", asForm...).leads(t,
		"/donate/"+c.Slug+"?pay="+string(other.ID))
	b.ask("GET", "/donate/"+c.Slug+"?pay="+string(other.ID), "", asPage...).wants(t, 200, `data-state="cancelled"`, `data-testid="campaign"`)

	sale := b.newPayment(m)
	for _, stranger := range []string{string(sale.ID), unknownTxn, "x", "%00"} {
		if got := b.ask("GET", "/donate/"+c.Slug+"?pay="+stranger, "", asPage...); got.status != 404 && got.status != 400 || strings.Contains(got.body, `data-testid="gift"`) {
			t.Errorf("pay=%s: %d", stranger, got.status)
		}
	}
	b.ask("POST", "/pay/"+string(sale.ID)+"/start?campaign="+c.Slug, "network=SOL&token=USDC", asForm...).wants(t, 404)
}

func TestDonateForm(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m := b.newMerchant(20)
	c := b.newCampaign(m)
	path := "/donate/" + c.Slug + "/pay"
	once := string(testID(b.clock.Now()))
	form := func(pairs ...string) url.Values {
		f := url.Values{
			"suggested": {"other"}, "amount": {"7.50"}, "network": {"POLYGON"}, "token": {"USDC"}, "name": {"Ada"},
			"message": {"Hi\r\nthere"}, "once": {once},
		}
		for i := 0; i < len(pairs); i += 2 {
			f.Set(pairs[i], pairs[i+1])
		}
		return f
	}
	first := b.postForm(path+"?lang=de", form("amount", "7,50"))
	p := b.donationAt(c, first, "de")
	if p.Amount != 7_500_000 || p.DonorMessage != "Hi\nthere" || p.Status != payment.Started {
		t.Errorf("started %+v", p)
	}
	if again := b.postForm(path+"?lang=de",
		form("amount", "7,50")); again.header.Get("Location") != first.header.Get("Location") || b.balance(m) != 19 {
		t.Errorf("twice the same form: %s, %d credits left", again.header.Get("Location"), b.balance(m))
	}
	for _, row := range []struct {
		name   string
		form   url.Values
		status int
		want   string
	}{
		{"no amount", form("amount", ""), 422, "amount-problem"},
		{"words", form("amount", "ten"), 422, "amount-problem"},
		{"too small", form("amount", "0.001"), 422, "amount-problem"},
		{"too much", form("amount", "2000000"), 422, "amount-problem"},
		{"a suggestion that is none", form("suggested", "<b>"), 422, "amount-problem"},
		{"no network", form("network", ""), 422, "way-problem"},
		{"a token that is none", form("token", "DOGE"), 422, "way-problem"},
		{"a network that is none", form("network", "DOGE"), 422, "way-problem"},
		{"not configured", form("network", "SOL"), 422, "problem"},
		{"long name", form("name", strings.Repeat("x", 81)), 422, "name-problem"},
		{"long message", form("message", strings.Repeat("語", 10_000)), 422, "message-problem"},
		{"bytes", form("message", "a\xff\xfeb"), 422, "message-problem"},
		{"NUL", form("name", "a\x00b"), 422, "name-problem"},
		{"nothing at all", url.Values{}, 422, "way-problem"},
	} {
		r := b.postForm(path, row.form)
		if r.status != row.status || !strings.Contains(r.body, `data-testid="`+row.want+`"`) {
			t.Errorf("%s: %d %s", row.name, r.status, plainText(r.body))
		}
	}
	t.Run("AllAtOnce", func(t *testing.T) {
		wrong := form("amount", "", "network", "", "name", "a\x00b", "message", strings.Repeat("x", 281))
		b.postForm(path, wrong).wants(t, 422,
			`data-testid="amount-problem"`, `data-testid="way-problem"`, `data-testid="name-problem"`, `data-testid="message-problem"`)
	})
	t.Run("Refused", func(t *testing.T) {
		b.postForm(path, form("message", strings.Repeat("x", 200_000))).wants(t, 400)
		b.postForm(path, form("name", `"><script>alert(1)</script>`, "amount", "")).wants(t, 422, "&lt;script&gt;alert(1)")
		b.postForm(path, form(), "Sec-Fetch-Site", "cross-site").wants(t, 403, "<html")
		b.postForm(path, form(), "Sec-Fetch-Site", "", "Origin", "https://evil.example").wants(t, 403)
		b.postForm("/donate/unknown-one/pay", form()).wants(t, 404, "<html")
		b.ask("POST", path, "amount=5", "Content-Type", "text/plain").wants(t, 415)
		if left := b.balance(m); left != 19 {
			t.Errorf("refusals took credits: %d left", left)
		}
	})
	b.networks.fallBehind(chain.Polygon)
	b.postForm(path, form("amount", "8")).wants(t, 503, `data-testid="problem"`)
	_, err := b.campaigns.Pause(t.Context(), []int64{m.key.ID}, c.Slug, audit.Act{})
	must(t, err)
	b.postForm(path, form("network", "BASE", "amount", "9")).wants(t, 409, "This campaign is paused")
}

// Text of donors and merchants is never markup.
func TestDonatePage_NothingIsMarkup(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	const canary = `</title><script>alert(1)</script>"><img src=x onerror=alert(2)>`
	c := b.newCampaign(b.newMerchant(15),
		func(d *campaign.Draft) { d.Title, d.Description, d.ShowAtOnce = canary, canary, true })
	p := b.gift(c, `{"amount":5,"network":"POLYGON","token":"USDC","name":`+strconv.Quote(canary)+`,"message":`+strconv.Quote(canary)+`}`)
	b.deposit(p, 5*money.USD, true)
	for _, path := range []string{
		"/donate/" + c.Slug, "/donate/" + c.Slug + "/widget", "/pay?txnid=" + string(p.ID),
		"/pay/" + string(p.ID) + "/receipt",
	} {
		r := b.ask("GET", path, "", "Accept", "text/html")
		r.wants(t, 200, "&lt;script&gt;alert(1)")
		if strings.Contains(r.body, "<script>alert") || strings.Contains(r.body, "<img src=x") {
			t.Errorf("%s: markup got through", path)
		}
	}
}
