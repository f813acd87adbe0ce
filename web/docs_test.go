package web

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/testkit/browser"
	"github.com/florinpay/florin/views/docs"
)

// pagesOnly are the routes for browsers, by their beginnings. All other routes are
// the interface, and must be documented.
var pagesOnly = []string{
	"/static/", "/docs", "/pay/:txnid/", "/refund/", "/dashboard", "/operator", "/sandbox", "/link",
	"/signin", "/signup", "/signout", "/forgot", "/reset", "/verify", "/stop", "/join", "/graphiql",
	"/metrics", "/logo", "/llms.txt",
}

func isPage(method, route string) bool {
	for _, page := range []string{"/live", "/now", "/widget", "/card.png"} {
		if strings.HasPrefix(route, "/donate/") && strings.HasSuffix(route, page) {
			return true
		}
	}
	if route == "/" || strings.TrimSuffix(route, "/") == "/pay" && method == http.MethodGet {
		return true
	}
	return slices.ContainsFunc(pagesOnly, func(p string) bool { return strings.HasPrefix(route, p) })
}

// The OpenAPI document has exactly the routes of the router.
func TestOpenAPI_Routes(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	document, err := b.server.docs.OpenAPI()
	must(t, err)
	seen := map[string]bool{}
	for _, r := range b.server.handler.Routes() {
		if r.Method == http.MethodHead || isPage(r.Method, r.Path) || strings.HasPrefix(r.Method, "echo_") {
			continue
		}
		name := strings.ToLower(r.Method) + " " + pathOf(r.Path)
		seen[name] = true
		if _, ok := document.Paths[pathOf(r.Path)][strings.ToLower(r.Method)]; !ok {
			t.Errorf("%s is served and not documented", name)
		}
	}
	for path, methods := range document.Paths {
		for method := range methods {
			if !seen[method+" "+path] {
				t.Errorf("%s %s is documented and not served", method, path)
			}
		}
	}
	if len(seen) < 10 {
		t.Errorf("only %d routes were seen", len(seen))
	}
}

// pathOf writes a path of the router as OpenAPI does: /orders/{txnid}.
func pathOf(route string) string {
	parts := strings.Split(route, "/")
	for i, p := range parts {
		if name, ok := strings.CutPrefix(p, ":"); ok {
			parts[i] = "{" + name + "}"
		}
	}
	return strings.Join(parts, "/")
}

