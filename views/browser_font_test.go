package views_test

import (
	"math"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/florinpay/florin/internal/testkit/browser"
)

// Who sets the size of letters in the browser gets it: every text grows with it, and nothing is cut or hidden at half
// as much again.
func TestPages_FontSizeOfBrowser(t *testing.T) {
	t.Parallel()
	origin := serveSamples(t)
	// The sizes of all elements that hold text themselves.
	const sizes = `[...document.querySelectorAll("body *")].filter(e => [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim()))
		.map(e => parseFloat(getComputedStyle(e).fontSize))`
	for name := range samplePages(t, "en") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := browser.New(t, browser.ReducedMotion)
			var normal, large []float64
			browser.Run(ctx, t, chromedp.Navigate(origin+"/sample/en/"+name), chromedp.Evaluate(sizes, &normal),
				page.SetFontSizes(&page.FontSizes{Standard: 24}), chromedp.Evaluate(sizes, &large))
			for i := range normal {
				if math.Abs(large[i]/normal[i]-1.5) > 0.01 {
					t.Fatalf("text %d of %d grows from %g to %g px", i, len(normal), normal[i], large[i])
				}
			}
			for _, d := range devices {
				var flaws []string
				browser.Run(ctx, t, d.size, chromedp.Evaluate(findFlaws, &flaws))
				checkLayout(t, d.name, flaws)
			}
			browser.Screenshot(ctx, t, "large")
		})
	}
}
