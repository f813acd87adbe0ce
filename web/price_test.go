package web

import (
	"cmp"
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/campaign"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/exchange"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
)

// euro is the rate of the tests' sources, where a test has set no other.
const euro exchange.Rate = 11_615_200_000

// rate is what the sources of the tests say: a euro has a rate, everything else has none.
func (b *bundle) rate(_ context.Context, c exchange.Currency, own exchange.Pricing) (exchange.Quote, error) {
	if c != "EUR" {
		return exchange.Quote{}, (&exchange.Refusal{
			Currency: c, Cause: exchange.Disagree, Detail: fault.Text("its sources disagree"),
		}).Fault(time.Minute)
	}
	return exchange.Quote{
		Rate: cmp.Or(b.euro, euro), At: b.clock.Now(), Sources: []string{"chainlink:base", "chainlink:polygon", "ecb"},
		Markup: own.Markup,
	}, nil
}

// inEuros is how every answer writes a price of 30.50 EUR, but for the time of the rate.
const inEuros = `"price":{"amount":"30.50","currency":"EUR","rate":"1.16152","rateAt":"`

const fromSources = `"sources":["chainlink:base","chainlink:polygon","ecb"]}`

// A price in another currency is in every answer about the payment, with the rate that it was taken at.
func TestPrice(t *testing.T) { onEach(t, checkPrice) }

func checkPrice(t *testing.T, b *bundle) {
	m := b.newMerchant(50)
	key := []string{"api-key", m.text}
	created := b.ask("POST", "/create-payment", `{"price":{"amount":"30.50","currency":"eur"}}`, key...)
	id := created.text(t, "transaction.txnid")
	number := b.ask("POST", "/create-payment", `{"price":{"amount":30.500,"currency":"EUR"}}`, key...)
	float := b.ask("POST", "/create-payment", `{"price":{"amount":3.05E+1,"currency":"EUR"}}`, key...)
	float.wants(t, 200, inEuros)
	misspelt := b.ask("POST", "/create-payment", `{"price":{"amount":"5","currency":"EUR","curency":"GBP","x":1}}`, key...)
	misspelt.wants(t, 200, `{"field":"price.curency","reason":"there is no such field, so it was ignored; did you mean currency?"}`,
		`"field":"price.x"`)
	p, err := b.payments.Get(t.Context(), id)
	must(t, err)
	if p.Amount != 35_426_360 || p.Price.Rate != 11_615_200_000 || p.Price.Units != 3050 {
		t.Fatalf("stored %+v", p)
	}
	b.deposit(b.start(p, chain.Polygon), 35_426_360, true)
	events, err := b.payments.Events(t.Context(), p.ID)
	must(t, err)
	const fields = `price { amount currency rate rateAt sources }`
	for name, body := range map[string]string{
		"create": created.body, "create by a number": number.body,
		"order": b.ask("GET", "/orders/"+id, "").body, "orders": b.ask("GET", "/orders", "", key...).body,
		"events": b.ask("GET", "/events", "", key...).body, "webhook": string(events[len(events)-1].Data),
		"getTxnDetails": b.graphQL(`{ getTxnDetails(txnid: "`+id+`") { transaction { `+fields+` } } }`, "").body,
		"payment": b.graphQL(`mutation { payment(apiKey: "`+m.text+`", price: {amount: "30.50", currency: "EUR"}) `+
			`{ code transaction { `+fields+` } } }`, "").body,
		"by a variable": b.graphQL(`mutation($p: PriceInput) { payment(apiKey: "`+m.text+`", price: $p) `+
			`{ code transaction { `+fields+` } } }`, `{"p":{"amount":30.5,"currency":"EUR"}}`).body,
	} {
		if !strings.Contains(body, inEuros) || !strings.Contains(body, fromSources) {
			t.Errorf("%s: %s", name, body)
		}
	}
	if events[len(events)-1].Type != payment.EventCompleted {
		t.Errorf("what a price is worth does not complete the payment: %+v", events[len(events)-1])
	}
}

