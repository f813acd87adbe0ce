package views_test

import (
	"bytes"
	"context"
	"fmt"
	"image/png"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/florinpay/florin/internal/testkit/browser"
	"github.com/florinpay/florin/static"
	"github.com/florinpay/florin/views/checkout"
)

// test is the selector of the element with a data-testid.
func test(id string) string { return `[data-testid="` + id + `"]` }

// pollTime bounds the wait for something that takes milliseconds on an idle machine.
const pollTime = time.Minute

// awaited makes an evaluation wait for its promise.
func awaited(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }

// evaluate is the value of a JavaScript expression in the page.
func evaluate[T any](ctx context.Context, t testing.TB, expression string) T {
	t.Helper()
	var value T
	browser.Run(ctx, t, chromedp.Evaluate(expression, &value))
	return value
}

// checkPage fails for layout flaws and violations of accessibility rules.
func checkPage(ctx context.Context, t testing.TB, where string) {
	t.Helper()
	checkLayout(t, where, evaluate[[]string](ctx, t, findFlaws))
	browser.Axe(ctx, t)
	browser.Screenshot(ctx, t, where)
}

// displayWithMouse is how the link to an app is displayed with a mouse, which a browser without a screen has not.
const displayWithMouse = `for (const sheet of document.styleSheets)
	for (const r of sheet.cssRules)
		if (r.media?.mediaText.includes("pointer: fine")) r.media.mediaText = "all";
getComputedStyle(document.querySelector("[data-testid=open-wallet]")).display`

// TestOpenedInBrowser opens what is closed at first: the other tab, the code, the menu of views.Languages().
func TestOpenedInBrowser(t *testing.T) {
	t.Parallel()
	origin := serveSamples(t)
	for _, c := range []struct {
		name    string
		options []browser.Option
	}{
		{"phone", []browser.Option{browser.Phone, browser.ReducedMotion}},
		{"desktop-dark", []browser.Option{browser.Dark, browser.ReducedMotion}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			ctx := browser.New(t, c.options...)
			browser.Run(ctx, t, chromedp.Navigate(origin+"/sample/en/waiting"))
			if c.name != "desktop-dark" {
				browser.Run(ctx, t, chromedp.Click(`label[for="showqr"]`))
			}
			if got := scanned(ctx, t, "qr-plain"); got != sampleAddress {
				t.Errorf("the code on the screen holds %q", got)
			}
			checkPage(ctx, t, "code")
			browser.Run(ctx, t, chromedp.Click(`label[for="via-w"]`), chromedp.WaitVisible(test("open-wallet")))
			if got := scanned(ctx, t, "qr-wallet"); got != sampleURI {
				t.Errorf("the wallet's code on the screen holds %q", got)
			}
			checkPage(ctx, t, "wallet")
			if got := evaluate[string](ctx, t, displayWithMouse); got != "none" {
				t.Errorf("with a mouse, the link that opens an app is %q", got)
			}
			browser.Run(ctx, t, chromedp.Click(test("languages")+" summary"), chromedp.WaitVisible(`a[lang="ru"]`))
			checkPage(ctx, t, "languages")
		})
	}
}

// scanned reads a code from a picture of the screen.
func scanned(ctx context.Context, t testing.TB, testID string) string {
	t.Helper()
	var shot []byte
	center := fmt.Sprintf(`document.querySelector('%s').scrollIntoView({block: "center"})`, test(testID))
	browser.Run(ctx, t, chromedp.Evaluate(center, nil), chromedp.Screenshot(test(testID), &shot))
	picture, err := png.Decode(bytes.NewReader(shot))
	if err != nil {
		t.Fatal(err)
	}
	return scan(t, picture)
}

// TestNoScriptInBrowser: without scripts the address, its code and the way to a wallet are open, and nothing is
// shown that could not work. The page reloads itself, which accessibility checkers report and which is unavoidable.
func TestNoScriptInBrowser(t *testing.T) {
	t.Parallel()
	origin := serveSamples(t)
	ctx := browser.New(t, browser.Phone, browser.NoScript)
	browser.Run(ctx, t, chromedp.Navigate(origin+"/sample/en/waiting"), chromedp.WaitVisible(test("open-wallet")),
		chromedp.WaitNotVisible(test("copy-address")), chromedp.WaitNotVisible(`label[for="showqr"]`), chromedp.WaitNotVisible(".tabs"))
	checkLayout(t, "waiting", evaluate[[]string](ctx, t, findFlaws))
	browser.Screenshot(ctx, t, "waiting")
	if got := scanned(ctx, t, "qr-plain"); got != sampleAddress {
		t.Errorf("the code on the screen holds %q", got)
	}
	browser.Run(ctx, t, chromedp.Click(test("languages")+" summary"), chromedp.WaitVisible(`a[lang="ru"]`))
	still := browser.New(t, browser.Phone, browser.NoScript) // where no page that reloads itself was open
	for _, name := range []string{"choose", "paid", "find"} {
		browser.Run(still, t, chromedp.Navigate(origin+"/sample/en/"+name))
		browser.Axe(still, t)
	}
}

