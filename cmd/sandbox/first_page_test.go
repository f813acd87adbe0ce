package main

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/testkit"
	"github.com/florinpay/florin/internal/testkit/browser"
)

// TestFirstPage follows "Pay with test money" from the first page of a checkout, where no network is chosen yet, and
// pays there: with money that an account has sent, so that it can be sent back.
func TestFirstPage(t *testing.T) {
	t.Parallel()
	r := start(t, t.TempDir())
	p := r.create(t, "49.90")
	ctx := browser.New(t, browser.Desktop)
	var leads string
	browser.Run(ctx, t, chromedp.Navigate(r.link(p)), chromedp.WaitVisible(testID("choose"), chromedp.ByQuery),
		chromedp.Evaluate(`document.querySelector("[data-testid=sandbox-pay]").href`, &leads))
	browser.Run(ctx, t, chromedp.Navigate(leads), chromedp.Click("#txn-"+string(p.ID)+` [value="exactly"]`, chromedp.ByQuery),
		chromedp.WaitVisible(testID("notice"), chromedp.ByQuery))
	paid := r.ended(t, p)
	if paid.Status != payment.Completed || len(paid.Deposits) != 1 {
		t.Fatalf("%s by %d deposits", paid.Status, len(paid.Deposits))
	}
	if from := string(paid.Deposits[0].Transfer.From); strings.Trim(from, "0x") == "" {
		t.Errorf("the money came from %q", from)
	}
}

// ended waits for the end of the payment.
func (r *running) ended(t *testing.T, p payment.Payment) payment.Payment {
	t.Helper()
	return r.becomes(t, p.ID, "ended", func(p payment.Payment) bool { return p.Status.Final() })
}

// TestMails reads the mail with the link to a new password on the sandbox's page.
func TestMails(t *testing.T) {
	t.Parallel()
	r := start(t, t.TempDir())
	ctx := browser.New(t, browser.Desktop)
	browser.Run(ctx, t, chromedp.Navigate(r.BaseURL+"/sandbox"),
		chromedp.WaitVisible(testID("no-mails"), chromedp.ByQuery),
		chromedp.Navigate(r.BaseURL+"/forgot"), chromedp.SendKeys("#f-email", DemoEmail, chromedp.ByQuery),
		chromedp.Click(testID("submit"), chromedp.ByQuery), chromedp.WaitVisible(testID("sent"), chromedp.ByQuery))
	mail := ""
	testkit.Until(t, patience, "the mail with the link to a new password is shown", func() bool {
		browser.Run(ctx, t, chromedp.Navigate(r.BaseURL+"/sandbox"),
			chromedp.Evaluate(`document.querySelector("[data-testid=mail]")?.innerText ?? ""`, &mail))
		return mail != ""
	})
	browser.Run(ctx, t, chromedp.Click(testID("mail")+" summary", chromedp.ByQuery),
		chromedp.Text(testID("mail"), &mail, chromedp.ByQuery))
	if !strings.Contains(mail, DemoEmail) || !strings.Contains(mail, r.BaseURL+"/reset?token=") {
		t.Errorf("the mail reads %q", mail)
	}
	browser.Axe(ctx, t)
}
