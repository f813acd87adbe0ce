package views_test

import (
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/florinpay/florin/internal/testkit/browser"
)

// findCovered finds what something lies over: at first what a bar covers that keeps its place in the window, then, for
// each thing a payer can press and the warning, whatever covers it once it is scrolled into sight.
const findCovered = `(() => {
	const flaws = [];
	const name = e => (e.dataset.testid || e.tagName.toLowerCase()) + " " + e.textContent.trim().slice(0, 30);
	const shown = e => { const r = e.getBoundingClientRect(), s = getComputedStyle(e); return r.width > 1 && r.height > 1 && s.visibility !== "hidden" && s.opacity !== "0" && !e.closest(".sr, details:not([open]) > :not(summary)"); };
	const bars = [...document.querySelectorAll("body *")].filter(e => /fixed|sticky/.test(getComputedStyle(e).position) && shown(e));
	const things = [...document.querySelectorAll("a, button, summary, label.btn, .tabs label, .pick, input.text, textarea, .warn")].filter(shown);
	for (const e of things) for (const bar of bars) {
		const r = e.getBoundingClientRect(), b = bar.getBoundingClientRect();
		const px = Math.min(r.bottom, b.bottom) - Math.max(r.top, b.top);
		if (!bar.contains(e) && px > 0.5) flaws.push("at first " + Math.round(px) + " px are covered of " + name(e));
	}
	for (const e of things) {
		e.scrollIntoView({block: "nearest"});
		const r = e.getBoundingClientRect();
		for (const y of [r.top + 3, (r.top + r.bottom) / 2, r.bottom - 3]) {
			const top = document.elementFromPoint((r.left + r.right) / 2, y);
			if (!top || !e.contains(top) && !top.contains(e)) { flaws.push("in sight, something covers " + name(e)); break; }
		}
	}
	scrollTo(0, 0);
	return flaws;
})()`

// openStates are the samples that a payer can act on, and that the server keeps up to date.
var openStates = []string{
	"choose", "waiting", "waiting-sandbox", "behind", "stalled", "solana", "short", "short-asked", "wrong-token",
	"wrong-asked", "find-other-chain", "confirming", "late", "expired", "gift", "gift-stalled", "gift-short",
}

// TestNothingCovered: on a phone no bar lies over what a payer can press, nor over the warning, in any state.
func TestNothingCovered(t *testing.T) {
	t.Parallel()
	origin := serveSamples(t)
	for _, lang := range []string{"en", "ar", "zh", "de"} {
		t.Run(lang, func(t *testing.T) {
			t.Parallel()
			ctx := browser.New(t, browser.ReducedMotion)
			for _, name := range openStates {
				browser.Run(ctx, t, chromedp.Navigate(origin+"/sample/"+lang+"/"+name))
				for _, height := range []int64{664, 844} {
					browser.Run(ctx, t, phone(height))
					checkLayout(t, name, evaluate[[]string](ctx, t, findCovered))
				}
			}
		})
	}
}
