package sandbox_test

import (
	"net/url"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/florinpay/florin/internal/browsertest"
	"github.com/florinpay/florin/internal/sandbox"
)

// TestDonate makes a campaign in the dashboard, gives to it without JavaScript,
// pays on the chain and approves the donor, while somebody else watches the
// campaign's page without ever reloading it.
func TestDonate(t *testing.T) {
	t.Parallel()
	r := start(t, t.TempDir())
	const path = "/donate/boat-for-ida"
	desk := browsertest.New(t, browsertest.Desktop)
	browsertest.Run(desk, t, chromedp.Navigate(r.BaseURL+"/signin?next=%2Fdashboard%2Fcampaigns"), chromedp.WaitVisible("#f-email"),
		chromedp.SendKeys("#f-email", sandbox.DemoEmail), chromedp.SendKeys("#f-password", sandbox.DemoPassword),
		chromedp.Click(testID("submit")), chromedp.WaitVisible("#f-title"),
		chromedp.SendKeys("#f-title", "Boat for Ida"), chromedp.SendKeys("#f-goal", "20"), chromedp.SendKeys("#f-suggested", "5 25"),
		chromedp.Click(testID("create")), chromedp.WaitVisible(testID("no-gifts")))
	browsertest.Axe(desk, t)

	watcher := browsertest.New(t, browsertest.Desktop, browsertest.Light)
	browsertest.Run(watcher, t, chromedp.Navigate(r.BaseURL+path), chromedp.WaitVisible(testID("donate")), chromedp.Evaluate(`window.notReloaded = true`, nil))
	browsertest.Axe(watcher, t)

	donor := browsertest.New(t, browsertest.Phone, browsertest.Dark, browsertest.NoScript)
	var at string
	browsertest.Run(donor, t, chromedp.Navigate(r.BaseURL+path), chromedp.WaitVisible(testID("donate-form")),
		chromedp.Click(`.pick:has(input[name="suggested"][value="25.00"])`), chromedp.Click(`.pick:has(input[name="way"][value="POLYGON.USDC"])`),
		chromedp.SendKeys("#name", "Ada"), chromedp.SendKeys("#message", "Fair winds"),
		chromedp.Click(testID("donate-submit")), chromedp.WaitVisible(testID("waiting")), chromedp.Location(&at))
	u, err := url.Parse(at)
	if err != nil {
		t.Fatal(err)
	}
	if u.Path != path {
		t.Errorf("a donation is paid at %s, not on the page of its campaign", at)
	}
	p, err := r.App.Payments.Get(t.Context(), u.Query().Get("pay"))
	if err != nil {
		t.Fatalf("the payment of %s: %v", at, err)
	}
	browsertest.Screenshot(donor, t, "pay")
	// Another window of the donor runs scripts: it hears of the money on the same page.
	window := browsertest.New(t, browsertest.Desktop)
	browsertest.Run(window, t, chromedp.Navigate(at), chromedp.WaitVisible(testID("waiting")), chromedp.Evaluate(`window.notReloaded = true`, nil))
	r.payWith(t, p, "exactly")
	browsertest.Run(watcher, t, chromedp.WaitVisible(testID("reached")))
	var live bool
	browsertest.Run(window, t, chromedp.WaitVisible(testID("campaign")), chromedp.Evaluate(`window.notReloaded === true`, &live))
	if !live {
		t.Error("the donor's page was reloaded")
	}
	browsertest.Axe(window, t)
	browsertest.Screenshot(window, t, "paid")
	browsertest.Run(donor, t, chromedp.WaitVisible(testID("paid")), chromedp.Click(testID("campaign")), chromedp.WaitVisible(testID("donate-form")))
	var early bool
	browsertest.Run(watcher, t, chromedp.Evaluate(`document.body.textContent.includes("Fair winds")`, &early))
	if early {
		t.Error("a message is shown before it was approved")
	}

	browsertest.Run(desk, t, chromedp.Reload(), chromedp.WaitVisible(`input[name="donation"]`))
	browsertest.Axe(desk, t)
	browsertest.Screenshot(desk, t, "dashboard")
	browsertest.Run(desk, t, chromedp.Click(`input[name="donation"]`), chromedp.Click(testID("approve")), chromedp.WaitVisible(".gift .badge.is-good"))

	var kept bool
	browsertest.Run(watcher, t,
		chromedp.Poll(`document.body.textContent.includes("Fair winds") && document.body.textContent.includes("Ada")`, nil, chromedp.WithPollingTimeout(patience)),
		chromedp.Evaluate(`window.notReloaded === true`, &kept))
	if !kept {
		t.Error("the campaign's page was reloaded")
	}
	browsertest.Axe(watcher, t)
	browsertest.Screenshot(watcher, t, "public")
	dark := browsertest.New(t, browsertest.Phone, browsertest.Dark, browsertest.Language("ar"))
	browsertest.Run(dark, t, chromedp.Navigate(r.BaseURL+path), chromedp.WaitVisible(testID("reached")))
	browsertest.Axe(dark, t)
	browsertest.Screenshot(dark, t, "public-arabic")
}
