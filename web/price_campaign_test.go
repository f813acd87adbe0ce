package web

import (
	"net/url"
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/campaign"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/exchange"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
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

// The overview is read in the shop's currency: a sum of what was stored; what was priced otherwise stays apart.
func TestPrice_Overview(t *testing.T) {
	t.Parallel()
	b, s, m := newShop(t)
	pay := func(in payment.CreateInput) payment.Payment {
		in.KeyID = m.key.ID
		p, err := b.payments.Create(t.Context(), in, audit.Act{})
		must(t, err)
		return b.deposit(b.start(p, chain.Polygon), p.Amount, true)
	}
	pay(payment.CreateInput{Price: exchange.Text{Amount: "30.50", Currency: "EUR"}})
	pay(payment.CreateInput{Price: exchange.Text{Amount: "20", Currency: "EUR"}})
	pay(payment.CreateInput{Amount: "7"})
	dollars := s.get("/dashboard").body
	if strings.Contains(dollars, `aria-label="Currency"`) || !strings.Contains(dollars, "$65.66") {
		t.Error("a shop in dollars does not read 65.66 dollars")
	}
	must(t, b.accounts.NameKey(
		t.Context(), m.key, merchant.KeyNames{Currency: new("EUR")}, audit.Act{At: b.clock.Now()},
	))
	for path, want := range map[string]string{
		"/dashboard":               "€50.50 and $7.00 priced otherwise",
		"/dashboard?in=EUR&days=7": "€50.50 and $7.00 priced otherwise",
		"/dashboard?in=USD":        "$65.66", "/dashboard?in=GBP": "$65.66",
	} {
		page := s.get(path).body
		if !strings.Contains(page, want) || !strings.Contains(page, `aria-label="Currency"`) {
			t.Errorf("%s lacks %q", path, want)
		}
	}
	list := s.get("/dashboard/payments").body
	before, after, _ := strings.Cut(list, "€30.50")
	if !strings.Contains(after, "$35.43") || strings.Contains(before, "$35.43") {
		t.Error("the list does not name the price first, and the dollars beside it")
	}
	s.get("/dashboard/payments?q=30%2C50+%E2%82%AC").wants(t, 200, "€30.50")
}

// The list and its export are bounded by prices in the shop's currency, and the export has what was received in it.
func TestPrice_ListBounds(t *testing.T) {
	t.Parallel()
	b, s, m := newShop(t)
	for _, amount := range []string{"20", "30.50", "45"} {
		price := exchange.Text{Amount: amount, Currency: "EUR"}
		p, err := b.payments.Create(t.Context(), payment.CreateInput{KeyID: m.key.ID, Price: price}, audit.Act{})
		must(t, err)
		b.deposit(b.start(p, chain.Polygon), p.Amount, true)
	}
	_, err := b.payments.Create(t.Context(), payment.CreateInput{KeyID: m.key.ID, Amount: "33"}, audit.Act{})
	must(t, err)
	s.get("/dashboard/payments").wants(t, 200, "At least, $")
	must(t, b.accounts.NameKey(
		t.Context(), m.key, merchant.KeyNames{Currency: new("EUR")}, audit.Act{At: b.clock.Now()},
	))
	for query, want := range map[string]struct{ says, shows, not string }{
		"min=25&max=40":            {"Payments, at least €25.00, at most €40.00", "€30.50", "€20.00 €45.00 $33.00"},
		"min=30%2C50":              {"Payments, at least €30.50", "€30.50 €45.00", "€20.00 $33.00"},
		"max=20&in=EUR":            {"Payments, at most €20.00", "€20.00", "€30.50 $33.00"},
		"min=25&max=34&in=USD":     {"Payments, at least $25.00, at most $34.00", "$33.00", "€30.50 €45.00"},
		"min=x":                    {"must be an amount in EUR", "", "€30.50"},
		"in=EUR":                   {"All payments", "€20.00 €30.50 €45.00 $33.00", ""},
		"min=25&max=40&token=USDC": {"Payments, in USDC, at least €25.00, at most €40.00", "€30.50", "€45.00"},
	} {
		page := s.get("/dashboard/payments?" + query).body
		_, rows, _ := strings.Cut(page, `aria-label="Result"`)
		for x := range strings.FieldsSeq(want.shows) {
			if !strings.Contains(rows, x) {
				t.Errorf("%s: the list lacks %s", query, x)
			}
		}
		for x := range strings.FieldsSeq(want.not) {
			if strings.Contains(rows, x) {
				t.Errorf("%s: the list has %s", query, x)
			}
		}
		if !strings.Contains(page, want.says) || !strings.Contains(page, "Amounts in") {
			t.Errorf("%s: the page does not say %q", query, want.says)
		}
	}
	file := strings.TrimSpace(s.get("/dashboard/payments.csv?min=25&max=40").body)
	if strings.Count(file, "\n") != 1 || !strings.Contains(file, ",receivedPrice") ||
		!strings.HasSuffix(file, ",30.50") {
		t.Errorf("the export: %s", file)
	}
}
