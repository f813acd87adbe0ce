package browser

import (
	"context"
	"fmt"
	"image/png"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// rightToLeft is a page with a black square at its beginning, which is the upper right corner.
const rightToLeft = `<!doctype html><html lang="ar" dir="rtl"><head><title>Pay</title><meta name="viewport" content="width=device-width">
	<link rel="icon" href="data:,"></head><body style="margin:0"><main style="height:%dpx"><div style="width:50px;height:50px;background:#000"></div></main></body></html>`

// pages are the responses of the test server, by path; {{language}} is replaced by the requested language.
var pages = map[string]string{
	"/good": `<!doctype html><html lang="en"><head><title>Pay</title><meta name="viewport" content="width=device-width">
		<link rel="icon" href="data:,"></head><body><main><h1>Pay 10 USDC</h1><p id="language">{{language}}</p>
		<div style="height:2000px">long</div></main></body></html>`,
	"/bad": `<!doctype html><html><head><title>Pay</title><link rel="icon" href="data:,"></head><body><main><h1>Pay</h1><img src="data:,">
		<p style="color:#bbb;background:#fff">pale</p>
		<button style="width:10px;height:10px;padding:0;border:0" aria-label="one"></button><button
			style="width:10px;height:10px;padding:0;border:0" aria-label="two"></button></main></body></html>`,
	"/short-rtl": fmt.Sprintf(rightToLeft, 300),
	"/long-rtl":  fmt.Sprintf(rightToLeft, 3000),
	"/script": `<!doctype html><title>t</title><link rel="icon" href="data:,"><p id="p">without</p><noscript><p id="n">plain</p></noscript>
		<script>document.getElementById("p").textContent = "with"</script>`,
	"/console":   `<!doctype html><title>t</title><link rel="icon" href="data:,"><script>console.error("broken", {a: 1})</script>`,
	"/exception": `<!doctype html><title>t</title><link rel="icon" href="data:,"><script>missing()</script>`,
	"/dialog":    `<!doctype html><title>t</title><link rel="icon" href="data:,"><h1>t</h1><script>setTimeout(() => alert("hello"))</script>`,
	"/image":     `<!doctype html><title>t</title><link rel="icon" href="data:,"><img src="/missing.png">`,
	"/thirdparty": `<!doctype html><title>t</title><link rel="icon" href="data:,"><script src="http://cdn.example/x.js"></script>
		<img src="http://203.0.113.7/pixel.gif">`,
}

func serve(t testing.TB) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page, known := pages[r.URL.Path]
		if !known {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, strings.ReplaceAll(page, "{{language}}", r.Header.Get("Accept-Language")))
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// recorder is a test inside the test whose failure is expected.
type recorder struct {
	testing.TB

	mu       sync.Mutex
	failures []string
	cleanups []func()
}

func (r *recorder) Errorf(format string, arguments ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failures = append(r.failures, fmt.Sprintf(format, arguments...))
}

func (r *recorder) Failed() bool           { return false } // no screenshot of an expected failure
func (r *recorder) Cleanup(cleanup func()) { r.cleanups = append(r.cleanups, cleanup) }

// finish runs the clean-ups and returns the recorded errors.
func (r *recorder) finish() string {
	for _, cleanup := range slices.Backward(r.cleanups) {
		cleanup()
	}
	return strings.Join(r.failures, "\n")
}

func TestNew_Options(t *testing.T) {
	t.Parallel()
	const (
		width  = `innerWidth`
		coarse = `matchMedia("(pointer: coarse)").matches`
		dark   = `matchMedia("(prefers-color-scheme: dark)").matches`
		still  = `matchMedia("(prefers-reduced-motion: reduce)").matches`
	)
	for name, test := range map[string]struct {
		options []Option
		want    map[string]any
	}{
		"Default": {nil, map[string]any{width: 1280.0, coarse: false, dark: false, still: false}},
		"Phone":   {[]Option{Phone}, map[string]any{width: 360.0, coarse: true, dark: false, still: false}},
		"Tablet":  {[]Option{Tablet, Dark}, map[string]any{width: 768.0, coarse: true, dark: true, still: false}},
		"Still":   {[]Option{Dark, ReducedMotion, Light}, map[string]any{dark: false, still: true}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home := serve(t)
			ctx := New(t, test.options...)
			Run(ctx, t, chromedp.Navigate(home+"/good"))
			for expression, want := range test.want {
				var got any
				Run(ctx, t, chromedp.Evaluate(expression, &got))
				if got != want {
					t.Errorf("%s = %v, want %v", expression, got, want)
				}
			}
		})
	}
}

