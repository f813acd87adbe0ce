package web

import (
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/exchange"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/payment"
)

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