// TestKeyboardInBrowser walks through the page with the Tab key alone: everything that can be pressed is
// reached, in the order of reading, with a ring around it.
func TestKeyboardInBrowser(t *testing.T) {
	t.Parallel()
	origin := serveSamples(t)
	for name, want := range map[string]string{
		"choose":  "tab-exchange coin-USDT pay-POLYGON-USDT pay-BEP20-USDT cancel-link languages support",
		"waiting": "tab-exchange copy-amount copy-address copy-with-fee paid-link choose-link cancel-link languages support",
		"find":    "hash find-submit back languages support",
		"paid":    "explorer return receipt-link languages support",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := browser.New(t, browser.ReducedMotion)
			browser.Run(ctx, t, chromedp.Navigate(origin+"/sample/en/"+name))
			var got []string
			for range len(strings.Fields(want)) {
				browser.Run(ctx, t, chromedp.KeyEvent(kb.Tab))
				got = append(got, evaluate[string](ctx, t, focused))
			}
			if strings.Join(got, " ") != want {
				t.Errorf("the Tab key reaches\n%s, want\n%s", strings.Join(got, " "), want)
			}
		})
	}
}

// focused names the element with the focus; without a ring that can be seen, it says so instead.
const focused = `(() => {
	const e = document.activeElement, id = n => n && n.closest("[data-testid]") && n.closest("[data-testid]").dataset.testid;
	const mark = e.classList.contains("via") ? document.querySelector('[for="' + e.id + '"]') : e;
	const s = getComputedStyle(mark), r = mark.getBoundingClientRect();
	if (s.outlineStyle === "none" || parseFloat(s.outlineWidth) < 2) return "no-ring:" + id(e);
	if (r.bottom < 0 || r.top > innerHeight) return "out-of-sight:" + id(e);
	return e.matches("a.btn.plain") && !e.dataset.testid ? "back" : id(e);
})()`

// TestTabsByKeyboard: the two tabs are one choice, moved through with the arrow keys.
func TestTabsByKeyboard(t *testing.T) {
	t.Parallel()
	origin := serveSamples(t)
	ctx := browser.New(t, browser.ReducedMotion)
	browser.Run(ctx, t, chromedp.Navigate(origin+"/sample/en/waiting"),
		chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent(kb.ArrowRight), chromedp.WaitVisible(test("qr-wallet")))
	if got := evaluate[string](ctx, t, focused); got != "tab-wallet" {
		t.Errorf("the focus is on %s", got)
	}
}

// TestCopyInBrowser presses a copy button and pastes.
func TestCopyInBrowser(t *testing.T) {
	t.Parallel()
	origin := serveSamples(t)
	ctx := browser.New(t, browser.ReducedMotion)
	browser.Run(ctx, t, chromedp.Navigate(origin+"/sample/en/waiting"),
		chromedp.Evaluate(`Object.defineProperty(navigator, "clipboard", {value: {writeText: text => { window.pasted = text; return Promise.resolve(); }}})`, nil),
		chromedp.Click(test("copy-address")), chromedp.WaitVisible(`//*[@data-label and text()="Copied"]`))
	if got := evaluate[string](ctx, t, "pasted"); got != sampleAddress {
		t.Errorf("copied %q", got)
	}
	if got := evaluate[string](ctx, t, `document.getElementById("announce").textContent`); got != "Copied" {
		t.Errorf("screen readers hear %q", got)
	}
}

