package web

import (
	"bytes"
	"image/png"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/campaign"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/web/shell"
)

// newCampaign makes a campaign of the merchant with a slug of its own.
func (b *bundle) newCampaign(m seller, change ...func(*campaign.Draft)) campaign.Campaign {
	b.t.Helper()
	in := campaign.Draft{
		Slug: "c-" + strings.ToLower(string(testID(b.clock.Now()))), Title: "Winter shelter", Description: "One.\n\nTwo.", Goal: "100", Suggested: []string{"5", "25"},
	}
	for _, f := range change {
		f(&in)
	}
	c, err := b.campaigns.Create(b.t.Context(), m.key.ID, in)
	must(b.t, err)
	return c
}

// gift starts a donation over REST and returns its payment.
func (b *bundle) gift(c campaign.Campaign, body string, header ...string) payment.Payment {
	b.t.Helper()
	r := b.ask("POST", "/donate/"+c.Slug+"/pay", body, header...)
	if r.status != 200 {
		b.t.Fatalf("donate: %d %s", r.status, r.body)
	}
	p, err := b.payments.Get(b.t.Context(), r.text(b.t, "transaction.txnid"))
	must(b.t, err)
	return p
}

const giftOfFive = `{"amount":5,"network":"POLYGON","token":"USDC","name":"Ada","message":"For Rex"}`

// badDonations are what StartDonation refuses, on both surfaces alike.
func badDonations() []badRow {
	row := func(name, body, arguments string, code int, says ...string) badRow {
		return badRow{
			name: "donation: " + name, prepare: func(b *bundle) (string, string) { return "", b.newCampaign(b.newMerchant(5)).Slug },
			method: "POST", path: "/donate/$B/pay", body: body,
			query: `mutation { StartDonation(campaignId: "$B", ` + arguments + `) { code message paymentLink transaction { txnid } } }`,
			field: "StartDonation", code: code, says: says,
		}
	}
	text := func(name, field, value string, says ...string) badRow {
		return row(name, `{"amount":5,"network":"POLYGON","token":"USDC","`+field+`":"`+value+`"}`,
			`amount: 5, network: POLYGON, token: USDC, `+field+`: "`+value+`"`, 400, append(says, field)...)
	}
	on := func(r badRow, prepare func(*bundle) string) badRow {
		r.prepare = func(b *bundle) (string, string) { return "", prepare(b) }
		return r
	}
	five := func(name string, code int, says ...string) badRow {
		return row(name, `{"amount":5,"network":"POLYGON","token":"USDC"}`, `amount: 5, network: POLYGON, token: USDC`, code, says...)
	}
	changed := func(act func(*campaign.Service, *bundle, seller, string) error) func(*bundle) string {
		return func(b *bundle) string {
			m := b.newMerchant(5)
			c := b.newCampaign(m)
			must(b.t, act(b.campaigns, b, m, c.Slug))
			return c.Slug
		}
	}
	return []badRow{
		row("no amount", `{"network":"POLYGON","token":"USDC"}`, `amount: "x", network: POLYGON, token: USDC`, 400, "amount"),
		row("negative", `{"amount":-5,"network":"POLYGON","token":"USDC"}`, `amount: -5, network: POLYGON, token: USDC`, 400, "amount"),
		row("seven places", `{"amount":0.0000001,"network":"POLYGON","token":"USDC"}`, `amount: 0.0000001, network: POLYGON, token: USDC`, 400, "amount"),
		row("too much", `{"amount":1e9,"network":"POLYGON","token":"USDC"}`, `amount: 1e9, network: POLYGON, token: USDC`, 400, "amount", "at most"),
		row("not configured", `{"amount":5,"network":"SOL","token":"USDC"}`, `amount: 5, network: SOL, token: USDC`, 422, "network"),
		text("long message", "message", strings.Repeat("x", 10_000), "280"),
		text("long name", "name", strings.Repeat("ä", 81), "80"),
		text("lines in a name", "name", `a\nb`),
		text("NUL", "message", `a\u0000b`),
		text("escape", "message", `a\u001bb`),
		text("writing backwards", "name", `\u202eada`),
		on(five("unknown campaign", 404, "campaignId"), func(*bundle) string { return "nothing-like-it" }),
		on(five("malformed campaign", 404, "campaignId"), func(*bundle) string { return "A_B" }),
		on(five("paused", 409, "paused"), changed(func(s *campaign.Service, b *bundle, m seller, slug string) error {
			_, err := s.Pause(b.t.Context(), []int64{m.key.ID}, slug)
			return err
		})),
		on(five("ended", 409, "ended"), changed(func(s *campaign.Service, b *bundle, m seller, slug string) error {
			_, err := s.End(b.t.Context(), []int64{m.key.ID}, slug)
			return err
		})),
		on(five("key revoked", 409, "API key"), changed(func(_ *campaign.Service, b *bundle, m seller, _ string) error {
			return b.store.RevokeKey(b.t.Context(), m.key.UserID, m.key.ID, b.clock.Now())
		})),
		on(five("no credits", 402, "credit"), func(b *bundle) string { return b.newCampaign(b.newMerchant(0)).Slug }),
		on(five("no custodian", 409, "custodian"), func(b *bundle) string { return b.newCampaign(b.newKey(5, 5)).Slug }),
	}
}