func TestNew_Language(t *testing.T) {
	t.Parallel()
	home := serve(t)
	ctx := New(t, Language("ar, en;q=0.5"))
	var got string
	Run(ctx, t, chromedp.Navigate(home+"/good"), chromedp.Text("#language", &got))
	if got != "ar, en;q=0.5" {
		t.Errorf("the server was asked for %q", got)
	}
}

func TestNew_NoScript(t *testing.T) {
	t.Parallel()
	home := serve(t)
	var got, plain string
	Run(New(t), t, chromedp.Navigate(home+"/script"), chromedp.Text("#p", &got))
	if got != "with" {
		t.Errorf("with scripts the page says %q", got)
	}
	Run(New(t, NoScript), t, chromedp.Navigate(home+"/script"), chromedp.Text("#p", &got), chromedp.Text("#n", &plain))
	if got != "without" || plain != "plain" {
		t.Errorf("without scripts the page says %q and %q", got, plain)
	}
}

func TestNew_FreshContext(t *testing.T) {
	t.Parallel()
	home := serve(t)
	var cookies string
	Run(New(t), t, chromedp.Navigate(home+"/good"), chromedp.Evaluate(`document.cookie = "session=one"; document.cookie`, &cookies))
	if cookies != "session=one" {
		t.Fatalf("the cookie was not set: %q", cookies)
	}
	Run(New(t), t, chromedp.Navigate(home+"/good"), chromedp.Evaluate(`document.cookie`, &cookies))
	if cookies != "" {
		t.Errorf("a fresh page has the cookies %q of another", cookies)
	}
}

func TestNew_Complaints(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"/console":   `console.error: "broken"`,
		"/exception": "ReferenceError",
		"/dialog":    "an unanswered dialog, alert: hello",
		"/image":     "missing.png",
		"/nowhere":   "404",
	} {
		t.Run(strings.TrimPrefix(path, "/"), func(t *testing.T) {
			t.Parallel()
			home := serve(t)
			visit := func(options ...Option) string {
				inner := &recorder{TB: t}
				ctx := New(inner, options...)
				Run(ctx, t, chromedp.Navigate(home+path))
				complained(ctx, t)
				return inner.finish()
			}
			if got := visit(); !strings.Contains(got, want) {
				t.Errorf("the test failed with %q, want %q", got, want)
			}
			if got := visit(AllowError(".")); got != "" {
				t.Errorf("an allowed complaint failed the test: %s", got)
			}
			if got := visit(AllowError("something else")); got == "" {
				t.Error("a complaint passed that was not the one allowed")
			}
		})
	}
}

// A page that is left while htmx waits for an answer is not broken. A server that fails is.
func TestNew_AbortedRequests(t *testing.T) {
	t.Parallel()
	htmx, err := os.ReadFile("../../../static/vendored/htmx.min.js")
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/htmx.js":
			w.Header().Set("Content-Type", "text/javascript")
			_, _ = w.Write(htmx)
		case "/slow":
			<-r.Context().Done()
		case "/broken":
			w.WriteHeader(http.StatusInternalServerError)
		default:
			fmt.Fprint(w, `<!doctype html><title>t</title><link rel="icon" href="data:,"><script src="/htmx.js"></script>
				<div id="d" hx-get="`+r.URL.Query().Get("asks")+`" hx-trigger="load">waits</div>`)
		}
	}))
	t.Cleanup(server.Close)
	visit := func(asks string, then ...chromedp.Action) string {
		inner := &recorder{TB: t}
		ctx := New(inner)
		Run(ctx, t, append([]chromedp.Action{chromedp.Navigate(server.URL + "/?asks=" + asks)}, then...)...)
		complained(ctx, t)
		return inner.finish()
	}
	waiting := chromedp.WaitVisible("#d.htmx-request", chromedp.ByQuery)
	abort := chromedp.Evaluate(`htmx.trigger("#d", "htmx:abort")`, nil)
	if got := visit("/slow", waiting, abort); got != "" {
		t.Errorf("an aborted request failed the test: %s", got)
	}
	if got := visit("/broken"); !strings.Contains(got, "status of 500") {
		t.Errorf("a server that fails went unseen: %q", got)
	}
}

// complained waits until the browser has complained about the page, allowed or not.
func complained(ctx context.Context, t *testing.T) {
	t.Helper()
	seen := visitOf(ctx)
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		seen.mu.Lock()
		n := len(seen.errors)
		seen.mu.Unlock()
		if n > 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("the browser does not complain")
		}
	}
}

