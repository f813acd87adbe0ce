package views_test

import (
	"bytes"
	"context"
	"math"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/florinpay/florin/internal/testkit/browser"
	"github.com/florinpay/florin/static"
	"github.com/florinpay/florin/views/campaign"
	"github.com/florinpay/florin/views/checkout"
)

// TestReceiptOnPaper: a receipt is dark on white on paper, whatever theme the merchant has on screen.
func TestReceiptOnPaper(t *testing.T) {
	t.Parallel()
	receipt := sampleReceipt("en")
	receipt.Merchant.Theme, receipt.Merchant.Accent = "DARK", "#9db4ff"
	mux := http.NewServeMux()
	mux.Handle(static.Prefix, static.Handler())
	mux.HandleFunc("GET /receipt", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", policy)
		if err := checkout.Receipt(receipt).Render(r.Context(), w); err != nil {
			t.Error(err)
		}
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	ctx := browser.New(t, browser.Dark)
	const ink = `getComputedStyle(document.querySelector("h1")).color`
	browser.Run(ctx, t, chromedp.Navigate(server.URL+"/receipt"), chromedp.WaitVisible(test("receipt")))
	screen := evaluate[string](ctx, t, ink)
	browser.Run(ctx, t, emulation.SetEmulatedMedia().WithMedia("print"))
	if paper := evaluate[string](ctx, t, ink); paper != "rgb(28, 26, 23)" || paper == screen {
		t.Errorf("the ink is %s on paper and %s on screen", paper, screen)
	}
	browser.Axe(ctx, t)
	var sheets []byte
	browser.Run(ctx, t, chromedp.ActionFunc(func(ctx context.Context) (err error) {
		sheets, _, err = page.PrintToPDF().WithPaperWidth(8.27).WithPaperHeight(11.69).Do(ctx) // A4
		return err
	}))
	if n := bytes.Count(sheets, []byte("/Type /Page\n")); n != 1 {
		t.Errorf("the receipt takes %d sheets", n)
	}
}

// TestSignOnPaper: the sign for a counter has no buttons on paper.
func TestSignOnPaper(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	mux.Handle(static.Prefix, static.Handler())
	mux.HandleFunc("GET /sign", func(w http.ResponseWriter, r *http.Request) {
		if err := campaign.Sign(campaign.SignProps{Title: "One bag of coffee"}).Render(r.Context(), w); err != nil {
			t.Error(err)
		}
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	ctx := browser.New(t)
	browser.Run(ctx, t, chromedp.Navigate(server.URL+"/sign"), chromedp.WaitVisible(test("print")),
		emulation.SetEmulatedMedia().WithMedia("print"))
	if evaluate[bool](ctx, t, `!!document.querySelector("[data-testid=print]").offsetParent`) {
		t.Error("the sign is printed with its buttons")
	}
}

// reloadTime bounds the wait for a page of this process to load again on a busy machine.
const reloadTime = time.Minute

// keptStream is less than the minute for which a browser keeps the stream of a page that it keeps for "back".
const keptStream = 40 * time.Second

// TestLeftInBrowser: a page that is left ends its stream at once. Six pages that kept theirs would hold all connections
// that a browser opens to a server over HTTP/1.1, and the seventh would not load.
func TestLeftInBrowser(t *testing.T) {
	t.Parallel()
	pages := samplePages(t, "en")
	opened, ended := make(chan struct{}), make(chan struct{})
	var first sync.Once
	mux := http.NewServeMux()
	mux.Handle(static.Prefix, static.Handler())
	mux.HandleFunc("/waiting", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store") // as the server does
		if err := pages["waiting"].Render(r.Context(), w); err != nil {
			t.Error(err)
		}
	})
	mux.HandleFunc("/shop", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(`<!doctype html><link rel="icon" href="data:,"><title>Shop</title>`))
	})
	mux.HandleFunc("/pay/{txnid}/now", unchanged)
	mux.HandleFunc("/pay/{txnid}/live", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.(http.Flusher).Flush()
		first.Do(func() {
			close(opened)
			<-r.Context().Done()
			close(ended)
		})
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	ctx := browser.New(t, browser.Phone)
	browser.Run(ctx, t, chromedp.Navigate(server.URL+"/waiting"))
	within := func(c <-chan struct{}, what string) {
		t.Helper()
		select {
		case <-c:
		case <-time.After(keptStream):
			t.Fatal(what)
		}
	}
	within(opened, "the page did not open its stream")
	browser.Run(ctx, t, chromedp.Navigate(server.URL+"/shop"))
	within(ended, "the stream of the page that was left is open")
}

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

// TestLastWayInBrowser: the way to pay that a payer chose last comes first at the next payment, without any cookie.
func TestLastWayInBrowser(t *testing.T) {
	t.Parallel()
	p := sampleNamed(t, "choose")
	for i := range p.Choices {
		p.Choices[i].Last = false
	}
	s := serveLive(t, p)
	ctx := browser.New(t, browser.Phone, browser.ReducedMotion, browser.AllowError(`status of 404`))
	page := s.origin + "/pay"
	browser.Run(ctx, t, chromedp.Navigate(page),
		chromedp.Click(`label[for="via-w"]`), chromedp.Click(`label[for="coin-USDC"]`))
	const top = `[...document.querySelectorAll("ul li:first-child button.way")].find(b => b.offsetWidth).dataset.testid`
	expect(ctx, t, top, "pay-POLYGON-USDC-wallet")
	if _, err := chromedp.RunResponse(ctx, chromedp.Click(test("pay-BASE-USDC-wallet"))); err != nil {
		t.Fatal(err)
	}
	browser.Run(ctx, t, chromedp.Navigate(page), chromedp.WaitVisible(test("pay-BASE-USDC-wallet")+" .tag"))
	expect(ctx, t, top, "pay-BASE-USDC-wallet")
	expect(ctx, t, `document.querySelector('`+test("pay-BASE-USDC-wallet")+` .tag').textContent`, "Used last time")
	browser.Run(ctx, t, chromedp.Navigate(page+"?via="+string(checkout.ViaExchange)))
	expect(ctx, t, `[...document.querySelectorAll("ul li:first-child button.way")].find(b => b.offsetWidth).value`, "BASE")
	expect(ctx, t, `document.querySelector("[name=via]:checked").value`, string(checkout.ViaExchange))
}

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
