package web

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

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

// completions are what is written, what is offered first, and what stands there when it was taken.
var completions = []struct{ name, written, want, then string }{
	{"AField", "{ getCred", "getCreditsLeft", "{ getCreditsLeft"},
	{"AMutation", "mutation { createCust", "createCustodianAccount", "mutation { createCustodianAccount"},
	{
		"AnArgument", "{ getTransactions(apiKey: \"k\", refer", "reference",
		"{ getTransactions(apiKey: \"k\", reference",
	},
	{"AnEnum", "{ getTransactions(status: CANC", "CANCELLED", "{ getTransactions(status: CANCELLED"},
	{
		"AFieldOfAResult", "{ getTxnDetails(txnid: \"x\") { transaction { wal", "wallet",
		"{ getTxnDetails(txnid: \"x\") { transaction { wallet",
	},
	{
		"AFieldOfAnInput", "mutation { createCustodianAccount(input: {wallets: {poly", "polygon",
		"mutation { createCustodianAccount(input: {wallets: {polygon",
	},
	{"AFieldAfterAnother", "{ getCreditsLeft { code mess", "message", "{ getCreditsLeft { code message"},
	{"AKeyword", "mut", "mutation", "mutation"},
	{
		"AVariable", "query ($key: String!) { getCreditsLeft(apiKey: $k", "$key",
		"query ($key: String!) { getCreditsLeft(apiKey: $key",
	},
	{"ATypeOfAFragment", "fragment paid on TransactionRes", "TransactionResult", "fragment paid on TransactionResult"},
	{
		"AnInlineFragment", "{ getTxnDetails(txnid: \"x\") { ... on TransactionRes", "TransactionResult",
		"{ getTxnDetails(txnid: \"x\") { ... on TransactionResult",
	},
	{
		"AFragment", "fragment paid on Transaction { hash } { getTxnDetails(txnid: \"x\") { transaction { ...pa", "paid",
		"fragment paid on Transaction { hash } { getTxnDetails(txnid: \"x\") { transaction { ...paid",
	},
	{"ADirective", "{ getCreditsLeft { code @inc", "@include", "{ getCreditsLeft { code @include"},
	{"AnArgumentOfADirective", "{ getCreditsLeft { code @include(i", "if", "{ getCreditsLeft { code @include(if"},
	{"AFieldAfterADirective", "{ getCreditsLeft { code @skip(if: true) mess", "message", "{ getCreditsLeft { code @skip(if: true) message"},
	{"TheNameOfAType", "{ getCreditsLeft { __t", "__typename", "{ getCreditsLeft { __typename"},
	{"TheSchema", "{ __schema { mutationT", "mutationType", "{ __schema { mutationType"},
}

// The editor completes fields, arguments and values from the schema by the keyboard alone, and colours what is written.
func TestConsole_Completes(t *testing.T) {
	t.Parallel()
	_, origin := serveDashboard(t)
	ctx := browser.New(t, browser.Desktop, browser.Dark)
	const query = `[data-testid="query"]`
	write := func(text string) chromedp.Action {
		return chromedp.Evaluate(`(function (area) {
			area.value = `+strconv.Quote(text)+`;
			area.dispatchEvent(new Event("editor:changed"));
			area.focus();
			area.setSelectionRange(area.value.length, area.value.length);
		})(document.querySelector('[data-testid="query"]'))`, nil)
	}
	ask := chromedp.Tasks{
		chromedp.KeyEvent(" ", chromedp.KeyModifiers(input.ModifierCtrl)), chromedp.WaitVisible(`[data-testid="completions"] li`),
	}
	browser.Run(ctx, t, chromedp.Navigate(origin+docs.ConsolePath), chromedp.WaitVisible(`[data-testid="console"]`),
		chromedp.Focus(query), chromedp.WaitReady(query+`[data-schema="loaded"]`))
	for _, x := range completions {
		var first, active, value string
		var gone bool
		browser.Run(ctx, t, write(x.written), ask, chromedp.Text(`[data-testid="completions"] li code`, &first),
			chromedp.Evaluate(`document.getElementById(document.querySelector('[data-testid="query"]').getAttribute("aria-activedescendant")).textContent`, &active),
			chromedp.KeyEvent(kb.Enter), chromedp.Value(query, &value),
			chromedp.Evaluate(`document.getElementById("completions").hidden`, &gone))
		if first != x.want || !strings.HasPrefix(active, x.want) || value != x.then || !gone {
			t.Errorf("%s: %q is completed to %q with %q first (%q active, closed %t)", x.name, x.written, value, first, active, gone)
		}
	}
	var coloured string
	var left bool
	var apart float64
	browser.Run(ctx, t, chromedp.Evaluate(`document.querySelector(".paint").getBoundingClientRect().top -
		document.querySelector('[data-testid="query"]').getBoundingClientRect().top`, &apart))
	if apart != 0 {
		t.Errorf("the coloured text stands %v px below what is typed", apart)
	}
	browser.Run(ctx, t, write("query ($k: String!) { # all\n getTransactions(apiKey: $k, first: 7, timeRange: \"1week\") { "), ask)
	browser.Screenshot(ctx, t, "console-completes")
	browser.Axe(ctx, t)
	browser.Run(ctx, t, chromedp.KeyEvent(kb.Escape), chromedp.WaitNotVisible(`[data-testid="completions"]`),
		chromedp.InnerHTML(`[data-testid="paint"]`, &coloured),
		chromedp.KeyEvent(kb.Tab), chromedp.Evaluate(`document.activeElement.id !== "query"`, &left))
	for _, want := range []string{
		`<span class="c-keyword">query</span>`, `<span class="c-variable">$k</span>`, `<span class="c-comment"># all</span>`,
		`<span class="c-argument">first</span>`, `<span class="c-number">7</span>`, `<span class="c-string">"1week"</span>`,
		`<span class="c-type">String</span>`,
	} {
		if !strings.Contains(coloured, want) {
			t.Errorf("the colours lack %s: %s", want, coloured)
		}
	}
	if !left {
		t.Error("Tab does not leave the editor")
	}
	browser.FirstParty(ctx, t, origin)
}

// awaitAnswer waits until the answer holds the text.
func awaitAnswer(text string) chromedp.Action {
	return chromedp.Poll(`document.querySelector('[data-testid="answer"]').textContent.includes("`+text+`")`, nil,
		chromedp.WithPollingTimeout(time.Minute))
}
