package web

import (
	"context"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/testkit/browser"
)

// seenText is what a reader sees of the page: texts that only screen readers get, and times that run, are left out.
const seenText = `(() => {
	const out = [];
	const walk = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
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

// TestPageSame: what an open page shows after a change is what it shows when it is loaded again, in every state of a
// payment and of a donation; the amount is in sight in both.
func TestPageSame(t *testing.T) {
	t.Parallel()
	for name, x := range map[string]struct {
		shows  string
		change func(b *bundle, p payment.Payment)
	}{
		"Seen":    {"arriving", func(b *bundle, p payment.Payment) { b.deposit(p, p.Amount, false) }},
		"Short":   {"part", func(b *bundle, p payment.Payment) { b.deposit(p, p.Amount/2, true) }},
		"Paid":    {"paid", func(b *bundle, p payment.Payment) { b.deposit(p, p.Amount, true) }},
		"Over":    {"over", func(b *bundle, p payment.Payment) { b.deposit(p, p.Amount+money.USD, true) }},
		"Expired": {"expired", func(b *bundle, p payment.Payment) { b.expire(p) }},
		"Cancelled": {"cancelled", func(b *bundle, p payment.Payment) {
			_, err := b.payments.Cancel(b.t.Context(), string(p.ID))
			must(b.t, err)
		}},
	} {
		for _, donation := range []bool{false, true} {
			t.Run(name+map[bool]string{false: "Payment", true: "Donation"}[donation], func(t *testing.T) {
				t.Parallel()
				b := newBundle(t)
				server := httptest.NewServer(b.server.Handler())
				t.Cleanup(server.CloseClientConnections)
				m := b.newMerchant(50)
				p, path := b.start(b.newPayment(m), chain.Polygon), "/pay?txnid="
				if donation {
					c := b.newCampaign(m)
					p, path = b.gift(c, `{"amount":49.9,"network":"POLYGON","token":"USDC"}`), "/donate/"+c.Slug+"?pay="
				}
				ctx := browser.New(t, browser.Phone)
				browser.Run(ctx, t, chromedp.Navigate(server.URL+path+string(p.ID)),
					chromedp.WaitVisible("[data-testid=waiting]"))
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
