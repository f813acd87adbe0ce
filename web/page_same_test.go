package web

import (
	"context"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/campaign"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/testkit/browser"
)

// seenText is what a reader sees of the page: texts that only screen readers get, and times that run, are left out.
const seenText = `(() => {
	const out = [];
	const walk = document.createTreeWalker(document.querySelector("main") ?? document, NodeFilter.SHOW_TEXT);
	while (walk.nextNode()) {
		const e = walk.currentNode.parentElement, box = e.getBoundingClientRect();
		let hidden = !e.checkVisibility() || e.closest("svg") || box.width < 2 || box.height < 2;
		for (let x = e; x; x = x.parentElement) hidden ||= getComputedStyle(x).clipPath !== "none";
		if (!hidden && walk.currentNode.data.trim()) out.push(walk.currentNode.data.trim());
	}
	return out.join("\n");
})()`

// running is a time that differs from one look to the next.
var running = regexp.MustCompile(`\d+:\d\d|\d+ (?:s|seconds?|minutes?)\b`)

func inSight(ctx context.Context, t *testing.T) string {
	t.Helper()
	var text string
	browser.Run(ctx, t, chromedp.Evaluate(seenText, &text))
	return running.ReplaceAllString(text, "…")
}

// paying starts a payment of an order, of a link or to a campaign, and returns where its payer's page is.
func (b *bundle) paying(m seller, kind string) (p payment.Payment, path string) {
	b.t.Helper()
	switch kind {
	case "Donation":
		c := b.newCampaign(m)
		p = b.gift(c, `{"amount":49.9,"network":"POLYGON","token":"USDC"}`)
		return p, "/donate/" + c.Slug + "?pay=" + string(p.ID)
	case "Link":
		draft := campaign.LinkDraft{Slug: "tea", Amount: "49.9"}
		l, err := b.campaigns.CreateLink(b.t.Context(), m.key.ID, draft, audit.Act{})
		must(b.t, err)
		p, err = b.campaigns.UseLink(b.t.Context(), l, "")
		must(b.t, err)
		p = b.start(p, chain.Polygon)
	default:
		p = b.start(b.newPayment(m), chain.Polygon)
	}
	return p, "/pay?txnid=" + string(p.ID)
}

// TestPageSame: what an open page shows after a change is what it shows when it is loaded again, in every state of a
// payment, of a payment by a link and of a donation; the amount is in sight in both.
func TestPageSame(t *testing.T) {
	t.Parallel()
	for name, x := range map[string]struct {
		shows  string
		change func(b *bundle, p payment.Payment)
	}{
		"Seen":         {"arriving", func(b *bundle, p payment.Payment) { b.deposit(p, p.Amount, false) }},
		"Short":        {"part", func(b *bundle, p payment.Payment) { b.deposit(p, p.Amount/2, true) }},
		"Paid":         {"paid", func(b *bundle, p payment.Payment) { b.deposit(p, p.Amount, true) }},
		"Over":         {"over", func(b *bundle, p payment.Payment) { b.deposit(p, p.Amount+money.USD, true) }},
		"Expired":      {"expired", func(b *bundle, p payment.Payment) { b.expire(p) }},
		"ExpiredShort": {"expired", func(b *bundle, p payment.Payment) { b.expire(b.deposit(p, p.Amount/2, true)) }},
		"Late":         {"late", func(b *bundle, p payment.Payment) { b.deposit(b.expire(p), p.Amount, true) }},
		"Cancelled": {"cancelled", func(b *bundle, p payment.Payment) {
			_, err := b.payments.Cancel(b.t.Context(), string(p.ID), audit.Act{})
			must(b.t, err)
		}},
	} {
		for _, kind := range []string{"Order", "Link", "Donation"} {
			t.Run(name+kind, func(t *testing.T) {
				t.Parallel()
				b := newBundle(t)
				server := httptest.NewServer(b.server.Handler())
				t.Cleanup(server.CloseClientConnections)
				p, path := b.paying(b.newMerchant(50), kind)
				ctx := browser.New(t, browser.Phone)
				browser.Run(ctx, t, chromedp.Navigate(server.URL+path), chromedp.WaitVisible("[data-testid=waiting]"))
				x.change(b, p)
				shown := []chromedp.Action{
					chromedp.WaitVisible("[data-testid=" + x.shows + "]"), chromedp.Sleep(time.Second),
				}
				browser.Run(ctx, t, shown...)
				live := inSight(ctx, t)
				browser.Run(ctx, t, append([]chromedp.Action{chromedp.Reload()}, shown...)...)
				if again := inSight(ctx, t); again != live {
					t.Errorf("live:\n%s\n\nloaded again:\n%s", live, again)
				}
				if !strings.Contains(live, "49.90") {
					t.Errorf("the amount is not in sight:\n%s", live)
				}
			})
		}
	}
}
