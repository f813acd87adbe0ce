package web

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/testkit/browser"
	"github.com/florinpay/florin/internal/webhook"
	"github.com/florinpay/florin/views"
)

// serveDashboard serves a dashboard on loopback and returns its origin.
func serveDashboard(t *testing.T, with ...func(*Deps, *Options)) (dashboardBundle, string) {
	t.Helper()
	return serveDashboardAs(t, "127.0.0.1", with...)
}

// serveDashboardAs is serveDashboard under another host name of this machine.
func serveDashboardAs(t *testing.T, host string, with ...func(*Deps, *Options)) (dashboardBundle, string) {
	t.Helper()
	return serveDashboardThrough(t, host, func(h http.Handler) http.Handler { return h }, with...)
}

// serveDashboardThrough is serveDashboardAs with something between browser and server.
func serveDashboardThrough(
	t *testing.T, host string, through func(http.Handler) http.Handler, with ...func(*Deps, *Options),
) (dashboardBundle, string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	_, port, err := net.SplitHostPort(l.Addr().String())
	must(t, err)
	origin := "http://" + net.JoinHostPort(host, port)
	b := newDashboardAt(t, origin, with...)
	server := httptest.NewUnstartedServer(through(b.server.Handler()))
	must(t, server.Listener.Close())
	server.Listener = l
	server.Start()
	t.Cleanup(server.Close)
	return b, origin
}

// busy gives a merchant payments of every kind, and a webhook that failed.
func (b dashboardBundle) busy(m seller) payment.Payment {
	b.t.Helper()
	ctx := b.t.Context()
	paid := b.start(b.newPayment(m), chain.Polygon)
	paid = b.deposit(paid, paid.Amount, true)
	short := b.start(b.newPaymentOf(m, "1200"), chain.BEP20)
	b.deposit(short, 700*money.USD, true)
	seen := b.start(b.newPaymentOf(m, "5.25"), chain.Base)
	b.deposit(seen, seen.Amount, false)
	b.newPaymentOf(m, "3")
	gone := b.newPaymentOf(m, "17.99")
	_, err := b.payments.Cancel(ctx, string(gone.ID), audit.Act{})
	must(b.t, err)
	b.refuseWebhooks(webhook.Failed)
	return paid
}

// refuseWebhooks sends what is due within an hour to a server that answers 500, which leaves it in the state.
func (b dashboardBundle) refuseWebhooks(state webhook.State) {
	b.t.Helper()
	ctx, until := b.t.Context(), b.clock.Now().Add(2*time.Hour)
	list, err := webhook.ClaimDue(ctx, b.store, "test", b.clock.Now().Add(time.Hour), until, 10, 10)
	must(b.t, err)
	for _, x := range list {
		must(b.t, b.store.Settle(ctx, "test", webhook.Outcome{
			DeliveryID: x.ID, State: state, NextAt: b.clock.Now().Add(30 * time.Minute),
			Attempt: webhook.Attempt{
				At: b.clock.Now(), URL: x.URL, Status: 500, Latency: 120 * time.Millisecond, Response: "<b>sorry</b>",
				Request: "POST /hook HTTP/1.1\nContent-Type: application/json\n\n{\"txnid\": \"…\"}",
			},
		}))
	}
}

// enterDashboard signs the browser in by the page itself.
func enterDashboard(ctx context.Context, t *testing.T, origin, email string) {
	t.Helper()
	browser.Run(ctx, t, chromedp.Navigate(origin+"/signin"), chromedp.WaitVisible("#f-email"),
		chromedp.SendKeys("#f-email", email), chromedp.SendKeys("#f-password", testPassword),
		chromedp.Click("[data-testid=submit]"), chromedp.WaitVisible(".column h1"))
}

