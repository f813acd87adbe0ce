package web

import (
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/exchange"
	"github.com/florinpay/florin/internal/payment"
)

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