func TestFirstParty(t *testing.T) {
	t.Parallel()
	home := serve(t)

	ctx := New(t)
	Run(ctx, t, chromedp.Navigate(home+"/good"))
	FirstParty(ctx, t, home)
	if made := Requests(ctx); len(made) == 0 || made[0] != (Request{"GET", home + "/good", "Document"}) {
		t.Errorf("requests = %v", made)
	}

	ctx = New(t, AllowError("ERR_"))
	Run(ctx, t, chromedp.Navigate(home+"/thirdparty"))
	inner := &recorder{TB: t}
	FirstParty(ctx, inner, home)
	got := inner.finish()
	for _, asked := range []string{"http://cdn.example/x.js", "http://203.0.113.7/pixel.gif"} {
		if !strings.Contains(got, asked) {
			t.Errorf("%s was asked and not reported: %q", asked, got)
		}
	}
}

func TestLoopbackOnly(t *testing.T) {
	t.Parallel()
	// A documentation address of RFC 5737: without the rule the request would time out; with it, it fails at once.
	for _, address := range []string{"http://example.com/", "http://203.0.113.7/"} {
		err := chromedp.Run(New(t, AllowError(".")), chromedp.Navigate(address))
		if err == nil || !strings.Contains(err.Error(), "ERR_NAME_NOT_RESOLVED") {
			t.Errorf("%s: %v, want a name that is not resolved", address, err)
		}
	}
}

func TestScreenshot(t *testing.T) {
	directory := t.TempDir()
	t.Setenv(ScreenshotsVariable, directory) // and so not parallel
	home := serve(t)
	ctx := New(t, Phone)
	Run(ctx, t, chromedp.Navigate(home+"/good"))
	path := Screenshot(ctx, t, "checkout: choose/network")
	if !strings.HasPrefix(path, directory+"/TestScreenshot-checkout-choose-network") {
		t.Errorf("path = %s", path)
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	picture, err := png.DecodeConfig(file)
	if err != nil {
		t.Fatal(err)
	}
	if picture.Width != 2*360 || picture.Height < 2*2000 {
		t.Errorf("the picture has %d × %d pixels, want 720 × at least 4000", picture.Width, picture.Height)
	}
}

// TestScreenshot_RightToLeft: a screenshot shows what the user sees, also of a page in a right-to-left
// language and after the window grew.
func TestScreenshot_RightToLeft(t *testing.T) {
	t.Setenv(ScreenshotsVariable, t.TempDir()) // and so not parallel
	home := serve(t)
	for _, page := range []string{"/short-rtl", "/long-rtl"} {
		ctx := New(t)
		Run(ctx, t, chromedp.Navigate(home+page))
		for _, width := range []int{360, 768, 1280} {
			with := []chromedp.EmulateViewportOption{chromedp.EmulatePortrait}
			if width == 360 {
				with = append(with, chromedp.EmulateMobile, chromedp.EmulateTouch)
			}
			Run(ctx, t, chromedp.EmulateViewport(int64(width), 1024, with...))
			file, err := os.Open(Screenshot(ctx, t, page))
			if err != nil {
				t.Fatal(err)
			}
			picture, err := png.Decode(file)
			_ = file.Close()
			if err != nil {
				t.Fatal(err)
			}
			black := func(x int) bool { r, g, b, _ := picture.At(x, 25).RGBA(); return r+g+b == 0 }
			if got := picture.Bounds().Dx(); got != width || !black(width-1) || !black(width-50) || black(width-51) {
				t.Errorf("%s, %d px wide: the picture has %d, or its square is not at the right", page, width, got)
			}
		}
	}
}

func TestAxe(t *testing.T) {
	t.Parallel()
	home := serve(t)

	ctx := New(t, Phone)
	Run(ctx, t, chromedp.Navigate(home+"/good"))
	Axe(ctx, t)

	ctx = New(t, NoScript)
	Run(ctx, t, chromedp.Navigate(home+"/script"))
	inner := &recorder{TB: t}
	Axe(ctx, inner)
	var said string
	Run(ctx, t, chromedp.Text("#p", &said))
	if got := inner.finish(); !strings.Contains(got, "html-has-lang") || said != "without" {
		t.Errorf("without scripts the checker found %q, and the page then says %q", got, said)
	}

	ctx = New(t)
	Run(ctx, t, chromedp.Navigate(home+"/bad"))
	inner = &recorder{TB: t}
	Axe(ctx, inner)
	got := inner.finish()
	for _, rule := range []string{"color-contrast", "html-has-lang", "image-alt", "target-size"} {
		if !strings.Contains(got, rule) {
			t.Errorf("%s is broken and not reported in: %s", rule, got)
		}
	}
}

func TestRun_Failure(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(New(t), time.Second)
	defer cancel()
	inner := &fataler{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		Run(ctx, inner, chromedp.WaitVisible("#never"))
	}()
	<-done
	if !inner.failed {
		t.Error("an action that failed did not fail the test")
	}
}