// A donation through its life: one credit, an ordinary payment, and a total
// that is the money of completed payments.
func TestDonation(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m := b.newMerchant(5)
	c := b.newCampaign(m)
	path := "/donate/" + c.Slug
	p := b.gift(c, giftOfFive)
	if p.Kind != payment.KindDonation || p.Status != payment.Started || p.CampaignID != c.Number || b.balance(m) != 4 ||
		p.SuccessURL != testBaseURL+path || p.Metadata["campaignId"] != c.Slug || p.Description != c.Title {
		t.Errorf("started as %+v, %d credits left", p, b.balance(m))
	}
	raised := func(want, donors string) {
		t.Helper()
		r := b.ask("GET", path, "")
		if r.text(t, "campaign.raisedAmount") != want || r.text(t, "campaign.donorsCount") != donors {
			t.Errorf("raised %s of %s donors: %s", want, donors, r.body)
		}
	}
	raised("0", "0")
	b.deposit(p, 2*money.USD, true)
	raised("0", "0")
	p = b.deposit(p, 4*money.USD, true)
	raised("6", "1")
	r := b.graphQL(`query($c: String!) { getDonate(campaignId: $c) { code message campaign { campaignId title description goalAmount raisedAmount donorsCount
		suggestedAmounts status networks owner { name logoUrl } donations { name message amount token network hash blockchainLink createdAt } olderDonations createdAt endsAt } } }`,
		`{"c":"`+c.Slug+`"}`)
	for _, want := range []string{
		`"code":200`, `"status":"ACTIVE"`, `"networks":["BEP20","POLYGON","BASE"]`, `"owner":{"name":"Nordlicht","logoUrl":null}`, `"suggestedAmounts":[5,25]`,
		`"donations":[{"name":null,"message":null,"amount":6,"token":"USDC","network":"POLYGON","hash":"` + string(p.Hash) + `","blockchainLink":"https://polygonscan.com/tx/` + string(p.Hash),
	} {
		if !strings.Contains(r.body, want) {
			t.Errorf("the campaign lacks %s: %s", want, r.body)
		}
	}
	list, _, err := b.campaigns.Donations(t.Context(), campaign.DonationQuery{Campaign: c.Number})
	must(t, err)
	must(t, b.campaigns.Review(t.Context(), c, list[0].Number, campaign.Approved))
	if got := b.ask("GET", path, "").body; !strings.Contains(got, `"name":"Ada","message":"For Rex"`) {
		t.Errorf("after approval: %s", got)
	}
}

func TestDonation_Idempotency(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m := b.newMerchant(5)
	c, other := b.newCampaign(m), b.newCampaign(m)
	first := b.gift(c, giftOfFive, "Idempotency-Key", "one")
	if again := b.gift(c, giftOfFive, "Idempotency-Key", "one"); again.ID != first.ID || b.balance(m) != 4 {
		t.Errorf("a repetition made %s after %s, %d credits left", again.ID, first.ID, b.balance(m))
	}
	if r := b.ask("POST", "/donate/"+c.Slug+"/pay", strings.Replace(giftOfFive, "5", "6", 1), "Idempotency-Key", "one"); r.status != 422 {
		t.Errorf("another body: %d %s", r.status, r.body)
	}
	if p := b.gift(other, giftOfFive, "Idempotency-Key", "one"); p.ID == first.ID {
		t.Error("another campaign was answered with this one's payment")
	}
	if r := b.ask("POST", "/create-payment", `{"apiKey":"`+m.text+`","amount":5}`, "Idempotency-Key", "one"); r.status != 200 {
		t.Errorf("a giver took the merchant's key: %d %s", r.status, r.body)
	}
}