// TestCopyFailsInBrowser: "Copied" is said only when it was. Otherwise the text itself is there, selected.
func TestCopyFailsInBrowser(t *testing.T) {
	t.Parallel()
	origin := serveSamples(t)
	for name, c := range map[string]struct {
		clipboard, command string
		copied             bool
	}{
		"False":     {"undefined", "false", false},
		"Throws":    {"undefined", "(() => { throw 1 })()", false},
		"Refused":   {`{writeText: () => Promise.reject(1)}`, "false", false},
		"Never":     {`{writeText: () => new Promise(() => {})}`, "false", false},
		"Synchron":  {`{writeText: () => { throw 1 }}`, "false", false},
		"ByCommand": {`{writeText: () => new Promise(() => {})}`, "true", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := browser.New(t, browser.Phone, browser.ReducedMotion)
			browser.Run(ctx, t, chromedp.Navigate(origin+"/sample/en/waiting"), chromedp.Evaluate(
				`Object.defineProperty(navigator, "clipboard", {value: `+c.clipboard+`}); document.execCommand = () => `+c.command, nil),
				chromedp.Click(test("copy-address")))
			if c.copied {
				expect(ctx, t, `document.getElementById("announce").textContent`, "Copied")
				return
			}
			expect(ctx, t, `document.getElementById("announce").textContent`, "Press and hold to copy")
			expect(ctx, t, `getSelection().toString().trim()`, sampleAddress)
			expect(ctx, t, `String(!!document.querySelector(".copied"))`, "false")
			checkPage(ctx, t, "byhand")
		})
	}
}

// mostShift is the layout shift of a busy machine that paints a page before it has read all of it, and of a time that
// is rewritten in the reader's clock. Ten times as much is noticeable.
const mostShift = 0.01

// TestShiftInBrowser: nothing moves while a page is loaded and its scripts run.
func TestShiftInBrowser(t *testing.T) {
	t.Parallel()
	origin := serveSamples(t)
	ctx := browser.New(t, browser.Phone)
	for _, name := range []string{"choose", "waiting", "waiting-last-minutes", "confirming", "paid", "receipt"} {
		browser.Run(ctx, t, chromedp.Navigate(origin+"/sample/en/"+name))
		script := `new Promise(done => {
			const shifts = {Sum: 0, Sources: []}, box = r => [r.x, r.y, r.width, r.height].map(Math.round).join(" ");
			new PerformanceObserver(list => list.getEntries().forEach(e => {
				shifts.Sum += e.value;
				e.sources.forEach(s => shifts.Sources.push((s.node ? s.node.className || s.node.nodeName : "") + " from " + box(s.previousRect) + " to " + box(s.currentRect)));
			})).observe({type: "layout-shift", buffered: true});
			setTimeout(() => done(shifts), 300);
		})`
		var shifts struct {
			Sum     float64
			Sources []string
		}
		browser.Run(ctx, t, chromedp.Evaluate(script, &shifts, awaited))
		if shifts.Sum > mostShift {
			t.Errorf("%s moves by %g:\n%s", name, shifts.Sum, strings.Join(shifts.Sources, "\n"))
		}
	}
}

// stream is a live stream a test writes to.
type stream struct {
	origin string
	events chan string
}

// serveLive serves one payment and its stream.
func serveLive(t testing.TB, p checkout.Props) stream {
	t.Helper()
	s := stream{events: make(chan string)}
	mux := http.NewServeMux()
	mux.Handle(static.Prefix, static.Handler())
	mux.HandleFunc("/pay", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store") // as the server does; a page kept for "back" keeps its stream
		w.Header().Set("Content-Security-Policy", policy)
		if err := checkout.Pay(p).Render(r.Context(), w); err != nil {
			t.Error(err)
		}
	})
	mux.HandleFunc("/pay/{txnid}/now", unchanged)
	mux.HandleFunc("/pay/{txnid}/live", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.(http.Flusher).Flush()
		for {
			select {
			case event := <-s.events:
				fmt.Fprint(w, event)
				w.(http.Flusher).Flush()
			case <-r.Context().Done():
				return
			}
		}
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	s.origin = server.URL
	return s
}

// send sends what the handler would send to a page that shows what the tag names, and returns the tag it shows then.
func (s stream) send(ctx context.Context, t testing.TB, p checkout.Props, shown string) string {
	t.Helper()
	event, html, next := liveEvent(t, p, shown)
	if event == "" {
		t.Fatal("nothing of the page has changed")
	}
	text := "event: " + event + "\ndata: " + strings.ReplaceAll(html, "\n", "\ndata: ") + "\n\n"
	select {
	case s.events <- text:
	case <-ctx.Done():
		t.Fatal("the page has not opened the stream")
	}
	return next
}

