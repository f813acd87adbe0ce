package views_test

import (
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/florinpay/florin/internal/testkit/browser"
	"github.com/florinpay/florin/views/checkout"
)

// TestTypedInBrowser: a hash that the payer is typing stays in its field, with the caret where it was, when the step
// changes below it; and the page says that the money was seen.
func TestTypedInBrowser(t *testing.T) {
	t.Parallel()
	waiting, confirming := sampleNamed(t, "waiting"), sampleNamed(t, "confirming")
	waiting.View, confirming.View = checkout.ViewFind, checkout.ViewFind
	s := serveLive(t, waiting)
	ctx := browser.New(t, browser.Phone, browser.ReducedMotion)
	browser.Run(ctx, t, chromedp.Navigate(s.origin+"/pay"), chromedp.SendKeys(test("hash"), "0x12"),
		chromedp.Evaluate(`document.getElementById("hash").setSelectionRange(2, 2)`, nil))
	shown := s.send(ctx, t, confirming, tagOf(waiting))
	browser.Run(ctx, t, chromedp.WaitVisible(test("seen")))
	expect(ctx, t, `document.activeElement.id + " " + document.activeElement.selectionStart`, "hash 2")
	expect(ctx, t, `document.getElementById("announce").textContent`, "We can see your payment")
	browser.Run(ctx, t, chromedp.KeyEvent("ab"))
	expect(ctx, t, `document.getElementById("hash").value`, "0xab12")
	checkPage(ctx, t, "seen")
	s.send(ctx, t, waiting, shown)
	browser.Run(ctx, t, chromedp.WaitNotPresent(test("seen")))
	expect(ctx, t, `document.getElementById("hash").value`, "0xab12")
}
