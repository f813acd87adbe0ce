package web

import (
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/exchange"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/testkit/browser"
)

// TestDashboard_ListRoom: refunds, and prices in another currency, take no room from what the merchant knows a payment
// by.
func TestDashboard_ListRoom(t *testing.T) {
	t.Parallel()
	b, origin := serveDashboard(t)
	m := b.shop(b.member(ownerEmail))
	p, err := b.payments.Create(t.Context(), payment.CreateInput{
		KeyID: m.key.ID, Price: exchange.Text{Amount: "30.50", Currency: "EUR"},
		Details: payment.Details{Reference: "order-1053", Description: "Two bags of coffee, ground for a press"},
	}, audit.Act{})
	must(t, err)
	p = b.deposit(b.start(p, chain.BEP20), p.Amount, true)
	b.arrived(b.asked(b.addressed(b.refundOf(p, "20"))))
	ctx := browser.New(t, browser.Desktop)
	enterDashboard(ctx, t, origin, ownerEmail)
	var room float64
	browser.Run(ctx, t, chromedp.Navigate(origin+"/dashboard/payments"), chromedp.WaitVisible("[data-testid=refunded]"),
		chromedp.Evaluate(`document.querySelector("td.what").getBoundingClientRect().width`, &room))
	browser.Screenshot(ctx, t, "list")
	if room < 320 {
		t.Errorf("the payment has %.0f px", room)
	}
}
