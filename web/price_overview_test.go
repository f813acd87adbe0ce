package web

import (
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/exchange"
	"github.com/florinpay/florin/internal/payment"
)

// The overview is read in the shop's currency: a sum of what was stored; what was priced otherwise stays apart.
func TestPrice_Overview(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	m := b.shop(b.member(ownerEmail))
	s := b.surfer()
	s.signIn(ownerEmail)
	pay := func(in payment.CreateInput) payment.Payment {
		in.KeyID = m.key.ID
		p, err := b.payments.Create(t.Context(), in)
		must(t, err)
		return b.deposit(b.start(p, chain.Polygon), p.Amount, true)
	}
	pay(payment.CreateInput{Price: exchange.Text{Amount: "30.50", Currency: "EUR"}})
	pay(payment.CreateInput{Price: exchange.Text{Amount: "20", Currency: "EUR"}})
	pay(payment.CreateInput{Amount: "7"})
	dollars := s.get("/dashboard").body
	if strings.Contains(dollars, `aria-label="Currency"`) || !strings.Contains(dollars, "$65.65676") {
		t.Error("a shop in dollars does not read 65.65676 dollars")
	}
	must(t, b.accounts.SetKeyCurrency(t.Context(), m.key, "EUR", audit.Act{At: b.clock.Now()}))
	for path, want := range map[string]string{
		"/dashboard":               "€50.50 and $7.00 priced otherwise",
		"/dashboard?in=EUR&days=7": "€50.50 and $7.00 priced otherwise",
		"/dashboard?in=USD":        "$65.65676", "/dashboard?in=GBP": "$65.65676",
	} {
		page := s.get(path).body
		if !strings.Contains(page, want) || !strings.Contains(page, `aria-label="Currency"`) {
			t.Errorf("%s lacks %q", path, want)
		}
	}
	list := s.get("/dashboard/payments").body
	before, after, _ := strings.Cut(list, "€30.50")
	if !strings.Contains(after, "$35.42636") || strings.Contains(before, "$35.42636") {
		t.Error("the list does not name the price first, and the dollars beside it")
	}
	s.get("/dashboard/payments?q=30%2C50+%E2%82%AC").wants(t, 200, "€30.50")
}
