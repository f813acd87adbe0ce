package web

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/florinpay/florin/internal/testkit/browser"
)

// A change that waits, on every page that shows it, and the page that its mail leads to, in a browser.
func TestLock_Pages(t *testing.T) {
	t.Parallel()
	b, origin := serveDashboard(t)
	l := b.directed().lock()
	before := len(l.mail.all())
	l.redirect(l.code()).leads(t, "/dashboard/settings/payouts?key="+l.m.key.PublicID)
	token := stopLink.FindStringSubmatch(strings.Join(l.mailed(before + 2)[before:], "\n"))[1]
	for _, lang := range []string{"en", "ar", "zh"} { // in groups of four, whatever stands beside an address
		l.s.get("/dashboard?lang="+lang).wants(t, 200, "<b>"+merchantWallet[38:]+"</b>", "<b>"+thief[38:]+"</b>")
	}
	ctx := browser.New(t, browser.AllowError(`status of 404`))
	enterDashboard(ctx, t, origin, "second@shop.example")
	for page, path := range map[string]string{
		"waiting": "/dashboard",
		"locked":  "/dashboard/settings/payouts?key=" + l.m.key.PublicID, "keys": "/dashboard/keys",
		"stop": "/stop?token=" + token,
	} {
		browser.Run(ctx, t, chromedp.Navigate(origin+path), chromedp.WaitVisible("main h1"))
		if page != "keys" {
			browser.Run(ctx, t, chromedp.WaitVisible("//*[@data-testid='changes']//*[contains(., '"+thief+"')]", chromedp.BySearch))
		}
		lookAt(ctx, t, page)
	}
	browser.Run(ctx, t, chromedp.Navigate(origin+"/stop?token="+token), chromedp.WaitVisible("main h1"),
		chromedp.Click("main form button"), chromedp.WaitVisible("//h1[contains(., 'stopped')]", chromedp.BySearch))
	lookAt(ctx, t, "stopped")
	l.holds("a change that was stopped in a browser")
	browser.FirstParty(ctx, t, origin)
}
