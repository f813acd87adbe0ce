package main

import (
	"net/http"
	"strings"

	"github.com/chromedp/chromedp"

	"github.com/florinpay/florin/internal/testkit"
	"github.com/florinpay/florin/internal/testkit/browser"
)

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