// A merchant's credits are not for one stranger to use up: an address opens few
// donations, a repetition counts once, and others go on.
func TestDonation_Limited(t *testing.T) {
	t.Parallel()
	rates := shell.DefaultRates()
	rates.Open = shell.Rate{PerSecond: 1. / 30, Burst: 3}
	rates.Costly = shell.Rate{PerSecond: 1. / 300, Burst: 1} // which has nothing to do with it
	b := newBundleWith(t, Options{BaseURL: testBaseURL, CheckoutURL: testBaseURL, Rates: rates})
	m := b.newMerchant(20)
	c := b.newCampaign(m)
	give := func(from string, header ...string) reply {
		return b.ask("POST", "/donate/"+c.Slug+"/pay", giftOfFive, append(header, "X-Forwarded-For", from)...)
	}
	for range 5 {
		give("203.0.113.1", "Idempotency-Key", "one").wants(t, 200)
	}
	for i, want := range []int{200, 200, 429, 429} {
		if r := give("203.0.113.1"); r.status != want || want == 429 && r.header.Get("Retry-After") == "" {
			t.Errorf("donation %d: %d %s", i+2, r.status, r.body)
		}
	}
	give("203.0.113.2").wants(t, 200)
	if left := b.balance(m); left != 16 {
		t.Errorf("%d credits left", left)
	}
	l, err := b.campaigns.CreateLink(t.Context(), m.key.ID, campaign.LinkDraft{Slug: "limited-link", Amount: "5"})
	must(t, err)
	b.postForm("/link/"+l.Slug, nil, "X-Forwarded-For", "203.0.113.1").wants(t, 429)
	b.postForm("/link/"+l.Slug, nil, "X-Forwarded-For", "203.0.113.2").wants(t, 303)
	b.clock.advance(time.Minute)
	give("203.0.113.1").wants(t, 200)
}

// However many addresses strangers have, what they open and do not pay for
// takes only so many of the merchant's credits; what is paid makes room.
func TestDonation_ManyWaiting(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m := b.newMerchant(50)
	c, other := b.newCampaign(m), b.newCampaign(m)
	give := func(to campaign.Campaign) reply { return b.ask("POST", "/donate/"+to.Slug+"/pay", giftOfFive) }
	first := give(c)
	for range testWaiting - 1 {
		give(c).wants(t, 200)
	}
	if r := give(c); r.status != 429 || r.header.Get("Retry-After") != "300" {
		t.Errorf("one too many: %d, Retry-After %q: %s", r.status, r.header.Get("Retry-After"), r.body)
	}
	b.postForm("/donate/"+c.Slug+"/pay", url.Values{"suggested": {"5.00"}, "way": {"POLYGON.USDC"}}).wants(t, 429, `data-testid="problem"`, "Too many donations here wait to be paid", "try again in about five minutes", `value="POLYGON.USDC"`)
	if left := b.balance(m); left != 50-testWaiting {
		t.Errorf("%d credits left, want %d", left, 50-testWaiting)
	}
	give(other).wants(t, 200)
	p, err := b.payments.Get(t.Context(), first.text(t, "transaction.txnid"))
	must(t, err)
	b.deposit(p, p.Amount, true)
	give(c).wants(t, 200)
}

// The wall is paged, and nothing is on two pages.
func TestDonation_Pages(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	c := b.newCampaign(b.newMerchant(60))
	for range 53 {
		b.deposit(b.gift(c, giftOfFive), 5*money.USD, true)
	}
	seen := map[string]bool{}
	before := ""
	for pages := 0; ; pages++ {
		r := b.ask("GET", "/donate/"+c.Slug+"?before="+before, "")
		all, ok := r.field(t, "campaign.donations").([]any)
		if !ok || pages > 1 {
			t.Fatalf("page %d: %s", pages, r.start())
		}
		for _, d := range all {
			gift, ok := d.(map[string]any)
			if hash, good := gift["hash"].(string); !ok || !good || seen[hash] {
				t.Errorf("%v is shown twice, or proves nothing", d)
			} else {
				seen[hash] = true
			}
		}
		if before = r.text(t, "campaign.olderDonations"); before == "null" {
			break
		}
	}
	if len(seen) != 53 {
		t.Errorf("%d donations are shown", len(seen))
	}
	for _, bad := range []string{"x", "-1", "0", "99999999999999999999"} {
		if r := b.ask("GET", "/donate/"+c.Slug+"?before="+bad, ""); r.status != 400 {
			t.Errorf("before=%s: %d", bad, r.status)
		}
	}
}

