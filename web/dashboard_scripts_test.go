package web

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/campaign"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/testkit/browser"
	"github.com/florinpay/florin/internal/webhook"
)

// hostileText ends attributes, titles, text areas, scripts and comments, then
// runs a script in two ways. It fits the shortest field, of 80 characters.
const hostileText = `"'--></title></textarea></script><svg onload=ran()><script>ran()</script>`

// countsScripts runs before everything else in a page or a frame in it. It counts the
// scripts that stored text runs, and shows a dialog for each.
const countsScripts = `window.ran = () => { top.scriptsRun = (top.scriptsRun || 0) + 1; alert("a stored script ran") }`

// strangers are elements that no page of ours has, in the page and in its frames.
const strangers = `(() => {
	const found = [];
	const walk = d => {
		for (const e of d.querySelectorAll("[onload], [onerror], script:not([src]):not([type]), [href^='javascript:' i], [src^='javascript:' i]")) found.push(e.outerHTML.slice(0, 120));
		for (const f of d.querySelectorAll("iframe")) if (f.contentDocument) walk(f.contentDocument);
	};
	walk(document);
	return found;
})()`

// openWithoutPolicy is a browser that ignores the pages' content security
// policy: only escaping keeps stored text from running.
func openWithoutPolicy(t *testing.T, options ...browser.Option) context.Context {
	t.Helper()
	ctx := browser.New(t, options...)
	browser.Run(ctx, t, page.SetBypassCSP(true), chromedp.ActionFunc(func(ctx context.Context) error {
		_, err := page.AddScriptToEvaluateOnNewDocument(countsScripts).Do(ctx)
		return err
	}))
	return ctx
}

// ranNothing fails if hostile text ran or became an element, and reports whether it
// is shown as text.
func ranNothing(ctx context.Context, t *testing.T, name string) bool {
	t.Helper()
	var run int
	var found []string
	var shown bool
	browser.Run(ctx, t, chromedp.Evaluate(`window.scriptsRun || 0`, &run), chromedp.Evaluate(strangers, &found),
		chromedp.Evaluate(`document.documentElement.textContent.includes("onload=ran()") || !!document.querySelector("[value*='onload=ran()'], [title*='onload=ran()'], [alt*='onload=ran()']")`, &shown))
	if run > 0 || len(found) > 0 {
		t.Errorf("%s: %d scripts ran; in the page stand %q", name, run, found)
	}
	return shown
}

// hostileShop is an installation whose users wrote hostileText everywhere.
type hostileShop struct {
	dashboardBundle

	key       merchant.Key
	completed payment.Payment
	started   payment.Payment
	pending   payment.Payment
	campaign  campaign.Campaign
	link      campaign.Link
}

