package web

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/florinpay/florin/internal/testkit/browser"
	"github.com/florinpay/florin/views/docs"
)

// The console and the links to it exist exactly where callers may read the schema.
func TestConsole_Switch(t *testing.T) {
	t.Parallel()
	on := newDashboard(t)
	on.member(ownerEmail)
	s := on.surfer()
	s.signIn(ownerEmail)
	if got := s.get("/dashboard/developers"); !strings.Contains(got.body, `href="/graphiql"`) {
		t.Errorf("the developers' page does not link the console: %d", got.status)
	}
	for _, path := range []string{docs.ConsolePath, docs.StartPath, docs.GraphQLPath} {
		got := on.ask("GET", path, "")
		if got.status != 200 || !strings.Contains(got.body, `href="/graphiql"`) {
			t.Errorf("%s: %d, or without the console", path, got.status)
		}
		csp := got.header.Get("Content-Security-Policy")
		if strings.Contains(csp, "unsafe") || !strings.Contains(csp, "script-src 'self';") ||
			!strings.Contains(csp, "connect-src 'self'") {
			t.Errorf("%s: %s", path, csp)
		}
	}
	off := newBundleWith(t, Options{BaseURL: testBaseURL, CheckoutURL: testBaseURL})
	if got := off.ask("GET", docs.ConsolePath, ""); got.status != 404 {
		t.Errorf("the console is served although introspection is off: %d", got.status)
	}
	if got := off.ask("GET", docs.GraphQLPath, ""); got.status != 200 || strings.Contains(got.body, "graphiql") {
		t.Error("the documentation links a console that is not there")
	}
}

// A merchant reads their credits and the schema, on a phone in the light and
// on a desktop in the dark.
func TestConsole_InABrowser(t *testing.T) {
	t.Parallel()
	b, origin := serveDashboard(t)
	m := b.shop(b.member(ownerEmail))
	for name, options := range map[string][]browser.Option{
		"phone": {browser.Phone, browser.Light}, "desktop": {browser.Desktop, browser.Dark},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := browser.New(t, options...)
			var credits, schema, shown, kept string
			var wide bool
			browser.Run(ctx, t, chromedp.Navigate(origin+docs.ConsolePath), chromedp.WaitVisible(`[data-testid="console"]`),
				chromedp.SendKeys(`[data-testid="key"]`, m.text), chromedp.Click(`[data-testid="run"]`),
				awaitAnswer("creditsLeft"), chromedp.Text(`[data-testid="answer"]`, &credits), chromedp.Text(`[data-testid="answer-status"]`, &shown),
				chromedp.Evaluate(`document.documentElement.scrollWidth > document.documentElement.clientWidth`, &wide),
				chromedp.Evaluate(`JSON.stringify([localStorage, sessionStorage, document.cookie, location.href])`, &kept))
			browser.Screenshot(ctx, t, "console-"+name)
			browser.Axe(ctx, t)
			if want := `"creditsLeft": 20`; !strings.Contains(credits, want) || !strings.Contains(shown, "200") {
				t.Errorf("%s %s, want %s", shown, credits, want)
			}
			if strings.Contains(kept, m.text) || strings.Contains(credits, m.text) || wide {
				t.Errorf("the key is kept (%s), or the page is too wide (%t)", kept, wide)
			}
			browser.Run(ctx, t, chromedp.Click(`[data-testid="example-schema"]`), chromedp.Click(`[data-testid="run"]`),
				awaitAnswer("queryType"), chromedp.Text(`[data-testid="answer"]`, &schema),
				chromedp.SetValue(`[data-testid="variables"]`, "[1]"), chromedp.Click(`[data-testid="run"]`),
				chromedp.WaitVisible(`[data-testid="variables-wrong"]`))
			if !strings.Contains(schema, `"name": "getTransactions"`) {
				t.Errorf("the schema: %.300s", schema)
			}
			browser.Axe(ctx, t)
			browser.FirstParty(ctx, t, origin)
		})
	}
	t.Run("no script", func(t *testing.T) {
		t.Parallel()
		ctx := browser.New(t, browser.Phone, browser.NoScript)
		browser.Run(ctx, t, chromedp.Navigate(origin+docs.ConsolePath), chromedp.WaitVisible(`[data-testid="no-script"]`),
			chromedp.WaitNotVisible(`[data-testid="console"]`))
		browser.Screenshot(ctx, t, "console-no-script")
		browser.Axe(ctx, t)
	})
}

// awaitAnswer waits until the answer holds the text.
func awaitAnswer(text string) chromedp.Action {
	return chromedp.Poll(`document.querySelector('[data-testid="answer"]').textContent.includes("`+text+`")`, nil)
}