// The front page links the documentation.
func TestLanding_Docs(t *testing.T) {
	t.Parallel()
	landing := newDashboard(t).ask("GET", "/", "", "Accept", "text/html")
	if !strings.Contains(landing.body, `href="/docs"`) {
		t.Error("the front page does not link the documentation")
	}
}

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
			[]string{
				docs.StartPath, docs.ErrorsPath, docs.WebhooksPath, docs.RESTPath, docs.GoLivePath, docs.OperatePath,
				docs.ShopPath + "/refunds", docs.OperatePath + "/capacity",
				docs.SearchPath + "?q=webhook+signature",
			},
		},
		"desktop": {
			[]browser.Option{browser.Desktop, browser.Dark},
			[]string{
				docs.ExamplesPath, docs.RequestsPath, docs.TestingPath, docs.GraphQLPath, docs.ChangelogPath,
				docs.OperatePath, docs.ShopPath, docs.ShopPath + "/wrong-network",
				docs.SearchPath + "?q=nothingatall",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := browser.New(t, look.options...)
			for _, path := range look.paths {
				var wide bool
				browser.Run(ctx, t, chromedp.Navigate(origin+path), chromedp.WaitVisible(`[data-testid="docs"]`),
					chromedp.Evaluate(`document.documentElement.scrollWidth > document.documentElement.clientWidth`, &wide))
				browser.Screenshot(ctx, t, name+strings.NewReplacer("/", "-", "?q=", "-").Replace(path))
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

// The language of the samples is remembered from page to page, and the reader's key fills them without leaving the
// page.
func TestDocs_Remembers(t *testing.T) {
	t.Parallel()
	b, origin := serveDashboard(t)
	m := b.shop(b.member(ownerEmail))
	ctx := browser.New(t, browser.Desktop, browser.Light)
	var kept, shown, copied, after string
	browser.Run(ctx, t, chromedp.Navigate(origin+docs.StartPath), chromedp.WaitVisible(`[data-testid="sample-create-payment-curl"]`),
		chromedp.Click(`label[for="create-payment-python"]`), chromedp.WaitVisible(`[data-testid="sample-create-custodian-python"]`),
		chromedp.WaitVisible(`[data-testid="sample-verify-webhook-python"]`),
		chromedp.Navigate(origin+docs.ExamplesPath), chromedp.WaitVisible(`[data-testid="sample-follow-events-python"]`),
		chromedp.WaitNotVisible(`[data-testid="sample-follow-events-curl"]`),
		chromedp.SendKeys(`[data-testid="own-key"]`, m.text),
		chromedp.Text(`[data-testid="environment"]`, &shown),
		chromedp.AttributeValue(`[data-testid="copy-environment"]`, "data-copy", &copied, nil),
		chromedp.Evaluate(`JSON.stringify([localStorage, sessionStorage, document.cookie, location.href])`, &kept),
		chromedp.Evaluate(`(function (field) {
			field.value = "$(rm -rf ~)";
			field.dispatchEvent(new Event("input", {bubbles: true}));
		})(document.querySelector('[data-testid="own-key"]'))`, nil),
		chromedp.Text(`[data-testid="environment"]`, &after))
	browser.Screenshot(ctx, t, "docs-remembers")
	browser.Axe(ctx, t)
	if !strings.Contains(shown, "FLORIN_API_KEY="+m.text) || !strings.Contains(copied, "FLORIN_API_KEY="+m.text) {
		t.Errorf("the key is not in the samples: %q, copied %q", shown, copied)
	}
	if strings.Contains(kept, m.text) || !strings.Contains(kept, "python") {
		t.Errorf("kept is %s", kept)
	}
	if !strings.Contains(after, "FLORIN_API_KEY=flk_…") {
		t.Errorf("what is no key went into the samples: %q", after)
	}
	browser.FirstParty(ctx, t, origin)
}

// A signed-in merchant reads samples with their own wallet, callback and key's name; strangers and other users do not.
func TestDocs_OwnAccount(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	m := b.shop(b.member(ownerEmail))
	c, err := b.accounts.Custodian(t.Context(), m.key.ID)
	must(t, err)
	s := b.surfer()
	for _, path := range []string{docs.StartPath, docs.ExamplesPath} {
		stranger := s.get(path)
		if strings.Contains(stranger.body, c.CallbackURL) || strings.Contains(stranger.body, "signed in") {
			t.Errorf("%s shows a stranger whose account it is", path)
		}
	}
	s.signIn(ownerEmail)
	for _, path := range []string{docs.StartPath, docs.ExamplesPath} {
		s.get(path).wants(t, 200, "SETTLEMENT_WALLET="+merchantWallet, "CALLBACK_URL="+c.CallbackURL, ownerEmail)
	}
	if got := s.get(docs.StartPath + ".md"); strings.Contains(got.body, c.CallbackURL) {
		t.Error("the Markdown, which other sites may read, shows the account")
	}
}

// With several keys the samples are those of a key that takes payments. In a sandbox they have the text of its key
// where the reader is its owner or has no key, and of no other's, and never one that was replaced.
func TestDocs_WhoseKey(t *testing.T) {
	t.Parallel()
	var demo seller
	b := newDashboard(t, func(_ *Deps, o *Options) { o.SandboxKey = func() string { return demo.text } })
	owner := b.member(ownerEmail)
	_, _, err := b.accounts.CreateKey(t.Context(), owner, merchant.NewKey{Label: "Not set up"}, audit.Act{})
	must(t, err)
	demo = b.shop(owner)
	other := b.member("other@example.com")
	_, _, err = b.accounts.CreateKey(t.Context(), other, merchant.NewKey{Label: "Not set up"}, audit.Act{})
	must(t, err)
	b.shop(other)
	b.member("new@example.com")
	printed, empty := "FLORIN_API_KEY="+demo.text, "FLORIN_API_KEY=flk_…"
	b.surfer().get(docs.StartPath).wants(t, 200, printed)
	for email, want := range map[string][]string{
		ownerEmail: {printed, "SETTLEMENT_WALLET=" + merchantWallet, "Shop of " + ownerEmail},
		"other@example.com": {
			empty, "SETTLEMENT_WALLET=" + merchantWallet, "Shop of other@example.com", "paste it below",
		},
		"new@example.com": {printed, "SETTLEMENT_WALLET=0x…"},
	} {
		s := b.surfer()
		s.signIn(email)
		s.get(docs.StartPath).wants(t, 200, want...)
	}
	_, _, err = b.accounts.ReplaceKey(t.Context(), demo.key, merchant.AllPermissions(), nil, "", audit.Act{})
	must(t, err)
	b.surfer().get(docs.StartPath).wants(t, 200, empty)
	s := b.surfer()
	s.signIn(ownerEmail)
	s.get(docs.StartPath).wants(t, 200, empty, "SETTLEMENT_WALLET="+merchantWallet, "Shop of "+ownerEmail)
}
