package main

import (
	"context"
	"net/url"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/testkit"
	"github.com/florinpay/florin/internal/testkit/browser"
)

// TestDonate creates a campaign in the dashboard, donates without JavaScript, pays on the chain and approves
// the donor. Meanwhile another browser watches the campaign's page without reloading it.
func TestDonate(t *testing.T) {
	t.Parallel()
	r := start(t, t.TempDir())
	const path = "/donate/boat-for-ida"
	dashboard := r.createCampaign(t)
	watcher := browser.New(t, browser.Desktop, browser.Light)
	browser.Run(
		watcher, t, chromedp.Navigate(r.BaseURL+path), chromedp.WaitVisible(testID("donate")), chromedp.Evaluate(`window.notReloaded = true`, nil),
	)
	browser.Axe(watcher, t)

	donor, at, p := r.donate(t, path)
	// Another window of the donor runs scripts and shows the money without a reload.
	window := browser.New(t, browser.Desktop)
	browser.Run(window, t, chromedp.Navigate(at), chromedp.WaitVisible(testID("waiting")), chromedp.Evaluate(`window.notReloaded = true`, nil))
	r.payWith(t, p, "exactly")
	browser.Run(watcher, t, chromedp.WaitVisible(testID("reached")))
	var live bool
	browser.Run(window, t, chromedp.WaitVisible(testID("campaign")), chromedp.Evaluate(`window.notReloaded === true`, &live))
	if !live {
		t.Error("the donor's page was reloaded")
	}
	browser.Axe(window, t)
	browser.Screenshot(window, t, "paid")
	browser.Run(
		donor, t, chromedp.WaitVisible(testID("paid")),
		chromedp.Click(testID("campaign")), chromedp.WaitVisible(testID("donate-form")),
	)
	var early bool
	browser.Run(watcher, t, chromedp.Evaluate(`document.body.textContent.includes("Fair winds")`, &early))
	if early {
		t.Error("a message is shown before it was approved")
	}

	approveDonation(dashboard, t)
	var kept bool
	browser.Run(watcher, t,
		chromedp.Poll(`document.body.textContent.includes("Fair winds") && document.body.textContent.includes("Ada")`, nil, chromedp.WithPollingTimeout(patience)),
		chromedp.Evaluate(`window.notReloaded === true`, &kept))
	if !kept {
		t.Error("the campaign's page was reloaded")
	}
	browser.Axe(watcher, t)
	browser.Screenshot(watcher, t, "public")
	dark := browser.New(t, browser.Phone, browser.Dark, browser.Language("ar"))
	browser.Run(dark, t, chromedp.Navigate(r.BaseURL+path), chromedp.WaitVisible(testID("reached")))
	browser.Axe(dark, t)
	browser.Screenshot(dark, t, "public-arabic")
}

// createCampaign signs in and creates the campaign; it returns the dashboard's page.
func (r *running) createCampaign(t *testing.T) context.Context {
	t.Helper()
	dashboard := browser.New(t, browser.Desktop, browser.AllowError("403")) // the page asks for the password first
	browser.Run(dashboard, t, chromedp.Navigate(r.BaseURL+"/signin?next=%2Fdashboard%2Fcampaigns"),
		chromedp.WaitVisible("#f-email"),
		chromedp.SendKeys("#f-email", DemoEmail), chromedp.SendKeys("#f-password", DemoPassword),
		chromedp.Click(testID("submit")), chromedp.WaitVisible("#f-title"),
		chromedp.SendKeys("#f-title", "Boat for Ida"),
		chromedp.SendKeys("#f-goal", "20"), chromedp.SendKeys("#f-suggested", "5 25"),
		chromedp.Click(testID("create")), chromedp.WaitVisible(`main [name="password"]`),
		chromedp.SendKeys(`main [name="password"]`, DemoPassword),
		chromedp.Click(testID("create")), chromedp.WaitVisible(testID("no-gifts")))
	browser.Axe(dashboard, t)
	return dashboard
}

// donate opens a donation without JavaScript and returns the donor's page with its address, and the payment.
func (r *running) donate(t *testing.T, path string) (donor context.Context, at string, p payment.Payment) {
	t.Helper()
	donor = browser.New(t, browser.Phone, browser.Dark, browser.NoScript)
	browser.Run(donor, t, chromedp.Navigate(r.BaseURL+path), chromedp.WaitVisible(testID("donate-form")),
		chromedp.Click(`.pick:has(input[name="suggested"][value="25.00"])`),
		chromedp.SendKeys("#name", "Ada"), chromedp.SendKeys("#message", "Fair winds"),
		chromedp.Click(`label[for="via-w"]`), chromedp.Click(`label[for="coin-USDC"]`),
		chromedp.Click(testID("pay-POLYGON-USDC-wallet")), chromedp.WaitVisible(testID("waiting")),
		chromedp.Location(&at))
	u, err := url.Parse(at)
	testkit.Must(t, err)
	if u.Path != path {
		t.Errorf("a donation is paid at %s, not on the page of its campaign", at)
	}
	p, err = r.App.Payments.Get(t.Context(), u.Query().Get("pay"))
	if err != nil {
		t.Fatalf("the payment of %s: %v", at, err)
	}
	browser.Screenshot(donor, t, "pay")
	return donor, at, p
}

// approveDonation approves the only donation.
func approveDonation(dashboard context.Context, t *testing.T) {
	t.Helper()
	browser.Run(dashboard, t, chromedp.Reload(), chromedp.WaitVisible(`input[name="donation"]`))
	browser.Axe(dashboard, t)
	browser.Screenshot(dashboard, t, "dashboard")
	browser.Run(dashboard, t, chromedp.Click(`input[name="donation"]`), chromedp.Click(testID("approve")), chromedp.WaitVisible(".gift .badge.is-good"))
}