// One address, two answers; both say that it depends.
func TestDonatePage(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m := b.newMerchant(5)
	c := b.newCampaign(m, func(d *campaign.Draft) { d.EndsAt = b.clock.Now().Add(time.Hour) })
	path := "/donate/" + c.Slug
	html := []string{"Accept", "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8"}
	page := b.ask("GET", path, "", html...)
	page.wants(t, 200, "Winter shelter", "0.00\u00a0USD of 100.00\u00a0USD raised", `property="og:image" content="https://pay.example`+path+`/card.png"`, "&lt;iframe", `sse-connect="`+path+`/live`)
	if got := page.header.Values("Vary"); !strings.Contains(strings.Join(got, ","), "Accept") || page.header.Get("X-Frame-Options") != "DENY" {
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
	if widget.header.Get("X-Frame-Options") != "" || !strings.Contains(csp, "frame-ancestors *") || strings.Contains(csp, "script-src") || strings.Contains(widget.body, "<script") {
		t.Errorf("the widget: %v", widget.header)
	}
	card := b.ask("GET", path+"/card.png", "")
	if _, err := png.Decode(bytes.NewReader([]byte(card.body))); card.status != 200 || card.header.Get("Content-Type") != "image/png" || err != nil && len(card.body) == 0 {
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

// TestDonateOnOnePage: a donation is paid on the page of its campaign, in every
// step, with forms that come back to it; and nothing else is paid there.
func TestDonateOnOnePage(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m := b.newMerchant(20)
	c := b.newCampaign(m)
	asPage := []string{"Accept", "text/html"}
	p := b.donationAt(c, b.postForm("/donate/"+c.Slug+"/pay", url.Values{"suggested": {"other"}, "amount": {"7.50"}, "way": {"POLYGON.USDC"}}), "")
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
	b.ask("POST", act("start")+"&lang=fr", "network=POLYGON&token=USDC", asForm...).leads(t, "/donate/"+c.Slug+"?lang=fr&pay="+id)
	b.ask("GET", page+"&view=cancel", "", asPage...).wants(t, 200, form("cancel"))

	p, err := b.payments.Get(t.Context(), id)
	must(t, err)
	b.deposit(p, p.Amount, true)
	b.ask("GET", page, "", asPage...).wants(t, 200, `data-state="paid"`, `href="/donate/`+c.Slug+`?lang=en" data-testid="campaign"`, "/donate/"+c.Slug+"/live")

	other := b.donationAt(c, b.postForm("/donate/"+c.Slug+"/pay", url.Values{"suggested": {"other"}, "amount": {"8"}, "way": {"POLYGON.USDC"}}), "")
	b.ask("POST", "/pay/"+string(other.ID)+"/cancel?campaign="+c.Slug, "", asForm...).leads(t, "/donate/"+c.Slug+"?pay="+string(other.ID))
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
		f := url.Values{"suggested": {"other"}, "amount": {"7.50"}, "way": {"POLYGON.USDC"}, "name": {"Ada"}, "message": {"Hi\r\nthere"}, "once": {once}}
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
	if again := b.postForm(path+"?lang=de", form("amount", "7,50")); again.header.Get("Location") != first.header.Get("Location") || b.balance(m) != 19 {
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
		{"no way", form("way", ""), 422, "way-problem"},
		{"a way that is none", form("way", "DOGE.USDC"), 422, "way-problem"},
		{"not configured", form("way", "SOL.USDC"), 422, "problem"},
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
	b.postForm(path, form("message", strings.Repeat("x", 200_000))).wants(t, 400)
	b.postForm(path, form("name", `"><script>alert(1)</script>`, "amount", "")).wants(t, 422, "&lt;script&gt;alert(1)")
	b.postForm(path, form(), "Sec-Fetch-Site", "cross-site").wants(t, 403, "<html")
	b.postForm(path, form(), "Sec-Fetch-Site", "", "Origin", "https://evil.example").wants(t, 403)
	b.postForm("/donate/unknown-one/pay", form()).wants(t, 404, "<html")
	b.ask("POST", path, "amount=5", "Content-Type", "text/plain").wants(t, 415)
	if left := b.balance(m); left != 19 {
		t.Errorf("refusals took credits: %d left", left)
	}
	b.networks.fallBehind(chain.Polygon)
	b.postForm(path, form("amount", "8")).wants(t, 503, `data-testid="problem"`)
	_, err := b.campaigns.Pause(t.Context(), []int64{m.key.ID}, c.Slug)
	must(t, err)
	b.postForm(path, form("way", "BASE.USDC", "amount", "9")).wants(t, 409, "This campaign is paused")
}

// What givers and merchants write is text on every page, in every place.
func TestDonatePage_NothingIsMarkup(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	const canary = `</title><script>alert(1)</script>"><img src=x onerror=alert(2)>`
	c := b.newCampaign(b.newMerchant(5), func(d *campaign.Draft) { d.Title, d.Description, d.ShowAtOnce = canary, canary, true })
	p := b.gift(c, `{"amount":5,"network":"POLYGON","token":"USDC","name":`+strconv.Quote(canary)+`,"message":`+strconv.Quote(canary)+`}`)
	b.deposit(p, 5*money.USD, true)
	for _, path := range []string{"/donate/" + c.Slug, "/donate/" + c.Slug + "/widget", "/pay?txnid=" + string(p.ID), "/pay/" + string(p.ID) + "/receipt"} {
		r := b.ask("GET", path, "", "Accept", "text/html")
		r.wants(t, 200, "&lt;script&gt;alert(1)")
		if strings.Contains(r.body, "<script>alert") || strings.Contains(r.body, "<img src=x") {
			t.Errorf("%s: markup got through", path)
		}
	}
}

func TestPayLink(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m := b.newMerchant(5)
	link := func(in campaign.LinkDraft) string {
		in.Slug = "l-" + strings.ToLower(string(testID(b.clock.Now())))
		l, err := b.campaigns.CreateLink(t.Context(), m.key.ID, in)
		must(t, err)
		return "/link/" + l.Slug
	}
	fixed := link(campaign.LinkDraft{Description: "A bag of coffee", Reference: "bag-500", Amount: "12.5"})
	b.ask("GET", fixed, "").wants(t, 200, "A bag of coffee", "12.50")
	made := b.postForm(fixed, url.Values{"amount": {"0.01"}})
	if made.status != 303 || !strings.HasPrefix(made.header.Get("Location"), "/pay?txnid=") {
		t.Fatalf("%d to %q", made.status, made.header.Get("Location"))
	}
	p, err := b.payments.Get(t.Context(), made.header.Get("Location")[len("/pay?txnid="):][:26])
	must(t, err)
	if p.Amount != 12_500_000 || p.Reference != "bag-500" || p.Description != "A bag of coffee" || p.Status != payment.Pending || b.balance(m) != 5 {
		t.Errorf("made %+v", p)
	}
	open := link(campaign.LinkDraft{Min: "2", Max: "10"})
	for amount, status := range map[string]int{"2": 303, "10": 303, "1.99": 422, "10.01": 422, "": 422, "NaN": 422, "-3": 422, "1e400": 422} {
		if r := b.postForm(open, url.Values{"amount": {amount}}); r.status != status {
			t.Errorf("%q: %d %s", amount, r.status, plainText(r.body))
		}
	}
	b.ask("GET", open, "").wants(t, 200, "Between 2.00\u00a0USD and 10.00\u00a0USD.")
	if r := b.ask("GET", link(campaign.LinkDraft{}), ""); strings.Contains(r.body, `data-testid="bounds"`) {
		t.Error("bounds that nobody set are told")
	}
	for typed, want := range map[string]string{
		"": "Type an amount", "ten": "Type an amount", "5.1234567": "Type an amount", "0": "smallest amount", "1,99": "smallest amount",
		"10.01": "largest amount", "1,000": "largest amount", "99999999999999999999": "largest amount",
	} {
		r := b.postForm(open, url.Values{"amount": {typed}})
		if !strings.Contains(plainText(r.body), want) || !strings.Contains(r.body, `value="`+typed+`"`) {
			t.Errorf("%q: it is not said that %s, or what was typed is gone: %s", typed, want, plainText(r.body))
		}
	}
	for typed, want := range map[string]money.Micros{"en 2,50": 2_500_000, "de 2,50": 2_500_000, "ar \u0665\u066b\u0665": 5_500_000, "hi $\u096d": 7_000_000} {
		lang, amount, _ := strings.Cut(typed, " ")
		r := b.postForm(open+"?lang="+lang, url.Values{"amount": {amount}})
		r.wants(t, 303)
		_, id, _ := strings.Cut(r.header.Get("Location"), "txnid=")
		if p, err := b.payments.Get(t.Context(), id[:26]); err != nil || p.Amount != want {
			t.Errorf("%s is read as %s, %v", typed, p.Amount, err)
		}
	}
	b.postForm(open, url.Values{"amount": {"5"}}, "Sec-Fetch-Site", "cross-site").wants(t, 403)
	b.postForm("/link/unknown-one", nil).wants(t, 404)
	b.ask("GET", "/link/unknown-one", "", "Accept", "text/html").wants(t, 404, "<html")
	must(t, b.campaigns.PauseLink(t.Context(), []int64{m.key.ID}, fixed[len("/link/"):], true))
	b.ask("GET", fixed, "").wants(t, 200, `data-testid="closed"`)
	b.postForm(fixed, nil).wants(t, 409, `data-testid="closed"`)
}
