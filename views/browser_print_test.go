package views_test

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/florinpay/florin/internal/testkit/browser"
	"github.com/florinpay/florin/static"
	"github.com/florinpay/florin/views/campaign"
	"github.com/florinpay/florin/views/checkout"
)

// TestReceiptOnPaper: a receipt is dark on white on paper, whatever theme the merchant has on screen.
func TestReceiptOnPaper(t *testing.T) {
	t.Parallel()
	receipt := sampleReceipt("en")
	receipt.Merchant.Theme, receipt.Merchant.Accent = "DARK", "#9db4ff"
	mux := http.NewServeMux()
	mux.Handle(static.Prefix, static.Handler())
	mux.HandleFunc("GET /receipt", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", policy)
		if err := checkout.Receipt(receipt).Render(r.Context(), w); err != nil {
			t.Error(err)
		}
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	ctx := browser.New(t, browser.Dark)
	const ink = `getComputedStyle(document.querySelector("h1")).color`
	browser.Run(ctx, t, chromedp.Navigate(server.URL+"/receipt"), chromedp.WaitVisible(test("receipt")))
	screen := evaluate[string](ctx, t, ink)
	browser.Run(ctx, t, emulation.SetEmulatedMedia().WithMedia("print"))
	if paper := evaluate[string](ctx, t, ink); paper != "rgb(28, 26, 23)" || paper == screen {
		t.Errorf("the ink is %s on paper and %s on screen", paper, screen)
	}
	browser.Axe(ctx, t)
	var sheets []byte
	browser.Run(ctx, t, chromedp.ActionFunc(func(ctx context.Context) (err error) {
		sheets, _, err = page.PrintToPDF().WithPaperWidth(8.27).WithPaperHeight(11.69).Do(ctx) // A4
		return err
	}))
	if n := bytes.Count(sheets, []byte("/Type /Page\n")); n != 1 {
		t.Errorf("the receipt takes %d sheets", n)
	}
}

// TestSignOnPaper: the sign for a counter has no buttons on paper.
func TestSignOnPaper(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	mux.Handle(static.Prefix, static.Handler())
	mux.HandleFunc("GET /sign", func(w http.ResponseWriter, r *http.Request) {
		if err := campaign.Sign(campaign.SignProps{Title: "One bag of coffee"}).Render(r.Context(), w); err != nil {
			t.Error(err)
		}
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	ctx := browser.New(t)
	browser.Run(ctx, t, chromedp.Navigate(server.URL+"/sign"), chromedp.WaitVisible(test("print")),
		emulation.SetEmulatedMedia().WithMedia("print"))
	if evaluate[bool](ctx, t, `!!document.querySelector("[data-testid=print]").offsetParent`) {
		t.Error("the sign is printed with its buttons")
	}
}