func newHostileShop(b dashboardBundle) hostileShop {
	t, ctx, text := b.t, b.t.Context(), hostileText
	u, err := b.accounts.CreateUser(ctx,
		identity.NewUser{
			Email: ownerEmail, Password: secret.New(testPassword), FirstName: text, LastName: text,
			Operator: true,
		}, audit.Act{})
	must(t, err)
	h := hostileShop{dashboardBundle: b}
	h.key, _, err = b.accounts.CreateKey(ctx, u, merchant.NewKey{Label: text, Credits: 20, Queries: 5}, audit.Act{})
	must(t, err)
	callback := "https://shop.example/hook?x=" + url.QueryEscape(text)
	_, _, err = b.accounts.ArrangeCustodian(ctx, h.key, merchant.CustodianInput{
		Name: &text, CallbackURL: &callback, Branding: &merchant.BrandingInput{Tagline: &text},
		Wallets: map[chain.Network]string{
			chain.BEP20: merchantWallet, chain.Polygon: merchantWallet,
			chain.Base: merchantWallet,
		},
	}, audit.Act{})
	must(t, err)
	// Fields with a form of their own either refuse the text or show it as text.
	for _, in := range []merchant.BrandingInput{
		{Website: new("https://shop.example/?" + text)},
		{Website: new("javascript:ran()")},
		{LogoURL: new(`https://127.0.0.1/"onerror="ran()`)},
		{SupportEmail: new(`"<svg/onload=ran()>"@shop.example`)},
		{PrimaryColor: new(`red;}</style>` + text)},
	} {
		_, _, _ = b.accounts.ArrangeCustodian(ctx, h.key, merchant.CustodianInput{Branding: &in}, audit.Act{})
	}
	m := seller{key: h.key}
	create := func() payment.Payment {
		p, err := b.payments.Create(ctx, payment.CreateInput{KeyID: h.key.ID, Amount: "5", Details: payment.Details{
			Reference: text, Description: text, Metadata: map[string]string{text: text},
			SuccessURL: "https://shop.example/?" + url.QueryEscape(text), CancelURL: "https://shop.example/?" + url.QueryEscape(text),
		}}, audit.Act{})
		must(t, err)
		return p
	}
	h.pending, h.started = create(), b.start(create(), chain.Base)
	h.completed = b.start(create(), chain.Polygon)
	h.completed = b.deposit(h.completed, h.completed.Amount, true)
	h.campaign = b.newCampaign(m, func(d *campaign.Draft) { d.Title, d.Description, d.ShowAtOnce = text, text, true })
	gift, err := b.campaigns.Donate(ctx, h.campaign, campaign.Gift{
		Amount: "5", Choice: payment.Choice{Network: chain.Polygon, Token: money.USDC}, Name: text, Message: text,
	}, audit.Act{})
	must(t, err)
	b.deposit(gift, gift.Amount, true)
	h.link, err = b.campaigns.CreateLink(ctx, h.key.ID, campaign.LinkDraft{Slug: "hostile", Description: text, Reference: text, Min: "1", Max: "9"}, audit.Act{})
	must(t, err)
	h.users(u)
	h.answers()
	return h
}

// users join, sign in with strange browsers, and give strange reasons.
func (h hostileShop) users(owner identity.User) {
	h.t.Helper()
	owns := merchant.Membership{User: owner, Merchant: owner, Role: merchant.RoleOwner}
	_, token, err := h.accounts.InviteMember(h.t.Context(), owns, "dev@shop.example", merchant.RoleDeveloper,
		audit.Act{})
	must(h.t, err)
	_, _, err = h.accounts.JoinNew(h.t.Context(), token.Reveal(), identity.NewUser{
		Email: "dev@shop.example", Password: secret.New(testPassword), FirstName: hostileText, LastName: hostileText,
	}, audit.Act{})
	must(h.t, err)
	s := h.surfer()
	s.do("POST", "/signin", url.Values{"email": {ownerEmail}, "password": {testPassword}}, "User-Agent",
		hostileText).leads(h.t, "/dashboard")
	s.post("/dashboard/team/invite", "email", "help@shop.example", "role", "support", "password",
		testPassword).wants(h.t, 200)
	by := h.newPaymentOf(seller{key: h.key}, "7")
	s.post("/dashboard/payments/"+string(by.ID)+"/complete", "reason", hostileText, "password", testPassword)
}

// answers has the merchant's server answer webhooks with a page of its own.
func (h hostileShop) answers() {
	h.t.Helper()
	ctx, now := h.t.Context(), h.clock.Now()
	list, err := webhook.ClaimDue(ctx, h.store, "test", now.Add(time.Hour), now.Add(2*time.Hour), 10, 10)
	must(h.t, err)
	if len(list) == 0 {
		h.t.Fatal("no webhook is due")
	}
	for _, x := range list {
		must(h.t, h.store.Settle(ctx, "test",
			webhook.Outcome{DeliveryID: x.ID, State: webhook.Failed, Attempt: webhook.Attempt{
				At: now, URL: x.URL, Status: 500, Latency: time.Millisecond,
				Response: hostileText, Request: hostileText,
				Error: hostileText,
			}}))
	}
}

