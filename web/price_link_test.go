package web

import (
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/campaign"
	"github.com/florinpay/florin/internal/payment"
)

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