// pageFlaws finds visible faults: elements wider than the window, and targets too
// small for a thumb.
const pageFlaws = `(() => {
	const flaws = [], root = document.documentElement;
	if (root.scrollWidth > root.clientWidth) flaws.push("the page is " + root.scrollWidth + " px wide in a window of " + root.clientWidth);
	const inline = e => e.tagName === "A" && getComputedStyle(e).display === "inline";
	const name = e => e.tagName.toLowerCase() + "." + e.className + " " + (e.textContent || e.name || "").trim().slice(0, 40);
	for (const e of document.querySelectorAll("a, button, summary, input, select, textarea")) {
		if (e.type === "hidden" || e.type === "checkbox" || inline(e) || e.closest(".sr") || e.closest("details:not([open]) > :not(summary)")) continue;
		const row = e.matches(".linked .what a") && e.closest("tr"), r = (row || e).getBoundingClientRect();
		if (r.width < 1 || r.top < -20) continue;
		if (r.height < (row ? 39.5 : 43.5) || r.width < 43.5) flaws.push("target of " + Math.round(r.width) + "×" + Math.round(r.height) + ": " + name(e));
	}
	for (const e of document.querySelectorAll("main *")) {
		const r = e.getBoundingClientRect();
		if (r.width > 1 && !e.closest(".scroll, pre, .sr") && (r.right > root.clientWidth + 0.5 || r.left < -0.5)) flaws.push("outside of the window: " + name(e));
	}
	for (const e of document.querySelectorAll(".rows")) {
		const edge = e.closest(".scroll");
		for (const cell of e.querySelectorAll("td:not(.what), .badge")) if (cell.scrollWidth > cell.clientWidth) flaws.push("words cut: " + name(cell));
		if (edge.scrollWidth > edge.clientWidth + 1) flaws.push("a table of " + edge.scrollWidth + " px is cut at " + edge.clientWidth + ": " + name(e));
	}
	for (const e of document.querySelectorAll("main *")) {
		const glued = [...e.childNodes].find(n => n.nodeType === 3 && /[a-z,;:]$/.test(n.data) && n.nextSibling?.matches?.("time, .badge"));
		if (glued) flaws.push("no space before what follows: " + glued.data);
	}
	for (const e of document.querySelectorAll(".funnel progress")) if (e.getBoundingClientRect().width < 100) flaws.push("hardly anything of a bar is left: " + name(e.parentNode));
	const starts = [...document.querySelectorAll(".rail nav a")].map(e => { const r = document.createRange(); r.selectNodeContents(e.querySelector("svg").nextSibling); return r.getBoundingClientRect(); }).filter(r => r.width > 0).map(r => Math.round(root.dir === "rtl" ? r.right : r.left));
	if (new Set(starts).size > 1) flaws.push("the words of the rail begin at " + starts);
	const sample = document.body.appendChild(document.createElement("i"));
	sample.style.background = "var(--accent)";
	const accent = getComputedStyle(sample).backgroundColor, leads = [...document.querySelectorAll("main .btn")].filter(e => e.checkVisibility() && getComputedStyle(e).backgroundColor === accent);
	sample.remove();
	if (leads.length > 1) flaws.push(leads.length + " buttons lead: " + leads.map(name).join(", "));
	for (const e of document.querySelectorAll("pre")) if (getComputedStyle(e).direction !== "ltr") flaws.push("code from right to left: " + name(e));
	for (const e of document.querySelectorAll(".linked .what a bdi")) if (e.textContent.length < 12 && e.scrollWidth > e.clientWidth) flaws.push("a short name is cut: " + name(e));
	const texts = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
	while (texts.nextNode()) {
		const at = texts.currentNode.data.indexOf("US$"), [us, sign] = [at, at + 2].map(n => {
			const r = document.createRange();
			if (at >= 0) { r.setStart(texts.currentNode, n); r.setEnd(texts.currentNode, n + 1); }
			return r.getBoundingClientRect();
		});
		if (at >= 0 && sign.left < us.left) flaws.push("the sign of an amount is before its letters: " + texts.currentNode.data);
	}
	for (const e of document.querySelectorAll("svg text")) if (e.getBoundingClientRect().height < 11) flaws.push("words too small to read: " + name(e));
	return flaws;
})()`

// lookAt checks the open page at the sizes of a phone and a desktop, and in both themes. Sizes are the same in both
// themes, so that not every pair is checked.
func lookAt(ctx context.Context, t *testing.T, name string) {
	t.Helper()
	themed := func(scheme string) chromedp.Action {
		return emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{
			{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"},
		})
	}
	look := func(device string, size chromedp.Action) {
		t.Helper()
		var flaws []string
		browser.Run(ctx, t, size, chromedp.Evaluate(pageFlaws, &flaws))
		for _, flaw := range flaws {
			t.Errorf("%s, %s: %s", name, device, flaw)
		}
		browser.Screenshot(ctx, t, name+"-"+device+"-light")
	}
	browser.Run(ctx, t, themed("light"))
	look("phone", chromedp.EmulateViewport(360, 780, chromedp.EmulatePortrait, chromedp.EmulateMobile,
		chromedp.EmulateTouch))
	browser.Axe(ctx, t)
	look("desktop", chromedp.EmulateViewport(1280, 800))
	browser.Run(ctx, t, themed("dark"))
	browser.Screenshot(ctx, t, name+"-desktop-dark")
	browser.Axe(ctx, t)
}

// lookIn checks the page in another language, on a phone and a desktop.
func lookIn(ctx context.Context, t *testing.T, name, lang, page string) {
	t.Helper()
	query := "?lang="
	if strings.Contains(page, "?") {
		query = "&lang="
	}
	browser.Run(ctx, t, chromedp.Navigate(page+query+lang), chromedp.WaitVisible("main h1"))
	for device, size := range map[string]chromedp.Action{
		"phone":   chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile, chromedp.EmulateTouch),
		"desktop": chromedp.EmulateViewport(1280, 800),
	} {
		var flaws []string
		browser.Run(ctx, t, size, chromedp.Evaluate(pageFlaws, &flaws))
		for _, flaw := range flaws {
			t.Errorf("%s in %s, %s: %s", name, lang, device, flaw)
		}
	}
}

