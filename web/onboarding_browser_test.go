package web

import (
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/florinpay/florin/internal/testkit/browser"
)

// mostClicks is what a stranger needs at most from the front page to the first money.
const mostClicks = 20

// A stranger signs up, sets up a shop, makes a payment of a dollar, chooses how to pay
// it, and sees it paid, with few clicks. A click into each input counts.
func TestOnboarding_InABrowser(t *testing.T) {
	t.Parallel()
	b, origin := serveDashboard(t)
	ctx := browser.New(t)
	clicks := 0
	click := func(on, next string) {
		t.Helper()
		clicks++
		browser.Run(ctx, t, chromedp.Click(on), chromedp.WaitVisible(next))
	}
	fill := func(input, text string) {
		t.Helper()
		clicks++
		browser.Run(ctx, t, chromedp.WaitVisible(input), chromedp.SendKeys(input, text))
	}
	browser.Run(ctx, t, chromedp.Navigate(origin+"/"), chromedp.WaitVisible("[data-testid=sign-up]"))
	click("[data-testid=sign-up]", "#f-email")
	fill("#f-email", ownerEmail)
	fill("#f-password", testPassword)
	click("[data-testid=submit]", "[data-testid=shop-form]")
	fill("#f-name", "Ida's bakery")
	fill("#f-evm", merchantWallet)
	click("[data-testid=start-shop]", "[data-testid=dollar]")
	click("[data-testid=dollar]", "[data-testid=payment-link]")
	var shop, link string
	browser.Run(ctx, t, chromedp.Location(&shop), chromedp.Text("[data-testid=payment-link]", &link))
	click("[data-testid=payment-link]", "[data-testid=choose]")
	click("[data-testid=pay-POLYGON-USDT]", "[data-testid=send]")

	p, err := b.payments.Get(t.Context(), shop[len(shop)-26:])
	must(t, err)
	b.deposit(p, p.Amount, true)
	browser.Run(ctx, t, chromedp.Navigate(shop))
	clicks++
	browser.Run(ctx, t, chromedp.WaitVisible("[data-status=PAID]"))
	if clicks > mostClicks {
		t.Errorf("the first money takes %d clicks, want at most %d", clicks, mostClicks)
	}
	t.Logf("%d clicks from the front page to the first money, by %s", clicks, link)
}
