package web

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/florinpay/florin/internal/testkit/browser"
	"github.com/florinpay/florin/views/docs"
)

// TestDocs_InABrowser looks at the pages of the documentation on a phone in
// the light and on a desktop in the dark, and chooses a language without JavaScript.
func TestDocs_InABrowser(t *testing.T) {
	t.Parallel()
	_, origin := serveDashboard(t)
	for name, look := range map[string]struct {
		options []browser.Option
		paths   []string
	}{
		"phone": {
			[]browser.Option{browser.Phone, browser.Light},
			[]string{docs.StartPath, docs.ErrorsPath, docs.WebhooksPath, docs.RESTPath, docs.OperatePath},
		},
		"desktop": {
			[]browser.Option{browser.Desktop, browser.Dark},
			[]string{docs.ExamplesPath, docs.RequestsPath, docs.TestingPath, docs.GraphQLPath, docs.OperatePath},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := browser.New(t, look.options...)
			for _, path := range look.paths {
				var wide bool
				browser.Run(ctx, t, chromedp.Navigate(origin+path), chromedp.WaitVisible(`[data-testid="docs"]`),
					chromedp.Evaluate(`document.documentElement.scrollWidth > document.documentElement.clientWidth`, &wide))
				browser.Screenshot(ctx, t, name+strings.ReplaceAll(path, "/", "-"))
				browser.Axe(ctx, t)
				if wide {
					t.Errorf("%s is wider than a %s", path, name)
				}
			}
			browser.FirstParty(ctx, t, origin)
		})
	}
	t.Run("no script", func(t *testing.T) {
		t.Parallel()
		ctx := browser.New(t, browser.Phone, browser.NoScript)
		browser.Run(ctx, t, chromedp.Navigate(origin+docs.ExamplesPath), chromedp.WaitVisible(`[data-testid="sample-create-payment-curl"]`),
			chromedp.Click(`label[for="create-payment-python"]`), chromedp.WaitVisible(`[data-testid="sample-create-payment-python"]`),
			chromedp.WaitNotVisible(`[data-testid="sample-create-payment-curl"]`))
		browser.Screenshot(ctx, t, "no-script")
	})
}
