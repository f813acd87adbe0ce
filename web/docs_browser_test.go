package web

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/florinpay/florin/internal/browsertest"
	"github.com/florinpay/florin/views/docs"
)

// TestDocs_InABrowser looks at the pages of the documentation on a phone in
// the light and on a desktop in the dark, and chooses a language without JavaScript.
func TestDocs_InABrowser(t *testing.T) {
	t.Parallel()
	_, origin := serveDesk(t)
	for name, look := range map[string]struct {
		options []browsertest.Option
		paths   []string
	}{
		"phone":   {[]browsertest.Option{browsertest.Phone, browsertest.Light}, []string{docs.StartPath, docs.ErrorsPath, docs.WebhooksPath, docs.RESTPath}},
		"desktop": {[]browsertest.Option{browsertest.Desktop, browsertest.Dark}, []string{docs.ExamplesPath, docs.RequestsPath, docs.TestingPath, docs.GraphQLPath}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := browsertest.New(t, look.options...)
			for _, path := range look.paths {
				var wide bool
				browsertest.Run(ctx, t, chromedp.Navigate(origin+path), chromedp.WaitVisible(`[data-testid="docs"]`),
					chromedp.Evaluate(`document.documentElement.scrollWidth > document.documentElement.clientWidth`, &wide))
				browsertest.Screenshot(ctx, t, name+strings.ReplaceAll(path, "/", "-"))
				browsertest.Axe(ctx, t)
				if wide {
					t.Errorf("%s is wider than a %s", path, name)
				}
			}
			browsertest.FirstParty(ctx, t, origin)
		})
	}
	t.Run("no script", func(t *testing.T) {
		t.Parallel()
		ctx := browsertest.New(t, browsertest.Phone, browsertest.NoScript)
		browsertest.Run(ctx, t, chromedp.Navigate(origin+docs.ExamplesPath), chromedp.WaitVisible(`[data-testid="sample-create-payment-curl"]`),
			chromedp.Click(`label[for="create-payment-python"]`), chromedp.WaitVisible(`[data-testid="sample-create-payment-python"]`),
			chromedp.WaitNotVisible(`[data-testid="sample-create-payment-curl"]`))
		browsertest.Screenshot(ctx, t, "no-script")
	})
}
