package views_test

import (
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/florinpay/florin/internal/testkit/browser"
)

// reloadTime bounds the wait for a page of this process to load again on a busy machine.
const reloadTime = time.Minute

// TestBackInBrowser: a page of a payment that the browser kept in memory loads again when the payer comes back to it,
// since the payment may have gone on meanwhile. A page that was just loaded does not.
func TestBackInBrowser(t *testing.T) {
	t.Parallel()
	origin := serveSamples(t)
	ctx := browser.New(t, browser.Phone, browser.ReducedMotion)
	shown := func(kept string) chromedp.Action {
		event := `window.dispatchEvent(new PageTransitionEvent("pageshow", {persisted: ` + kept + `}))`
		return chromedp.Evaluate(`void setTimeout(() => { `+event+`; window.shown = true })`, nil)
	}
	loads := func() (n int) {
		for _, r := range browser.Requests(ctx) {
			if r.Kind == "Document" {
				n++
			}
		}
		return n
	}
	browser.Run(ctx, t, chromedp.Navigate(origin+"/sample/en/waiting"), chromedp.WaitVisible(test("copy-address")),
		shown("false"), chromedp.Poll(`window.shown`, nil, chromedp.WithPollingTimeout(reloadTime)))
	if n := loads(); n != 1 {
		t.Fatalf("a page that was just loaded was asked for %d times", n)
	}
	browser.Run(ctx, t, shown("true"))
	for end := time.Now().Add(reloadTime); loads() < 2; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("a page that the browser kept was not loaded again")
		}
	}
}
