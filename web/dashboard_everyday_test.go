package web

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/testkit/browser"
)

// mostEveryday is how long an everyday job may take a browser, from the first act to its end.
const mostEveryday = 5 * time.Second

// everyday is somebody at a dashboard, whose acts are counted: a click, or a text that is typed and sent.
type everyday struct {
	t     *testing.T
	ctx   context.Context //nolint:containedctx // of one browser, in one test
	acts  int
	begun time.Time
}

func (e *everyday) begin(page string, ready string) {
	e.t.Helper()
	browser.Run(e.ctx, e.t, chromedp.Navigate(page), chromedp.WaitVisible(ready))
	e.acts, e.begun = 0, time.Now()
}

func (e *everyday) click(selector string) {
	e.t.Helper()
	e.acts++
	browser.Run(e.ctx, e.t, chromedp.Click(selector, chromedp.NodeVisible))
}

func (e *everyday) enter(selector, text string) {
	e.t.Helper()
	e.acts++
	browser.Run(e.ctx, e.t, chromedp.SendKeys(selector, text+kb.Enter))
}

// done fails unless the job took so many acts, and no longer than it may.
func (e *everyday) done(name string, acts int) {
	e.t.Helper()
	took := time.Since(e.begun).Round(time.Millisecond)
	e.t.Logf("%s: %d acts, %v", name, e.acts, took)
	if e.acts != acts || took > mostEveryday {
		e.t.Errorf("%s took %d acts and %v, want %d in %v", name, e.acts, took, acts, mostEveryday)
	}
}

// What a shop does every day takes one act, or as many as are named.
func TestDashboard_Everyday(t *testing.T) {
	t.Parallel()
	exports := make(chan string, 1)
	b, origin := serveDashboardThrough(t, "127.0.0.1", func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			h.ServeHTTP(w, r)
			if r.URL.Path == "/dashboard/payments.csv" {
				exports <- w.Header().Get("Content-Type") + " " + w.Header().Get("Content-Disposition")
			}
		})
	})
	m := b.shop(b.member(ownerEmail))
	tea, err := b.payments.Create(t.Context(), payment.CreateInput{
		KeyID: m.key.ID, Amount: "1234.56", Details: payment.Details{
			Reference: "A-77", Description: "Two tins of jasmine tea", CustomerEmail: "ada@shop.example",
			Metadata: map[string]string{"seat": "balcony"},
		},
	}, audit.Act{})
	must(t, err)
	b.clock.advance(3 * time.Hour)
	for range 10 {
		p := b.start(b.newPaymentOf(m, "10"), chain.Polygon)
		b.deposit(p, 12*money.USD, true)
	}
	ctx := browser.New(t)
	enterDashboard(ctx, t, origin, ownerEmail)
	e := &everyday{t: t, ctx: ctx}
	found := fmt.Sprintf("[data-testid=payments] tbody tr:only-child #row-%s", tea.ID)
	for name, text := range map[string]string{
		"find by amount":                    "1.234,56",
		"find by a word of the description": "jasmine", "find by a word of the metadata": "balc",
		"find by customer": "ada@shop", "find by hour": tea.CreatedAt.UTC().Add(-time.Minute).Format("2006-01-02 15:04"),
	} {
		e.begin(origin+"/dashboard/payments", "#f-q")
		e.enter("#f-q", text)
		browser.Run(ctx, t, chromedp.WaitVisible(found))
		e.done(name, 1)
	}

	e.begin(origin+"/dashboard/attention", "[data-testid=tick-all]")
	e.click("[data-testid=tick-all]")
	e.click("[data-testid=bulk]")
	e.click("[data-testid=settle]")
	browser.Run(ctx, t, chromedp.WaitVisible("[data-testid=nothing]"))
	e.done("accept ten overpayments", 3)

	e.begin(origin+"/dashboard/payments", "[data-testid=export]")
	e.click("[data-testid=export]")
	e.click(`[data-testid=spans] a[aria-label="Last month as CSV"]`)
	select {
	case file := <-exports:
		if !strings.Contains(file, "text/csv") || !strings.Contains(file, "payments-") {
			t.Errorf("what was exported is %s", file)
		}
	case <-time.After(mostEveryday):
		t.Error("nothing was exported")
	}
	e.done("export last month", 2)
}
