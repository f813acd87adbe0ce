package views_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/florinpay/florin/internal/testkit/browser"
	"github.com/florinpay/florin/views"
)

// smallPhone is a phone whose browser has its bars open.
func smallPhone() chromedp.Action { return phone(664) }

// phone is a phone whose window is so many pixels high.
func phone(height int64) chromedp.Action {
	return chromedp.EmulateViewport(390, height,
		chromedp.EmulatePortrait, chromedp.EmulateMobile, chromedp.EmulateTouch)
}

// inSight reports whether an element is wholly in the window and nothing lies over it.
const inSight = `(id => {
	const e = document.querySelector('[data-testid="' + id + '"]'), r = e.getBoundingClientRect();
	if (r.height < 1 || r.top < 0 || r.bottom > innerHeight) return "outside of the window: " + [r.top, r.bottom, innerHeight].map(Math.round);
	const xs = [r.left + 2, (r.left + r.right) / 2, r.right - 2], ys = [r.top + 2, (r.top + r.bottom) / 2, r.bottom - 2];
	for (const x of xs) for (const y of ys) {
		const top = document.elementFromPoint(x, y);
		if (!e.contains(top) && !top.contains(e)) return "covered by " + top.outerHTML.slice(0, 80);
	}
	return "";
})`

// TestSendOnPhone: on a small phone nothing that a payer needs first is below the fold or covered, and the
// amount is there once.
func TestSendOnPhone(t *testing.T) {
	t.Parallel()
	origin := serveSamples(t)
	for _, sample := range []string{"waiting-sandbox", "solana", "stalled", "short", "gift", "gift-stalled"} {
		t.Run(sample, func(t *testing.T) {
			t.Parallel()
			ctx := browser.New(t, browser.ReducedMotion)
			browser.Run(ctx, t, smallPhone())
			for _, l := range views.Languages() {
				browser.Run(ctx, t, chromedp.Navigate(origin+"/sample/"+l.Tag+"/"+sample))
				for _, id := range []string{
					"send-amount", "copy-amount", "address", "copy-address", "show-qr", "warning", "status",
				} {
					if problem := evaluate[string](ctx, t, fmt.Sprintf("%s(%q)", inSight, id)); problem != "" {
						t.Errorf("%s: %s is %s", l.Tag, id, problem)
					}
				}
				if l.Tag == "en" && (sample == "solana" || sample == "waiting-sandbox") {
					fee := fmt.Sprintf("%s(%q)", inSight, "copy-with-fee")
					if problem := evaluate[string](ctx, t, fee); problem != "" {
						t.Errorf("the amount with the fee is %s", problem)
					}
				}
				browser.Screenshot(ctx, t, l.Tag)
			}
		})
	}
}

// TestSendOnDesktop: on a desktop the whole step is in sight, and the live line with it.
func TestSendOnDesktop(t *testing.T) {
	t.Parallel()
	origin := serveSamples(t)
	ctx := browser.New(t, browser.ReducedMotion)
	browser.Run(ctx, t, chromedp.EmulateViewport(1280, 800))
	for _, page := range []string{
		"en/waiting", "de/stalled", "de/waiting-sandbox", "fr/short", "ar/gift", "de/gift", "fr/gift", "ru/gift",
	} {
		browser.Run(ctx, t, chromedp.Navigate(origin+"/sample/"+page))
		for _, id := range []string{"status", "copy-amount", "copy-address", "warning", "qr-plain"} {
			if problem := evaluate[string](ctx, t, fmt.Sprintf("%s(%q)", inSight, id)); problem != "" {
				t.Errorf("%s: %s is %s", page, id, problem)
			}
		}
	}
}

// TestOneLeads: of the buttons in sight one has the colour of the shop, whatever the payer pays from.
func TestOneLeads(t *testing.T) {
	t.Parallel()
	origin := serveSamples(t)
	const leading = `(() => {
		const sample = document.body.appendChild(document.createElement("i"));
		sample.style.background = "var(--accent)";
		const colour = getComputedStyle(sample).backgroundColor;
		return [...document.querySelectorAll("main .btn")].filter(e => e.checkVisibility() &&
			getComputedStyle(e).backgroundColor === colour).map(e => e.dataset.testid || e.className).join(" ");
	})()`
	ctx := browser.New(t, browser.ReducedMotion)
	for _, c := range []struct{ name, via, wallet, want string }{
		{"Exchange", "via-x", "", "copy-address"},
		{"App", "via-w", "", "open-wallet"},
		{"Wallet in the browser", "via-w", `document.querySelector("#wallets").append(document.querySelector("#wallets template").content);
			document.querySelector("#wallets").hidden = false`, "btn main wide"},
	} {
		browser.Run(ctx, t, smallPhone(), chromedp.Navigate(origin+"/sample/en/waiting"),
			chromedp.Click(`label[for="`+c.via+`"]`))
		if c.wallet != "" {
			browser.Run(ctx, t, chromedp.Evaluate(c.wallet, nil))
		}
		if got := evaluate[string](ctx, t, leading); got != c.want {
			t.Errorf("%s: %q leads, want %q", c.name, got, c.want)
		}
	}
}

