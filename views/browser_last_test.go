package views_test

import (
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/florinpay/florin/internal/testkit/browser"
	"github.com/florinpay/florin/views/checkout"
)

// TestLastWayInBrowser: the way to pay that a payer chose last comes first at the next payment, without any cookie.
func TestLastWayInBrowser(t *testing.T) {
	t.Parallel()
	p := sampleNamed(t, "choose")
	for i := range p.Choices {
		p.Choices[i].Last = false
	}
	s := serveLive(t, p)
	ctx := browser.New(t, browser.Phone, browser.ReducedMotion, browser.AllowError(`status of 404`))
	page := s.origin + "/pay"
	browser.Run(ctx, t, chromedp.Navigate(page),
		chromedp.Click(`label[for="via-w"]`), chromedp.Click(`label[for="coin-USDC"]`))
	const top = `[...document.querySelectorAll("ul li:first-child button.way")].find(b => b.offsetWidth).dataset.testid`
	expect(ctx, t, top, "pay-POLYGON-USDC-wallet")
	if _, err := chromedp.RunResponse(ctx, chromedp.Click(test("pay-BASE-USDC-wallet"))); err != nil {
		t.Fatal(err)
	}
	browser.Run(ctx, t, chromedp.Navigate(page), chromedp.WaitVisible(test("pay-BASE-USDC-wallet")+" .tag"))
	expect(ctx, t, top, "pay-BASE-USDC-wallet")
	expect(ctx, t, `document.querySelector('`+test("pay-BASE-USDC-wallet")+` .tag').textContent`, "Used last time")
	browser.Run(ctx, t, chromedp.Navigate(page+"?via="+string(checkout.ViaExchange)))
	expect(ctx, t, `[...document.querySelectorAll("ul li:first-child button.way")].find(b => b.offsetWidth).value`, "BASE")
	expect(ctx, t, `document.querySelector("[name=via]:checked").value`, string(checkout.ViaExchange))
}
