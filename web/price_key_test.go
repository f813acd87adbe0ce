package web

import (
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/exchange"
)

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