// TestLiveInBrowser follows a payment on an open page without a reload: seen, confirming, paid. The title,
// screen readers and the keyboard focus follow.
func TestLiveInBrowser(t *testing.T) {
	t.Parallel()
	waiting, confirming, paid := sampleNamed(t, "waiting"), sampleNamed(t, "confirming"), sampleNamed(t, "paid")
	s := serveLive(t, waiting)
	ctx := browser.New(t, browser.ReducedMotion)
	browser.Run(ctx, t, chromedp.Navigate(s.origin+"/pay"), chromedp.Click(`label[for="via-w"]`))
	ending := waiting
	ending.CountdownSeconds, ending.ExpiresAt = 299, waiting.ExpiresAt.Add(-time.Minute)
	shown := s.send(ctx, t, ending, tagOf(waiting))
	browser.Run(ctx, t, chromedp.WaitVisible(test("countdown")+".urgent"))
	if !evaluate[bool](ctx, t, `document.getElementById("via-w").checked`) {
		t.Error("the payer's tab has changed with the live line")
	}
	browser.Run(ctx, t, chromedp.Focus(test("paid-link")))
	shown = s.send(ctx, t, confirming, shown)
	browser.Run(ctx, t, chromedp.WaitVisible(test("arriving")))
	expect(ctx, t, `document.activeElement.textContent`, "We can see your payment")
	expect(ctx, t, `document.getElementById("announce").textContent`, "We can see your payment")
	browser.Axe(ctx, t)
	browser.Run(ctx, t, phone(400), chromedp.Focus(test("languages")+" summary"),
		chromedp.Evaluate(`scrollTo(0, document.body.scrollHeight)`, nil))
	s.send(ctx, t, paid, shown)
	browser.Run(ctx, t, chromedp.WaitVisible(test("paid")))
	expect(ctx, t, `String(document.getElementById("stage").getBoundingClientRect().top >= 0)`, "true")
	expect(ctx, t, `document.getElementById("announce").textContent`, "Paid")
	expect(ctx, t, `document.title.split(" · ")[0]`, "Paid")
	expect(ctx, t, `String(document.querySelector("[data-testid=paid-at] time").hasAttribute("data-local"))`, "false")
	browser.Axe(ctx, t)
}

// TestTimesOfSwappedParts: a part of any page that is swapped shows times in the reader's clock.
func TestTimesOfSwappedParts(t *testing.T) {
	t.Parallel()
	ctx := browser.New(t)
	browser.Run(ctx, t, chromedp.Navigate(serveSamples(t)+"/sample/en/donate"), chromedp.Evaluate(
		`document.querySelector("[data-testid=donation]").innerHTML = '<time datetime="2026-11-27T03:39:56Z" data-local>UTC</time>'`, nil))
	expect(ctx, t, `document.querySelector("[data-testid=donation] time").textContent.slice(0, 12)`, "Nov 27, 2026")
}

// expect waits until an expression has the value, for what a script does a moment later.
func expect(ctx context.Context, t testing.TB, expression, want string) {
	t.Helper()
	err := browser.Try(ctx,
		chromedp.Poll(fmt.Sprintf("(%s) === %q", expression, want), nil, chromedp.WithPollingTimeout(pollTime)))
	if err != nil {
		t.Errorf("%s is %q, want %q: %v", expression, evaluate[string](ctx, t, expression), want, err)
	}
}

// TestOfflineInBrowser: while the stream is down, the page says that it is not live, and it recovers by itself.
func TestOfflineInBrowser(t *testing.T) {
	t.Parallel()
	var back atomic.Bool
	waiting := sampleNamed(t, "waiting")
	mux := http.NewServeMux()
	mux.Handle(static.Prefix, static.Handler())
	mux.HandleFunc("/pay", func(w http.ResponseWriter, r *http.Request) {
		if err := checkout.Pay(waiting).Render(r.Context(), w); err != nil {
			t.Error(err)
		}
	})
	mux.HandleFunc("/pay/{txnid}/now", func(w http.ResponseWriter, r *http.Request) {
		if !back.Load() {
			http.Error(w, "not now", http.StatusServiceUnavailable)
			return
		}
		unchanged(w, r)
	})
	mux.HandleFunc("/pay/{txnid}/live", func(w http.ResponseWriter, r *http.Request) {
		if !back.Load() {
			http.Error(w, "not now", http.StatusServiceUnavailable)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	ctx := browser.New(t, browser.Phone, browser.ReducedMotion, browser.AllowError(`status of 503`))
	browser.Run(ctx, t, chromedp.Navigate(server.URL+"/pay"), chromedp.WaitVisible("#offline"))
	checkPage(ctx, t, "offline")
	back.Store(true)
	browser.Run(ctx, t, chromedp.WaitNotVisible("#offline"))
}