// What is no price, or has no rate, makes no payment.
func TestPrice_Refused(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m := b.newMerchant(50)
	for body, want := range map[string]struct {
		status      int
		reason, has string
	}{
		`"price":{"amount":"5","currency":"JPY"}`:                  {503, "rate_unavailable", "JPY cannot be priced"},
		`"amount":5,"price":{"amount":"5","currency":"EUR"}`:       {400, "", "price must be left out"},
		`"currency":"USD","price":{"amount":"5","currency":"EUR"}`: {400, "", "price must be left out"},
		`"amount":5,"currency":"EUR"`:                              {400, "", "currency must be USD"},
		`"price":{"amount":"5.001","currency":"EUR"}`:              {400, "", "price.amount must have at most 2"},
		`"price":{"amount":"1.000","currency":"EUR"}`:              {400, "", "price.amount must have at most 2"},
		`"price":{"amount":"0","currency":"EUR"}`:                  {400, "", "price.amount must be greater than 0"},
		`"price":{"amount":-5,"currency":"EUR"}`:                   {400, "", "price.amount must be"},
		`"price":{"amount":true,"currency":"EUR"}`:                 {400, "", "price.amount must be"},
		`"price":{"amount":"5","currency":"XYZ"}`:                  {400, "", "price.currency must be"},
		`"price":{"amount":"5"}`:                                   {400, "", "price.currency must be"},
		`"price":{}`:                                               {400, "", "price must have"},
		`"price":"5 EUR"`:                                          {400, "", "price must be an object"},
		`"price":{"amount":"900000","currency":"EUR"}`:             {400, "", "price must be worth at most"},
		`"price":{"amount":"900000000000","currency":"EUR"}`:       {400, "", "price must be worth at most"},
		`"price":{"amount":3.0505e1,"currency":"EUR"}`:             {400, "", "price.amount must have at most 2"},
		`"price":{"amount":1e30,"currency":"EUR"}`:                 {400, "", "price.amount is too large"},
		`"price":null`: {400, "", "amount is required"},
	} {
		r := b.ask("POST", "/create-payment", "{"+body+"}", "api-key", m.text)
		if r.status != want.status || !strings.Contains(r.text(t, "message"), want.has) ||
			strings.Contains(r.body, `"reason"`) != (want.reason != "") || !strings.Contains(r.body, want.reason) {
			t.Errorf("%s: %d %s", body, r.status, r.body)
		}
	}
	for _, arguments := range []string{"", ", amount: null", `, currency: "USD"`} {
		r := b.graphQL(`mutation { payment(apiKey: "`+m.text+`"`+arguments+`) { code } }`, "")
		if !strings.Contains(r.body, `"errors"`) || !strings.Contains(r.body, "Float!") {
			t.Errorf("GraphQL with %q: %s", arguments, r.body)
		}
	}
	if list, err := b.payments.List(t.Context(), payment.Filter{KeyID: m.key.ID}); err != nil || len(list) != 0 {
		t.Errorf("%d payments were made, %v", len(list), err)
	}
}

// The same request with an Idempotency-Key has the rate of its first answer.
func TestPrice_Once(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m := b.newMerchant(50)
	ask := func(amount string) reply {
		return b.ask("POST", "/create-payment", `{"price":{"amount":`+amount+`,"currency":"EUR"}}`,
			"api-key", m.text, "Idempotency-Key", "order-7")
	}
	first, again, other := ask(`"30.50"`), ask(`30.5`), ask(`"30.51"`)
	if first.status != 200 || again.body != first.body || other.status != http.StatusUnprocessableEntity {
		t.Errorf("%s\n%s\n%s", first.body, again.body, other.body)
	}
}

// The payer sees both amounts and the rate, in the numbers of the language.
func TestPrice_Checkout(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m := b.newMerchant(50)
	p, err := b.payments.Create(t.Context(), payment.CreateInput{
		KeyID: m.key.ID, Price: exchange.Text{Amount: "1030.50", Currency: "EUR"},
	}, audit.Act{})
	must(t, err)
	for lang, want := range map[string][]string{
		"en": {"€1,030.50", "1,196.94636\u00a0USD", "€1</bdi> = <bdi>1.16152\u00a0USD"},
		"de": {"1.030,50\u00a0€", "1.196,94636\u00a0USD", "1\u00a0€</bdi> = <bdi>1,16152\u00a0USD"},
		"ar": {"1,030.50\u00a0€", "1,196.94636\u00a0USD", "1.16152\u00a0USD"},
	} {
		r := b.ask("GET", "/pay?txnid="+string(p.ID)+"&lang="+lang, "", "Accept", "text/html")
		for _, text := range want {
			if !strings.Contains(r.body, text) {
				t.Errorf("%s: the page lacks %q", lang, text)
			}
		}
	}
	done := b.deposit(b.start(p, chain.Polygon), 1197*money.USD, true)
	r := b.ask("GET", "/pay/"+string(done.ID)+"/receipt?lang=de", "", "Accept", "text/html")
	if !strings.Contains(r.body, "1.030,50\u00a0€") || !strings.Contains(r.body, "1,16152\u00a0USD") {
		t.Errorf("the receipt lacks the price: %d", r.status)
	}
}

