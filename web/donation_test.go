package web

import (
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/campaign"
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
	c, err := b.campaigns.Create(b.t.Context(), m.key.ID, in, audit.Act{})
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
			name: "donation: " + name, prepare: func(b *bundle) (string, string) { return "", b.newCampaign(b.newMerchant(15)).Slug },
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
			m := b.newMerchant(15)
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
		text("NUL", "message", `a\u0000b`),
		text("writing backwards", "name", `\u202eada`),
		on(five("unknown campaign", 404, "campaignId"), func(*bundle) string { return "nothing-like-it" }),
		on(five("malformed campaign", 404, "campaignId"), func(*bundle) string { return "A_B" }),
		on(five("paused", 409, "paused"), changed(func(s *campaign.Service, b *bundle, m seller, slug string) error {
			_, err := s.Pause(b.t.Context(), []int64{m.key.ID}, slug, audit.Act{})
			return err
		})),
		on(five("ended", 409, "ended"), changed(func(s *campaign.Service, b *bundle, m seller, slug string) error {
			_, err := s.End(b.t.Context(), []int64{m.key.ID}, slug, audit.Act{})
			return err
		})),
		on(five("key revoked", 409, "API key"), changed(func(_ *campaign.Service, b *bundle, m seller, _ string) error {
			return b.shops().RevokeKey(b.t.Context(), m.key.UserID, m.key.ID, b.clock.Now(), audit.Record{})
		})),
		on(five("no credits", 402, "credit"), func(b *bundle) string { return b.newCampaign(b.newMerchant(0)).Slug }),
		on(five("no custodian", 409, "custodian"),
			func(b *bundle) string { return b.newCampaign(b.newKey(5, 5)).Slug }),
	}
}

// A donation takes one credit and is an ordinary payment; the total is the money of
// completed payments.
func TestDonation(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m := b.newMerchant(15)
	c := b.newCampaign(m)
	path := "/donate/" + c.Slug
	p := b.gift(c, giftOfFive)
	if p.Kind != payment.KindDonation || p.Status != payment.Started || p.CampaignID != c.Number ||
		b.balance(m) != 14 ||
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
	must(t, b.campaigns.Review(t.Context(), c, list[0].Number, campaign.Approved, audit.Act{}))
	if got := b.ask("GET", path, "").body; !strings.Contains(got, `"name":"Ada","message":"For Rex"`) {
		t.Errorf("after approval: %s", got)
	}
}

func TestDonation_Idempotency(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m := b.newMerchant(15)
	c, other := b.newCampaign(m), b.newCampaign(m)
	first := b.gift(c, giftOfFive, "Idempotency-Key", "one")
	if again := b.gift(c, giftOfFive, "Idempotency-Key", "one"); again.ID != first.ID || b.balance(m) != 14 {
		t.Errorf("a repetition made %s after %s, %d credits left", again.ID, first.ID, b.balance(m))
	}
	if r := b.ask("POST", "/donate/"+c.Slug+"/pay", strings.Replace(giftOfFive, "5", "6", 1), "Idempotency-Key",
		"one"); r.status != 422 {
		t.Errorf("another body: %d %s", r.status, r.body)
	}
	if p := b.gift(other, giftOfFive, "Idempotency-Key", "one"); p.ID == first.ID {
		t.Error("another campaign was answered with this one's payment")
	}
	if r := b.ask("POST", "/create-payment", `{"apiKey":"`+m.text+`","amount":5}`, "Idempotency-Key",
		"one"); r.status != 200 {
		t.Errorf("a giver took the merchant's key: %d %s", r.status, r.body)
	}
}

// One client cannot use up a merchant's credits: an address opens few donations, a
// repetition counts once, and other addresses are not affected.
func TestDonation_Limited(t *testing.T) {
	t.Parallel()
	rates := shell.DefaultRates()
	rates.Open = shell.Rate{PerSecond: 1. / 30, Burst: 3}
	rates.Costly = shell.Rate{PerSecond: 1. / 300, Burst: 1} // a limit that must not matter here
	b := newBundleWith(t, Options{BaseURL: testBaseURL, CheckoutURL: testBaseURL, Rates: rates})
	m := b.newMerchant(60)
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
	if left := b.balance(m); left != 56 {
		t.Errorf("%d credits left", left)
	}
	l, err := b.campaigns.CreateLink(t.Context(), m.key.ID, campaign.LinkDraft{Slug: "limited-link", Amount: "5"},
		audit.Act{})
	must(t, err)
	b.postForm("/link/"+l.Slug, nil, "X-Forwarded-For", "203.0.113.1").wants(t, 429)
	b.postForm("/link/"+l.Slug, nil, "X-Forwarded-For", "203.0.113.2").wants(t, 303)
	b.clock.advance(time.Minute)
	give("203.0.113.1").wants(t, 200)
}

// The wall is paged, and nothing is on two pages.
func TestDonation_Pages(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	c := b.newCampaign(b.newMerchant(100))
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