// Every page of the dashboard, full and empty, in a browser: nothing is cut,
// too small or inaccessible, and no other server gets a request.
func TestDashboard_Pages(t *testing.T) {
	t.Parallel()
	b, origin := serveDashboard(t, func(d *Deps, _ *Options) {
		d.Dashboard.Reading = readingOfDay
		d.Dashboard.Endpoints = func(chain.Network) []chain.EndpointHealth {
			return []chain.EndpointHealth{{Name: "rpc.example", Healthy: true, Learnt: []string{"logs: 5 blocks"}}}
		}
	})
	u := b.member(ownerEmail)
	m := b.shop(u)
	paid := b.busy(m)
	long, err := b.payments.Create(t.Context(), payment.CreateInput{
		KeyID: m.key.ID, Amount: "20", Details: payment.Details{
			Reference: strings.Repeat("ORDER2026", 10), Description: strings.Repeat("a long order of coffee ", 8),
		},
	}, audit.Act{})
	must(t, err)
	over := b.start(long, chain.Base)
	b.deposit(over, 23*money.USD, true)
	given, link := b.fundraiser(m)
	for _, name := range []string{"Ada", "Grace"} {
		gift := b.gift(given, strings.Replace(giftOfFive, "Ada", name, 1))
		b.deposit(gift, gift.Amount, true)
	}
	b.member("fresh@shop.example")
	b.colleague(u, "dev@shop.example", merchant.RoleDeveloper)
	b.surfer().invited(ownerEmail, "help@shop.example", "support")
	_, err = b.accounts.CreateUser(t.Context(),
		identity.NewUser{Email: "root@shop.example", Password: secret.New(testPassword), Operator: true}, audit.Act{})
	must(t, err)
	root := b.surfer()
	root.signIn("root@shop.example")
	root.post("/dashboard/security/factor").leads(t, "/dashboard/security/factor")
	pages := pagesOf(u.PublicID, string(paid.ID), string(over.ID), given.Slug, link.Slug)
	for name, paths := range pages {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := browser.New(t, browser.AllowError(`status of 404`))
			if paths.email != "" {
				enterDashboard(ctx, t, origin, paths.email)
			}
			for page, path := range paths.paths {
				browser.Run(ctx, t, chromedp.Navigate(origin+path), chromedp.WaitVisible("main h1"))
				lookAt(ctx, t, page)
				for _, lang := range languagesOf(page) {
					lookIn(ctx, t, page, lang, origin+path)
				}
			}
			browser.FirstParty(ctx, t, origin)
		})
	}
}

// languagesOf is the languages in which a page is looked at: the one with the longest words and the one from right to
// left, and the lists that a shop reads every day in all.
func languagesOf(page string) (tags []string) {
	if page != "payments" && page != "webhooks" && page != "overview" {
		return []string{"de", "ar"}
	}
	for _, l := range views.Languages() {
		tags = append(tags, l.Tag)
	}
	return tags
}

// visit is pages, by name, that a user looks at; nobody is signed in without an address.
type visit struct {
	email string
	paths map[string]string
}

func pagesOf(user, paid, over, campaign, link string) map[string]visit {
	return map[string]visit{
		"Sales": {ownerEmail, map[string]string{
			"overview": "/dashboard", "payments": "/dashboard/payments", "filtered": "/dashboard/payments?status=STARTED&min=100",
			"attention": "/dashboard/attention", "odd": "/dashboard/payments/" + over,
			"payment": "/dashboard/payments/" + paid, "create": "/dashboard/create",
			"created": "/dashboard/create/" + paid,
		}},
		"Account": {ownerEmail, map[string]string{
			"keys": "/dashboard/keys", "credits": "/dashboard/credits", "webhooks": "/dashboard/webhooks",
			"webhook": "/dashboard/webhooks/1", "developers": "/dashboard/developers",
			"custodian": "/dashboard/settings/payouts", "branding": "/dashboard/settings/checkout",
			"callback": "/dashboard/settings/webhooks", "security": "/dashboard/security", "team": "/dashboard/team",
		}},
		"Campaigns": {ownerEmail, map[string]string{
			"campaigns": campaignsPath, "campaign": campaignsPath + "/" + campaign,
			"campaign-edit": campaignsPath + "/" + campaign + "/edit",
			"links":         linksPath, "link": linksPath + "/" + link, "settlement": settlePath,
		}},
		"Empty": {"fresh@shop.example", map[string]string{
			"overview": "/dashboard", "payments": "/dashboard/payments", "create": "/dashboard/create",
			"attention": "/dashboard/attention", "keys": "/dashboard/keys",
			"credits": "/dashboard/credits", "webhooks": "/dashboard/webhooks",
			"team": "/dashboard/team", "campaigns": campaignsPath, "links": linksPath,
			"custodian": "/dashboard/settings/payouts", "branding": "/dashboard/settings/checkout",
			"developers": "/dashboard/developers", "missing": "/dashboard/payments/nothing",
		}},
		"Operator": {"root@shop.example", map[string]string{
			"operator": "/operator", "people": "/operator/users", "person": "/operator/users/" + user,
			"topups": "/operator/topups", "sweeps": "/operator/sweeps",
			"problems": "/operator/problems", "factor": "/dashboard/security/factor",
		}},
		"Door": {"", map[string]string{
			"signin": "/signin", "signup": "/signup", "forgot": "/forgot",
			"reset": "/reset?token=x",
		}},
	}
}