// TestFeesInOneLine: on a phone each network has its fee and its time in one line.
func TestFeesInOneLine(t *testing.T) {
	t.Parallel()
	origin := serveSamples(t)
	ctx := browser.New(t, browser.ReducedMotion)
	browser.Run(ctx, t, chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile))
	for _, l := range views.Languages() {
		browser.Run(ctx, t, chromedp.Navigate(origin+"/sample/"+l.Tag+"/choose"))
		if long := evaluate[string](ctx, t, `[...document.querySelectorAll("span.facts")].filter(e => e.checkVisibility() &&
			e.offsetHeight > 1.5 * parseFloat(getComputedStyle(e).lineHeight)).map(e => e.textContent).join(", ")`); long != "" {
			t.Errorf("%s: %s takes two lines", l.Tag, long)
		}
	}
}

// TestSendOnce: the page shows the amount to send once.
func TestSendOnce(t *testing.T) {
	t.Parallel()
	origin := serveSamples(t)
	ctx := browser.New(t, browser.ReducedMotion)
	for _, sample := range []string{"waiting", "gift"} {
		browser.Run(ctx, t, smallPhone(), chromedp.Navigate(origin+"/sample/en/"+sample))
		text := evaluate[string](ctx, t, `(document.querySelectorAll("main *").forEach((e) => {
			if (getComputedStyle(e).clipPath !== "none") e.remove();
		}), [...document.querySelectorAll("h1, h2")].map((e) => e.innerText).join(" "))`)
		if got := strings.Count(text, "49.90"); got != 1 {
			t.Errorf("%s: the amount is there %d times: %q", sample, got, text)
		}
	}
}

// TestCodeOnDesktop: the code is large enough to be scanned from a distance.
func TestCodeOnDesktop(t *testing.T) {
	t.Parallel()
	origin := serveSamples(t)
	ctx := browser.New(t, browser.ReducedMotion)
	for _, c := range []struct{ tab, code string }{{"via-x", "qr-plain"}, {"via-w", "qr-wallet"}} {
		browser.Run(ctx, t, chromedp.EmulateViewport(1280, 800), chromedp.Navigate(origin+"/sample/en/waiting"),
			chromedp.Click(`label[for="`+c.tab+`"]`), chromedp.WaitVisible(test(c.code)))
		size := evaluate[float64](ctx, t, `document.querySelector('`+test(c.code)+`').getBoundingClientRect().width`)
		if size < 220 {
			t.Errorf("%s is %g px wide, want at least 220", c.code, size)
		}
	}
}

// TestCopyKeepsItsWidth: a copy button answers with a tick in the same place, and nothing moves.
func TestCopyKeepsItsWidth(t *testing.T) {
	t.Parallel()
	origin := serveSamples(t)
	ctx := browser.New(t, browser.ReducedMotion)
	for _, l := range []string{"en", "zh", "ar", "fr"} {
		browser.Run(ctx, t, smallPhone(), chromedp.Navigate(origin+"/sample/"+l+"/waiting"),
			chromedp.Evaluate(`Object.defineProperty(navigator, "clipboard", {value: {writeText: () => Promise.resolve()}})`, nil))
		for _, id := range []string{"copy-amount", "copy-address", "copy-with-fee"} {
			size := `(r => [r.width, r.height].join())(document.querySelector('` + test(id) + `').getBoundingClientRect())`
			before := evaluate[string](ctx, t, size)
			browser.Run(ctx, t, chromedp.Evaluate(`document.querySelector('`+test(id)+`').click()`, nil),
				chromedp.WaitVisible(test(id)+" .did svg"))
			if after := evaluate[string](ctx, t, size); after != before {
				t.Errorf("%s in %s is %s, and was %s", id, l, after, before)
			}
		}
	}
}
