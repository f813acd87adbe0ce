package web

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/florinpay/florin/internal/testkit/browser"
)

// What an old tab is answered can be read and used: both values beside their inputs, and how to go on.
func TestForms_OldTabInBrowser(t *testing.T) {
	t.Parallel()
	b, origin := serveDashboard(t)
	b.shop(b.member(ownerEmail))
	ctx := browser.New(t, browser.AllowError(`status of 40[39]`))
	enterDashboard(ctx, t, origin, ownerEmail)
	for name, x := range map[string]struct{ page, input, theirs, mine string }{
		"payouts":  {payoutsPath, "name", "Their name", "My name"},
		"branding": {brandingPath, "tagline", "Their line", "My line"},
	} {
		browser.Run(ctx, t, chromedp.Navigate(origin+x.page), chromedp.WaitVisible("#f-"+x.input))
		other := b.surfer()
		other.signIn(ownerEmail)
		theirs := with(other.asShown(x.page, x.page), x.input, x.theirs)
		theirs.Set("password", testPassword)
		other.do("POST", x.page, theirs).wants(t, 303)
		send := `(() => {
			const form = document.querySelector("form[action='` + x.page + `']");
			form.elements["` + x.input + `"].value = "` + x.mine + `";
			if (form.elements.password) form.elements.password.value = "` + testPassword + `";
			form.requestSubmit();
		})()`
		var said string
		browser.Run(ctx, t, chromedp.Evaluate(send, nil),
			chromedp.Text("#problem-"+x.input, &said, chromedp.NodeVisible))
		if !strings.Contains(said, "is stored now") {
			t.Errorf("beside the input stands %q", said)
		}
		lookAt(ctx, t, "old-"+name)
	}
}
