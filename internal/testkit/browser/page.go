// Package browser opens pages in a real browser for tests: headless Chromium, driven by chromedp.
//
// One browser serves the whole test process; every test gets a browser context with its own cookies, storage and
// emulated device. The package's one invariant: an error that the browser reports fails the test. Console errors,
// uncaught exceptions, failed requests and crashes are collected from the start of a page; a test can allow some of
// them by pattern. The browser reaches nothing but loopback.
//
// Start the server under test before the page, so that clean-up closes the page first:
//
//	server := httptest.NewServer(handler)
//	t.Cleanup(server.Close)
//	ctx := browser.New(t, browser.Phone, browser.Dark)
//	browser.Run(ctx, t, chromedp.Navigate(server.URL), chromedp.WaitVisible("h1"))
//	browser.Axe(ctx, t)
package browser

import (
	"context"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// pageTimeout bounds everything that one test does with its page. A whole payment takes some seconds, on a
// busy machine with two cores and several browsers a hundred times that.
const pageTimeout = 10 * time.Minute

// pageKey is the key of the *visit in a page's context.
type pageKey struct{}

// New opens a blank page in a fresh context and returns it for use with chromedp.Run. Without options it is a
// light desktop page with scripts. The page is closed when the test ends; a failed test leaves a screenshot.
func New(t testing.TB, options ...Option) context.Context {
	t.Helper()
	running, err := browser()
	if err != nil {
		t.Fatalf("browser: %v", err)
	}
	var with settings
	for _, option := range append([]Option{Desktop, Light}, options...) {
		option(&with)
	}

	tab, closeTab, err := running.openTab()
	if err != nil {
		t.Fatalf("browser: %v", err)
	}
	seen := newVisit(tab, with)
	ctx, cancel := context.WithTimeout(context.WithValue(tab, pageKey{}, seen), pageTimeout)
	t.Cleanup(func() {
		if unexpected := seen.unexpected(); len(unexpected) > 0 {
			t.Errorf("the browser complained:\n%s", unexpected)
		}
		if t.Failed() && ctx.Err() == nil {
			Screenshot(ctx, t, "failed")
		}
		cancel()
		if err := closeTab(); err != nil {
			t.Errorf("browser: closing the page: %v", err)
		}
	})
	if err := chromedp.Run(ctx, with.actions()...); err != nil {
		t.Fatalf("browser: opening a page: %v", err)
	}
	return ctx
}

// Run performs actions on the page and fails the test at once if one of them fails.
func Run(ctx context.Context, t testing.TB, actions ...chromedp.Action) {
	t.Helper()
	if err := Try(ctx, actions...); err != nil {
		t.Fatalf("browser: %v", err)
	}
}