// pages are all its pages, public and in the dashboard.
func (h hostileShop) pages() []string {
	done, open, fresh := string(h.completed.ID), string(h.started.ID), string(h.pending.ID)
	all := []string{
		"/pay?txnid=" + fresh, "/pay?txnid=" + open, "/pay?txnid=" + done, "/pay?view=cancel&txnid=" + fresh,
		"/pay?view=find&txnid=" + open,
		"/pay?txnid=" + url.QueryEscape(hostileText), "/pay/" + done + "/receipt", "/donate/" + h.campaign.Slug,
		"/donate/" + h.campaign.Slug + "/widget", "/link/" + h.link.Slug, "/nothing/" + url.PathEscape(hostileText),
	}
	asked := url.QueryEscape(hostileText)
	for _, route := range h.accountRoutes("GET") {
		if isLive(route) || strings.HasSuffix(route, ".csv") || strings.HasPrefix(route, logoPath) {
			continue
		}
		path := strings.NewReplacer(":txnid", done, ":id", "1").Replace(route)
		all = append(
			all, path, path+"?q="+asked+"&next="+asked+"&invite="+asked+"&token="+asked+"&status="+asked+"&key="+asked,
		)
	}
	return all
}

// Whatever merchants, payers, donors, colleagues and servers write is shown as text
// on every page, even by a browser without a content security policy.
func TestDashboard_ScriptsNeverRun(t *testing.T) {
	t.Parallel()
	b, origin := serveDashboard(t)
	h := newHostileShop(b)
	enter := func(t *testing.T) context.Context {
		ctx := openWithoutPolicy(t, browser.AllowError(`status of (400|401|403|404|409|422)`),
			browser.AllowError(`ERR_CONNECTION_REFUSED \(https://127\.0\.0\.1/`), // the logo that is not there
			browser.AllowError(`console\.error: "\[object Event\]"`))             // a stream that the browser left open
		enterDashboard(ctx, t, origin, ownerEmail)
		return ctx
	}
	pages := h.pages()
	var shown atomic.Int32
	t.Run("Pages", func(t *testing.T) {
		const tabs = 4
		for tab := range slices.Chunk(pages, len(pages)/tabs+1) {
			t.Run("", func(t *testing.T) {
				t.Parallel()
				ctx := enter(t)
				for _, path := range tab {
					browser.Run(ctx, t, chromedp.Navigate(origin+path))
					if ranNothing(ctx, t, path) {
						shown.Add(1)
					}
				}
			})
		}
	})
	if shown.Load() < 20 {
		t.Errorf("of %d pages only %d show the text", len(pages), shown.Load())
	}
	h.comesLive(enter(t), origin)
}

// comesLive checks what is added to an open page: the overview as payments come,
// and the search dialog.
func (h hostileShop) comesLive(ctx context.Context, origin string) {
	h.t.Helper()
	browser.Run(ctx, h.t, chromedp.Navigate(origin+"/dashboard"),
		chromedp.WaitVisible("[data-testid=recent]", chromedp.ByQuery))
	p, err := h.payments.Create(h.t.Context(),
		payment.CreateInput{KeyID: h.key.ID, Amount: "6", Details: payment.Details{Reference: hostileText}},
		audit.Act{})
	must(h.t, err)
	browser.Run(
		ctx, h.t, chromedp.WaitVisible("[data-testid=recent] [data-testid=row-"+string(p.ID)+"]", chromedp.ByQuery),
	)
	if !ranNothing(ctx, h.t, "the overview that follows payments") {
		h.t.Error("the overview does not show the reference")
	}
	browser.Run(ctx, h.t, chromedp.KeyEvent("k", chromedp.KeyModifiers(2)), chromedp.WaitVisible("#finder-q", chromedp.ByQuery),
		chromedp.KeyEvent(hostileText), chromedp.WaitVisible("[data-testid^=quick-]", chromedp.ByQuery))
	ranNothing(ctx, h.t, "the search dialog")
}

// The crawl above would notice a script that runs: this page lets one run.
func TestScriptsAreSeen(t *testing.T) {
	t.Parallel()
	careless := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Content-Security-Policy", "default-src 'none'")
		_, _ = fmt.Fprintf(w, `<title>Careless</title><input value="%s">`, hostileText)
	}))
	t.Cleanup(careless.Close)
	ctx := openWithoutPolicy(t, browser.AllowError(`a stored script ran`))
	var run int
	var found []string
	browser.Run(ctx, t, chromedp.Navigate(careless.URL), chromedp.Evaluate(`window.scriptsRun || 0`, &run), chromedp.Evaluate(strangers, &found))
	if run < 2 || len(found) < 2 {
		t.Errorf("%d scripts are counted, %q found", run, found)
	}
}
