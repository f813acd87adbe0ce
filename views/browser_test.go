package views_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/a-h/templ"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/florinpay/florin/internal/testkit/browser"
	"github.com/florinpay/florin/static"
	"github.com/florinpay/florin/views"
)

// policy is the Content-Security-Policy the package promises to work under, with the nonce of the samples.
const policy = "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-r4nd0m'; img-src 'self' https: data:; " +
	"connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// unchanged answers a page that asks what it does not show yet: nothing.
func unchanged(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotModified) }

// serveSamples serves every sample page under /sample/<language>/<name>, the assets, and live streams on which nothing
// happens.
func serveSamples(t testing.TB) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.Handle(static.Prefix, static.Handler())
	mux.HandleFunc("/pay/{txnid}/now", unchanged)
	mux.HandleFunc("/pay/{txnid}/live", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	pages := map[string]map[string]templ.Component{}
	for _, l := range views.Languages() {
		pages[l.Tag] = samplePages(t, l.Tag)
	}
	mux.HandleFunc("/sample/{lang}/{name}", func(w http.ResponseWriter, r *http.Request) {
		page, ok := pages[r.PathValue("lang")][r.PathValue("name")]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Cache-Control", "no-store") // as the server does; a page kept for "back" keeps its stream
		w.Header().Set("Content-Security-Policy", policy)
		if err := page.Render(r.Context(), w); err != nil {
			t.Error(err)
		}
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL
}

// device is a window size the pages are made for.
type device struct {
	name string
	size chromedp.Action
}

var devices = []device{
	{"360", chromedp.EmulateViewport(360, 780, chromedp.EmulatePortrait, chromedp.EmulateMobile,
		chromedp.EmulateTouch)},
	{"768", chromedp.EmulateViewport(768, 1024, chromedp.EmulatePortrait)},
	{"1280", chromedp.EmulateViewport(1280, 800)},
}

// themed emulates a preferred colour scheme. Motion is reduced, so that a picture shows the end of every
// transition.
func themed(scheme string) chromedp.Action {
	return emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: scheme},
		{Name: "prefers-reduced-motion", Value: "reduce"},
	})
}

// findFlaws finds visible faults: elements wider than the window, text that is cut off, and targets too
// small for a thumb. Links inside a sentence are as high as their line
// (WCAG 2.2, success criterion 2.5.8, exception "inline"); elements for screen readers only have no size.
const findFlaws = `(() => {
	const flaws = [];
	const root = document.documentElement;
	if (root.scrollWidth > root.clientWidth) flaws.push("the page is " + root.scrollWidth + " px wide in a window of " + root.clientWidth);
	const name = e => e.tagName.toLowerCase() + (e.className && e.className.baseVal === undefined ? "." + e.className : "") + " " + (e.textContent || "").trim().slice(0, 40);
	const shown = e => { if (e.closest("details:not([open]) > :not(summary)")) return false; const r = e.getBoundingClientRect(); return r.width > 1 && r.height > 1 && getComputedStyle(e).visibility !== "hidden" && !e.closest(".sr"); };
	const inline = e => e.tagName === "A" && getComputedStyle(e).display === "inline";
	for (const e of document.querySelectorAll("a, button, summary, input, select, textarea, label.btn, .tabs label")) {
		if (!shown(e) || inline(e) || getComputedStyle(e).opacity === "0" || e.type === "hidden") continue;
		const r = e.getBoundingClientRect();
		if (r.height < 43.5 || r.width < 43.5) flaws.push("target of " + Math.round(r.width) + "×" + Math.round(r.height) + ": " + name(e));
	}
	for (const e of document.querySelectorAll("body *")) {
		if (!shown(e)) continue;
		const r = e.getBoundingClientRect(), s = getComputedStyle(e);
		if (r.right > root.clientWidth + 0.5 || r.left < -0.5) {
			if (!e.closest("pre, .scroll") && s.opacity !== "0") flaws.push("outside of the window: " + name(e));
		}
		const clips = s.overflowX !== "visible" && s.overflowX !== "auto" && s.overflowX !== "scroll";
		if (clips && e.tagName !== "INPUT" && e.scrollWidth > e.clientWidth + 1) flaws.push("cut off: " + name(e));
	}
	return flaws;
})()`

// checkLayout fails the test for every flaw of the page as it is.
func checkLayout(t testing.TB, where string, flaws []string) {
	t.Helper()
	for _, flaw := range flaws {
		t.Errorf("%s: %s", where, flaw)
	}
}

// TestPagesInBrowser opens every page in a browser in both themes and three sizes. Nothing may be cut,
// too small or inaccessible, and no other server may get a request.
func TestPagesInBrowser(t *testing.T) {
	t.Parallel()
	origin := serveSamples(t)
	for name := range samplePages(t, "en") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			checkSample(t, origin, "en", name)
		})
	}
}

// checkSample checks one sample in every size and theme. Sizes are the same in both themes, and colours in
// all sizes, so that not every pair is checked.
func checkSample(t *testing.T, origin, lang, name string) {
	t.Helper()
	ctx := browser.New(t)
	browser.Run(ctx, t, themed("light"), chromedp.Navigate(origin+"/sample/"+lang+"/"+name))
	for i, d := range devices {
		var flaws []string
		browser.Run(ctx, t, d.size, chromedp.Evaluate(findFlaws, &flaws))
		checkLayout(t, d.name, flaws)
		browser.Screenshot(ctx, t, d.name+"-light")
		if i == 0 {
			browser.Axe(ctx, t)
		}
	}
	browser.Run(ctx, t, themed("dark"))
	browser.Screenshot(ctx, t, "1280-dark")
	browser.Axe(ctx, t)
	browser.FirstParty(ctx, t, origin)
}
