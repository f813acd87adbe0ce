package main

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/florinpay/florin/internal/testkit"
	"github.com/florinpay/florin/internal/testkit/browser"
)

// mostClicks is how many clicks a stranger may need from the front page to the first
// payment, those of the payer included. Typing into an input counts as one.
const mostClicks = 20

// A stranger signs up, sets up a shop on one card and is paid a dollar, on development
// chains. The merchant's page says so by itself.
func TestMerchant_FirstDollar(t *testing.T) {
	t.Parallel()
	m := &newMerchant{T: t, running: start(t, t.TempDir())}
	m.ctx = browser.New(t)
	clicks := 0
	click := func(selector, result string) {
		clicks++
		browser.Run(
			m.ctx, t, chromedp.Click(selector, chromedp.ByQuery), chromedp.WaitVisible(result, chromedp.ByQuery),
		)
	}
	enter := func(button, result string, fields ...string) {
		clicks += 1 + len(fields)/2
		fill(m.ctx, t, button, result, fields...)
	}
	m.at("/")
	look(m.ctx, t)
	click(testID("sign-up"), `[name="email"]`)
	enter("submit", testID("shop-form"), "email", newcomer, "password", newcomerPassword)
	look(m.ctx, t)
	enter("start-shop", testID("dollar"), "name", "Ida's bakery", "evm", bakeryWallet)
	look(m.ctx, t)
	click(testID("dollar"), testID("payment-link"))
	look(m.ctx, t)
	browser.Run(m.ctx, t, chromedp.Evaluate(`window.notReloaded = true`, nil))
	link := m.text(testID("payment-link"))
	_, m.txnid, _ = strings.Cut(link, "txnid=")

	payer := browser.New(t, browser.Phone)
	clicks += 3 // the code is scanned, network and token are chosen
	browser.Run(payer, t, chromedp.Navigate(link), chromedp.WaitVisible(testID("choose"), chromedp.ByQuery),
		choose("POLYGON", "USDC"), chromedp.WaitVisible(testID("waiting"), chromedp.ByQuery))
	p, err := m.App.Payments.Get(t.Context(), m.txnid)
	testkit.Must(t, err)
	m.payWith(t, p, "exactly")
	browser.Run(payer, t, chromedp.WaitVisible(testID("paid"), chromedp.ByQuery))
	browser.Run(m.ctx, t, chromedp.Poll(
		`document.querySelector('[data-testid=status] [data-status=PAID]') && window.notReloaded`, nil,
		chromedp.WithPollingTimeout(patience),
	))
	look(m.ctx, t)
	if clicks > mostClicks {
		t.Errorf("it took %d clicks, want at most %d", clicks, mostClicks)
	}
	t.Logf("%d clicks from the front page to the first payment", clicks)
}