// The currency of a key is what forms begin with, and a price that names none takes. An amount alone stays in dollars.
func TestPrice_KeyCurrency(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	owner := b.member(ownerEmail)
	m := b.shop(owner)
	s := b.surfer()
	s.signIn(ownerEmail)
	label := "/dashboard/keys/" + m.key.PublicID + "/label"
	s.post(label, "label", "Main key", "currency", "euro").wants(t, 400, "problem-"+m.key.PublicID+"-currency")
	if r := s.post(label, "label", "Main key", "currency", "eur"); r.status != 303 {
		t.Fatalf("the currency: %d %s", r.status, r.body)
	}
	b.audited(owner, audit.ActionKeyCurrency)
	for _, path := range []string{"/dashboard/create", "/dashboard/links", "/dashboard/campaigns", "/dashboard/keys"} {
		s.get(path).wants(t, 200, `value="EUR"`)
	}
	for body, want := range map[string]string{
		`"price":{"amount":"30.50"}`:                  `"currency":"EUR"`,
		`"price":{"amount":"30.50","currency":"EUR"}`: `"amount":35.42636`,
		`"amount":30.5`:                               `"amount":30.5,`,
	} {
		r := b.ask("POST", "/create-payment", "{"+body+"}", "api-key", m.text)
		if r.status != 200 || !strings.Contains(r.body, want) {
			t.Errorf("%s: %d %s", body, r.status, r.body)
		}
	}
	if r := b.ask("POST", "/create-payment", `{"amount":30.5}`, "api-key", m.text); strings.Contains(r.body, "price") {
		t.Errorf("an amount alone: %s", r.body)
	}
	if r := s.post("/dashboard/create", "key", m.key.PublicID, "amount", "30.50", "currency", "EUR"); r.status != 303 {
		t.Errorf("create: %d", r.status)
	} else {
		s.get(r.header.Get("Location")).wants(t, 200, "€30.50 ($35.42636)", "Pay 30.50 EUR")
	}
	if r := s.post(label, "label", "Main key", "currency", "usd"); r.status != 303 {
		t.Errorf("dollars again: %d", r.status)
	}
	key, err := b.accounts.Authenticate(t.Context(), m.text)
	must(t, err)
	if key.Currency != exchange.Currency("") {
		t.Errorf("the key counts in %q", key.Currency)
	}
	b.ask("POST", "/create-payment", `{"price":{"amount":"30.50"}}`, "api-key", m.text).wants(t, 400, "price.currency must be")
}

// A merchant sets what he wants of rates behind the gate of his settings, and a mark-up is in every record of a price.
func TestPrice_Pricing(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	owner := b.member(ownerEmail)
	m := b.shop(owner)
	s := b.surfer()
	s.signIn(ownerEmail)
	const path = "/dashboard/settings/payouts/options"
	form := func(pairs ...string) []string {
		return append([]string{
			"key", m.key.PublicID, "password", testPassword, "short", "0", "late", "0",
			"POLYGON.enabled", "yes", "POLYGON.USDC", "yes", "BASE.enabled", "yes", "BASE.USDC", "yes",
		}, pairs...)
	}
	for input, pairs := range map[string][]string{
		"markup": {"markup", "21"}, "fixed": {"rateOf", "EUR", "fixed", "-1"}, "rateOf": {"fixed", "1.16"},
		"source": {"rateOf", "EUR", "source", "rates.example"},
		"most":   {"rateOf", "EUR", "least", "1.2", "most", "1.1"},
	} {
		if r := s.post(path, form(pairs...)...); r.status != 400 || !strings.Contains(r.body, "problem-"+input) {
			t.Errorf("%v: %d", pairs, r.status)
		}
	}
	r := s.post(path, form("markup", "1.5", "rateOf", "eur", "least", "1.1", "source", "https://rates.example/")...)
	if r.status != 303 {
		t.Fatalf("saving: %d %s", r.status, r.start())
	}
	c, err := b.accounts.Custodian(t.Context(), m.key.ID)
	must(t, err)
	want := exchange.Pricing{Markup: 150, Currency: "EUR", Least: 11_000_000_000, URL: "https://rates.example/"}
	if c.Pricing != want {
		t.Errorf("stored %+v", c.Pricing)
	}
	s.get("/dashboard/settings/payouts").wants(t, 200, `value="1.5"`, `value="https://rates.example/"`)
	checkMarkup(t, b.bundle, m, func() string { return s.get("/dashboard/payments.csv").body })
}

