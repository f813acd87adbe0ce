package main

import (
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/testkit"
	"github.com/florinpay/florin/internal/testkit/browser"
)

// mostClicks is how many clicks a stranger may need from the front page to the first
// payment, those of the payer included. Typing into an input counts as one.
const mostClicks = 20

// A stranger signs up, sets up a shop on one card and is paid a dollar, on development
// chains. The merchant's page says so by itself.
func TestMerchant_FirstDollar(t *testing.T) {
	t.Parallel()
	m := &newMerchant{T: t, running: start(t, t.TempDir())}
	m.ctx = browser.New(t)
	clicks := 0
	click := func(selector, result string) {
		clicks++
		browser.Run(
			m.ctx, t, chromedp.Click(selector, chromedp.ByQuery), chromedp.WaitVisible(result, chromedp.ByQuery),
		)
	}
	enter := func(button, result string, fields ...string) {
		clicks += 1 + len(fields)/2
		fill(m.ctx, t, button, result, fields...)
	}
	m.at("/")
	look(m.ctx, t)
	click(testID("sign-up"), `[name="email"]`)
	enter("submit", testID("shop-form"), "email", newcomer, "password", newcomerPassword)
	look(m.ctx, t)
	enter("start-shop", testID("dollar"), "name", "Ida's bakery", "evm", bakeryWallet)
	look(m.ctx, t)
	click(testID("dollar"), testID("payment-link"))
	look(m.ctx, t)
	browser.Run(m.ctx, t, chromedp.Evaluate(`window.notReloaded = true`, nil))
	link := m.text(testID("payment-link"))
	_, m.txnid, _ = strings.Cut(link, "txnid=")

	payer := browser.New(t, browser.Phone)
	clicks += 3 // the code is scanned, network and token are chosen
	browser.Run(payer, t, chromedp.Navigate(link), chromedp.WaitVisible(testID("choose"), chromedp.ByQuery),
		choose("POLYGON", "USDC"), chromedp.WaitVisible(testID("waiting"), chromedp.ByQuery))
	p, err := m.App.Payments.Get(t.Context(), m.txnid)
	testkit.Must(t, err)
	m.payWith(t, p, "exactly")
	browser.Run(payer, t, chromedp.WaitVisible(testID("paid"), chromedp.ByQuery))
	browser.Run(m.ctx, t, chromedp.Poll(
		`document.querySelector('[data-testid=status] [data-status=PAID]') && window.notReloaded`, nil,
		chromedp.WithPollingTimeout(patience),
	))
	look(m.ctx, t)
	if clicks > mostClicks {
		t.Errorf("it took %d clicks, want at most %d", clicks, mostClicks)
	}
	t.Logf("%d clicks from the front page to the first payment", clicks)
}

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

// invites has a colleague join from another browser; the role Support sees the payment and has no button to
// rotate the key.
func (m *newMerchant) invites() {
	m.Helper()
	m.at("/dashboard/team")
	look(m.ctx, m)
	browser.Run(m.ctx, m, chromedp.SetValue(`main [name="role"]`, "support", chromedp.ByQuery))
	fill(m.ctx, m, "invite", testID("link"), "email", helper, "password", newcomerPassword)
	look(m.ctx, m)
	link := m.text(testID("link"))

	theirs := browser.New(m, browser.Phone)
	browser.Run(theirs, m, chromedp.Navigate(link), chromedp.WaitVisible("h1", chromedp.ByQuery))
	look(theirs, m)
	fill(theirs, m, "submit", ".column h1", "password", "a quiet afternoon off", "firstName", "Tom")
	look(theirs, m)
	browser.Run(theirs, m, chromedp.Navigate(m.BaseURL+"/dashboard/payments/"+m.txnid), chromedp.WaitVisible(`[data-testid=status] [data-status=PAID]`, chromedp.ByQuery))
	var buttons int
	browser.Run(theirs, m, chromedp.Navigate(m.BaseURL+"/dashboard/keys"),
		chromedp.WaitVisible(".panel h2", chromedp.ByQuery),
		chromedp.Evaluate(`document.querySelectorAll('[data-testid^="rotate-"]').length`, &buttons))
	if buttons != 0 {
		m.Error("support can rotate keys")
	}
	look(theirs, m)

	m.at("/dashboard/team")
	browser.Run(m.ctx, m, chromedp.WaitVisible(testID("member-"+helper), chromedp.ByQuery))
	look(m.ctx, m)
}

// rotates replaces the key: the old one stops working, the new one works.
func (m *newMerchant) rotates() {
	m.Helper()
	m.at("/dashboard/keys")
	fresh := m.replaceKey()
	for key, want := range map[string]int{m.key: http.StatusUnauthorized, fresh: http.StatusOK} {
		res, err := http.Post(m.BaseURL+"/create-payment", "application/json", strings.NewReader(`{"apiKey":"`+key+`","amount":3}`))
		testkit.Must(m, err)
		_ = res.Body.Close()
		if res.StatusCode != want {
			m.Errorf("creating a payment with the old or new key: %s, want %d", res.Status, want)
		}
	}
}
