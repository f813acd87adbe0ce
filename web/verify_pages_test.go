package web

import (
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/florinpay/florin/internal/testkit/browser"
)

// A sign-up whose address is verified, in a browser, and what a user sees who was made before addresses were.
func TestVerify_Pages(t *testing.T) {
	t.Parallel()
	b, origin := serveDashboard(t, verifyEmail)
	ctx := browser.New(t, browser.AllowError(`status of 40[0-9]`))
	browser.Run(ctx, t, chromedp.Navigate(origin+"/signup"), chromedp.WaitVisible("#f-email"),
		chromedp.SendKeys("#f-email", ownerEmail), chromedp.SendKeys("#f-password", testPassword),
		chromedp.Click("[data-testid=submit]"),
		chromedp.WaitVisible("//main[contains(., 'on its way')]", chromedp.BySearch))
	lookAt(ctx, t, "sent")
	path, _ := b.linkTo(t, ownerEmail, verifyLink)
	browser.Run(ctx, t, chromedp.Navigate(origin+path), chromedp.WaitVisible("#f-password"))
	lookAt(ctx, t, "verify")
	browser.Run(ctx, t, chromedp.SendKeys("#f-password", testPassword), chromedp.Click("[data-testid=submit]"),
		chromedp.WaitVisible(".column h1"), chromedp.Navigate(origin+path), chromedp.WaitVisible("main h1"))
	lookAt(ctx, t, "used")
	t.Run("Unverified", func(t *testing.T) {
		b.member("before@shop.example")
		ctx := browser.New(t, browser.AllowError(`status of 40[0-9]`))
		enterDashboard(ctx, t, origin, "before@shop.example")
		for page, path := range map[string]string{
			"overview": "/dashboard", "security": securityPath, "keys": keysPath,
		} {
			browser.Run(ctx, t, chromedp.Navigate(origin+path), chromedp.WaitVisible("main h1"))
			lookAt(ctx, t, page)
		}
	})
	browser.FirstParty(ctx, t, origin)
}