// checkMarkup makes a payment of the merchant, who adds 1.5 %.
func checkMarkup(t *testing.T, b *bundle, m seller, export func() string) {
	t.Helper()
	key := []string{"api-key", m.text}
	created := b.ask("POST", "/create-payment", `{"price":{"amount":"30.50","currency":"EUR"}}`, key...)
	id := created.text(t, "transaction.txnid")
	p, err := b.payments.Get(t.Context(), id)
	must(t, err)
	if p.Amount != 35_957_755 || p.Price.Markup != 150 {
		t.Errorf("stored %s, %+v", p.Amount, p.Price)
	}
	done := b.deposit(b.start(p, chain.Polygon), p.Amount, true)
	for name, body := range map[string]string{
		"create": created.body, "order": b.ask("GET", "/orders/"+id, "").body,
		"events":  b.ask("GET", "/events", "", key...).body,
		"GraphQL": b.graphQL(`{ getTxnDetails(txnid: "`+id+`") { transaction { price { markupPercent } } } }`, "").body,
	} {
		if !strings.Contains(body, `"markupPercent":"1.5"`) {
			t.Errorf("%s: %s", name, body)
		}
	}
	page := b.ask("GET", "/pay/"+string(done.ID)+"/receipt?lang=de", "", "Accept", "text/html").body
	if !strings.Contains(page, "1,16152\u00a0USD + 1,5\u00a0%") {
		t.Error("the payer does not see the mark-up")
	}
	csv := strings.ReplaceAll(export(), "\r", "")
	if !strings.Contains(csv, "markupPercent") || !strings.Contains(csv, ",1.5,30.50\n") {
		t.Errorf("the export lacks the mark-up: %s", csv)
	}
	plain, err := b.payments.Create(t.Context(), payment.CreateInput{KeyID: m.key.ID, Amount: "5"}, audit.Act{})
	if err != nil || plain.Amount != 5_000_000 {
		t.Errorf("an amount in dollars: %s, %v", plain.Amount, err)
	}
}

// A link with a price in another currency takes the rate when its payer goes on, and makes no payment without one.
func TestPrice_Link(t *testing.T) { onEach(t, checkPriceLink) }

func checkPriceLink(t *testing.T, b *bundle) {
	m := b.newMerchant(50)
	for slug, currency := range map[string]string{"coffee-eur": "EUR", "coffee-jpy": "JPY"} {
		_, err := b.campaigns.CreateLink(t.Context(), m.key.ID, campaign.LinkDraft{
			Slug: slug, Amount: "30", Currency: currency,
		}, audit.Act{})
		must(t, err)
	}
	shown := b.ask("GET", "/link/coffee-eur?lang=de", "", "Accept", "text/html")
	if !strings.Contains(shown.body, "30,00\u00a0€") || strings.Contains(shown.body, `name="amount"`) {
		t.Errorf("the page of the link: %d", shown.status)
	}
	l, err := b.campaigns.Link(t.Context(), "coffee-eur")
	must(t, err)
	p, err := b.campaigns.UseLink(t.Context(), l, "99")
	if err != nil || p.Amount != 34_845_600 || p.Price.Units != 3000 || p.LinkID == 0 {
		t.Errorf("a payment of the link: %+v, %v", p, err)
	}
	form := []string{"Content-Type", "application/x-www-form-urlencoded", "Accept", "text/html", "Origin", testBaseURL}
	if r := b.ask("POST", "/link/coffee-eur", "amount=", form...); r.status != 303 {
		t.Errorf("going on: %d", r.status)
	}
	if r := b.ask("POST", "/link/coffee-jpy", "amount=", form...); r.status != 503 || !strings.Contains(r.body, "data-testid") {
		t.Errorf("going on without a rate: %d", r.status)
	}
	if list, err := b.payments.List(t.Context(), payment.Filter{KeyID: m.key.ID}); err != nil || len(list) != 2 {
		t.Errorf("%d payments, %v", len(list), err)
	}
}
