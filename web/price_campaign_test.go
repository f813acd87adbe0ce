package web

import (
	"net/url"
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/campaign"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
)

// inEuro makes a campaign in euros.
func inEuro(d *campaign.Draft) {
	d.Currency, d.Goal, d.Suggested = "EUR", "100", []string{"7.50", "20"}
}

// A campaign in another currency asks for and counts what was given in it, each donation at the rate of its time.
func TestPrice_Campaign(t *testing.T) { onEach(t, checkPriceCampaign) }

func checkPriceCampaign(t *testing.T, b *bundle) {
	c := b.newCampaign(b.newMerchant(50), inEuro)
	gift := func(price string) string {
		return `{"price":` + price + `,"network":"POLYGON","token":"USDC"}`
	}
	p := b.gift(c, gift(`{"amount":"30.50","currency":"eur"}`))
	if p.Amount != 35_426_360 || p.Price.Units != 3050 || p.Price.Rate != 11_615_200_000 {
		t.Fatalf("stored %+v", p)
	}
	b.deposit(p, p.Amount, true)
	own := b.gift(c, gift(`{"amount":20}`)) // the currency of the campaign
	if own.Price.Currency != "EUR" {
		t.Errorf("a price without currency: %+v", own.Price)
	}
	b.deposit(own, own.Amount, true)
	asked := b.graphQL(`mutation { StartDonation(campaignId: "`+c.Slug+`", price: {amount: "5", currency: "EUR"}, `+
		`network: POLYGON, token: USDC) { code transaction { amount price { amount currency } } } }`, "").body
	if !strings.Contains(asked, `"amount":5.8076`) || !strings.Contains(asked, `{"amount":"5.00","currency":"EUR"}`) {
		t.Errorf("GraphQL: %s", asked)
	}
	// 35.42636 + 23.2304 dollars of 30.50 + 20 euros.
	read := b.ask("GET", "/donate/"+c.Slug, "").body
	shown := b.graphQL(`{ getDonate(campaignId: "`+c.Slug+`") { campaign { goalAmount raisedAmount suggestedAmounts `+
		`goalPrice { amount currency } raisedPrice { amount currency } suggestedPrices { amount currency } } } }`, "").body
	for _, want := range []string{
		`"goalAmount":null`, `"raisedAmount":58.65676`, `"suggestedAmounts":[]`, `"goalPrice":{"amount":"100.00","currency":"EUR"}`,
		`"raisedPrice":{"amount":"50.50","currency":"EUR"}`,
		`"suggestedPrices":[{"amount":"7.50","currency":"EUR"},{"amount":"20.00","currency":"EUR"}]`,
	} {
		if !strings.Contains(read, want) || !strings.Contains(shown, want) {
			t.Errorf("%s is missing:\n%s\n%s", want, read, shown)
		}
	}
	page := b.ask("GET", "/donate/"+c.Slug+"?lang=de", "", "Accept", "text/html").body
	for _, want := range []string{"50,50\u00a0€", "100,00\u00a0€", "58,65676\u00a0USD", `value="50"`, "7,50\u00a0€", ">EUR<", "Betrag in EUR"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

// Who gives by the page gives in the currency of the campaign, and sees both.
func TestPrice_CampaignForm(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m := b.newMerchant(50)
	c, yen := b.newCampaign(m, inEuro), b.newCampaign(m, func(d *campaign.Draft) {
		d.Currency, d.Goal, d.Suggested = "JPY", "5000", nil
	})
	give := func(c campaign.Campaign, amount string) reply {
		return b.postForm("/donate/"+c.Slug+"/pay?lang=de", url.Values{
			"suggested": {"other"}, "amount": {amount}, "network": {"POLYGON"}, "token": {"USDC"},
		}, "Accept", "text/html")
	}
	p := b.donationAt(c, give(c, "12,50"), "de")
	if p.Price.Units != 1250 || p.Amount != 14_519_000 {
		t.Errorf("a gift of 12,50: %+v", p)
	}
	page := b.ask("GET", "/donate/"+c.Slug+"?pay="+string(p.ID)+"&lang=de", "", "Accept", "text/html").body
	if !strings.Contains(page, "12,50\u00a0€") || !strings.Contains(page, "1,16152\u00a0USD") {
		t.Error("the page of the gift lacks its price or its rate")
	}
	for amount, want := range map[string]string{
		"12,505": "amount-problem", "0": "0,01\u00a0USD", "9000000": "1.000.000,00\u00a0USD",
	} {
		if r := give(c, amount); r.status != 422 || !strings.Contains(r.body, want) {
			_, near, _ := strings.Cut(r.body, `id="amount-problem"`)
			t.Errorf("%s: %d, without %q: %.200s", amount, r.status, want, near)
		}
	}
	if r := give(yen, "500"); r.status != 503 {
		t.Errorf("a gift without a rate: %d", r.status)
	}
}

// A gift that is not in the campaign's currency would make its sum one of different things.
func TestPrice_CampaignRefused(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m := b.newMerchant(50)
	c, dollars := b.newCampaign(m, inEuro), b.newCampaign(m)
	for body, want := range map[string]string{
		`"amount":5`: "amount must be left out: this campaign is in EUR",
		`"price":{"amount":"5","currency":"JPY"}`:            "price.currency must be EUR",
		`"amount":5,"price":{"amount":"5","currency":"EUR"}`: "price must be left out",
	} {
		r := b.ask("POST", "/donate/"+c.Slug+"/pay", "{"+body+`,"network":"POLYGON","token":"USDC"}`)
		if r.status != 400 || !strings.Contains(r.body, want) {
			t.Errorf("%s: %d %s", body, r.status, r.body)
		}
	}
	if body := b.ask("GET", "/donate/"+dollars.Slug, "").body; strings.Contains(body, "Price") {
		t.Errorf("a campaign in dollars has prices: %s", body)
	}
	if p := b.gift(dollars, `{"price":{"amount":"5","currency":"EUR"},"network":"POLYGON","token":"USDC"}`); p.Amount != 5_807_600 {
		t.Errorf("a price to a campaign in dollars: %+v", p)
	}
	for _, d := range []campaign.Draft{
		{Slug: "bad-goal", Title: "X", Currency: "EUR", Goal: "1.005"},
		{Slug: "bad-code", Title: "X", Currency: "XXY"},
		{Slug: "bad-pick", Title: "X", Currency: "JPY", Suggested: []string{"1.5"}},
	} {
		if _, err := b.campaigns.Create(t.Context(), m.key.ID, d, audit.Act{}); err == nil {
			t.Errorf("%s was made", d.Slug)
		}
	}
}

// A payer may choose the amount of a link in the link's currency.
func TestPrice_OpenLink(t *testing.T) { onEach(t, checkPriceOpenLink) }

func checkPriceOpenLink(t *testing.T, b *bundle) {
	m := b.newMerchant(50)
	draft := campaign.LinkDraft{Slug: "tip-eur", Currency: "EUR"}
	_, err := b.campaigns.CreateLink(t.Context(), m.key.ID, draft, audit.Act{})
	must(t, err)
	page := b.ask("GET", "/link/tip-eur?lang=de", "", "Accept", "text/html").body
	if !strings.Contains(page, `name="amount"`) || !strings.Contains(page, ">Betrag in EUR<") {
		t.Error("the page does not ask for an amount in euros")
	}
	if r := b.postForm("/link/tip-eur?lang=de", url.Values{"amount": {"12,505"}}); r.status != 422 {
		t.Errorf("three places: %d", r.status)
	}
	r := b.postForm("/link/tip-eur?lang=de", url.Values{"amount": {"12,50"}})
	if r.status != 303 {
		t.Fatalf("going on: %d", r.status)
	}
	_, id, _ := strings.Cut(r.header.Get("Location"), "txnid=")
	id, _, _ = strings.Cut(id, "&")
	p, err := b.payments.Get(t.Context(), id)
	must(t, err)
	if p.Price.Units != 1250 || p.Amount != 14_519_000 {
		t.Errorf("a payment of the link: %+v", p)
	}
	b.deposit(b.start(p, chain.Polygon), 15*money.USD, true)
}
