package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/pquerna/otp/totp"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/florinpay/florin/internal/testkit"
	"github.com/florinpay/florin/internal/testkit/browser"
)

const (
	newcomer         = "ida@bakery.example"
	newcomerPassword = "seven loaves before dawn"
	helper           = "tom@bakery.example"
	bakeryWallet     = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
)

// newMerchant is a merchant on their first day, with a browser of their own.
type newMerchant struct {
	*testing.T
	*running

	ctx context.Context
	// totp is the authenticator's secret; recovery, key and signing were shown once.
	totp, recovery, key, signing string
	txnid                        string
}

// TestMerchant_FirstDay does everything that a new merchant does, through pages alone: from signing up to a
// payment that is paid, reported and exported, a colleague, and a new key. Every page on the way is
// accessible in both themes.
func TestMerchant_FirstDay(t *testing.T) {
	t.Parallel()
	m := &newMerchant{T: t, running: start(t, t.TempDir())}
	m.ctx = browser.New(t, browser.AllowError(`status of 403`))
	m.signUp()
	m.protect()
	// In another browser the password alone does not sign in.
	m.ctx = browser.New(t, browser.AllowError(`status of 403`))
	m.signIn(func() string { return m.code(30 * time.Second) })
	m.sayWallets()
	m.receiveWebhooks()
	m.makeKey()
	m.brand()
	link := m.createPayment()
	m.watchPaid(link)
	browser.FirstParty(m.ctx, t, m.BaseURL)
	// A third browser signs in with a recovery code.
	m.ctx = browser.New(t)
	m.signIn(func() string { return m.recovery })
	m.seesPaid()
	m.seesWebhook()
	m.exports()
	m.invites()
	m.rotates()
	browser.FirstParty(m.ctx, t, m.BaseURL)
}

// at opens a page and waits for its heading.
func (m *newMerchant) at(path string) {
	m.Helper()
	browser.Run(m.ctx, m, chromedp.Navigate(m.BaseURL+path), chromedp.WaitVisible("h1", chromedp.ByQuery))
}

// look checks the page in both themes.
func look(ctx context.Context, t testing.TB) {
	t.Helper()
	for _, scheme := range []string{"dark", "light"} {
		browser.Run(ctx, t, emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{
			{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"},
		}))
		browser.Axe(ctx, t)
	}
}

// fill types into fields by name, presses a button and waits for the result in the page that follows: the old
// page may contain the same text.
func fill(ctx context.Context, t testing.TB, button, result string, fields ...string) {
	t.Helper()
	for i := 0; i < len(fields); i += 2 {
		field := `main [name="` + fields[i] + `"]:not([type=hidden])`
		browser.Run(ctx, t, chromedp.WaitVisible(field, chromedp.ByQuery),
			chromedp.Evaluate("document.querySelector(`"+field+"`).select()", nil), chromedp.SendKeys(field, fields[i+1], chromedp.ByQuery))
	}
	browser.Run(
		ctx, t, chromedp.SetAttributeValue(testID(button), "data-pressed", "", chromedp.ByQuery),
		chromedp.Click(testID(button), chromedp.ByQuery),
	)
	bounded, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := browser.Try(
		bounded, chromedp.WaitNotPresent("[data-pressed]", chromedp.ByQuery),
		chromedp.WaitVisible(result, chromedp.ByQuery),
	); err != nil {
		var shown string
		browser.Run(ctx, t, chromedp.Evaluate(`document.querySelector("main").innerText`, &shown))
		t.Fatalf("%s does not lead to %s: %v; the page says\n%s", button, result, err, shown)
	}
}

func (m *newMerchant) text(selector string) string {
	m.Helper()
	var text string
	browser.Run(m.ctx, m, chromedp.TextContent(selector, &text, chromedp.ByQuery))
	return strings.TrimSpace(text)
}

func (m *newMerchant) signUp() {
	m.Helper()
	m.at("/signup")
	look(m.ctx, m)
	fill(m.ctx, m, "submit", ".column h1", "email", newcomer, "password", newcomerPassword, "firstName", "Ida")
	look(m.ctx, m)
}

// code is what the authenticator shows after some time. A code works once, so a sign-in right after enrolment
// needs the next one; the server accepts it a little early, as it would from a fast clock.
func (m *newMerchant) code(later time.Duration) string {
	m.Helper()
	code, err := totp.GenerateCode(m.totp, time.Now().Add(later))
	testkit.Must(m, err)
	return code
}

func (m *newMerchant) protect() {
	m.Helper()
	m.at("/dashboard/security")
	look(m.ctx, m)
	browser.Run(
		m.ctx, m, chromedp.Click(testID("begin-factor"), chromedp.ByQuery), chromedp.WaitVisible(testID("totp-secret"), chromedp.ByQuery),
	)
	look(m.ctx, m)
	m.totp = m.text(testID("totp-secret"))
	fill(m.ctx, m, "confirm-factor", testID("codes"), "password", newcomerPassword, "code", m.code(0))
	m.recovery = m.text(testID("codes") + " li")
	look(m.ctx, m)
	browser.Run(m.ctx, m, chromedp.Click(testID("sign-out"), chromedp.ByQuery), chromedp.WaitVisible(`[name="email"]`, chromedp.ByQuery))
}

// signIn asks for the code when the page does: one of the authenticator is good for a minute.
func (m *newMerchant) signIn(code func() string) {
	m.Helper()
	m.at("/signin")
	look(m.ctx, m)
	fill(m.ctx, m, "submit", `[name="code"]`, "email", newcomer, "password", newcomerPassword)
	look(m.ctx, m)
	fill(m.ctx, m, "submit", ".column h1", "code", code())
}

// makeKey replaces the text of the key that signing up made, which nobody has seen.
func (m *newMerchant) makeKey() {
	m.Helper()
	m.at("/dashboard/keys")
	look(m.ctx, m)
	m.key = m.replaceKey()
}

// replaceKey replaces the text of the first key of the page, and returns the new one.
func (m *newMerchant) replaceKey() string {
	m.Helper()
	browser.Run(m.ctx, m, chromedp.Click("main details summary", chromedp.ByQuery), chromedp.WaitVisible(`[data-testid^="rotate-"]`, chromedp.ByQuery))
	look(m.ctx, m)
	browser.Run(m.ctx, m, chromedp.SendKeys(`form[action$="/rotate"] [name="password"]`, newcomerPassword, chromedp.ByQuery),
		chromedp.Click(`[data-testid^="rotate-"]`, chromedp.ByQuery), chromedp.WaitVisible(testID("fresh-key"), chromedp.ByQuery))
	look(m.ctx, m)
	return m.text(testID("fresh-key"))
}

// sayWallets sets the settlement wallets: the form asks for the password when it is sent.
func (m *newMerchant) sayWallets() {
	m.Helper()
	m.at("/dashboard/settings/payouts")
	look(m.ctx, m)
	fill(m.ctx, m, "save-money", `main [name="password"]`, "name", "Ida's bakery", "wallet.POLYGON", bakeryWallet)
	look(m.ctx, m)
	fill(m.ctx, m, "save-money", ".problem", "password", "not the password")
	var kept string
	browser.Run(m.ctx, m, chromedp.Value(`[name="wallet.POLYGON"]`, &kept, chromedp.ByQuery))
	if kept != bakeryWallet {
		m.Errorf("after a wrong password the form holds the wallet %q", kept)
	}
	look(m.ctx, m)
	fill(m.ctx, m, "save-money", testID("notice"), "wallet.BASE", bakeryWallet, "password", newcomerPassword)
	look(m.ctx, m)
}

// receiveWebhooks sets the callback address and makes a signing secret that is shown. The password of the wallets
// still holds.
func (m *newMerchant) receiveWebhooks() {
	m.Helper()
	m.at("/dashboard/settings/webhooks")
	look(m.ctx, m)
	fill(m.ctx, m, "save-callback", testID("notice"), "callbackUrl", m.BaseURL+"/sandbox/inbox")
	fill(m.ctx, m, "rotate-signing", testID("signing-secret"))
	m.signing = m.text(testID("signing-secret"))
	look(m.ctx, m)
}

func (m *newMerchant) brand() {
	m.Helper()
	m.at("/dashboard/settings/checkout")
	look(m.ctx, m)
	picture := image.NewNRGBA(image.Rect(0, 0, 300, 300))
	draw.Draw(picture, picture.Bounds(), image.NewUniform(color.NRGBA{160, 90, 40, 255}), image.Point{}, draw.Src)
	var file bytes.Buffer
	path := filepath.Join(m.TempDir(), "bakery.png")
	testkit.Must(m, png.Encode(&file, picture))
	testkit.Must(m, os.WriteFile(path, file.Bytes(), 0o600))
	browser.Run(m.ctx, m, chromedp.SetUploadFiles("#f-logo", []string{path}, chromedp.ByQuery))
	fill(m.ctx, m, "logo-save", testID("logo-now"))
	fill(m.ctx, m, "save", testID("notice"), "tagline", "Bread since four in the morning", "primaryColor", "#8a4b1f")
	look(m.ctx, m)
}

// createPayment creates the first payment and returns its link.
func (m *newMerchant) createPayment() string {
	m.Helper()
	m.at("/dashboard/create")
	look(m.ctx, m)
	fill(
		m.ctx, m, "submit", testID("payment-link"), "amount", "18.40", "reference", "loaf-7", "description",
		"Two loaves of rye",
	)
	look(m.ctx, m)
	link := m.text(testID("payment-link"))
	_, m.txnid, _ = strings.Cut(link, "txnid=")
	return link
}

// watchPaid pays while the overview is open.
func (m *newMerchant) watchPaid(link string) {
	m.Helper()
	m.at("/dashboard")
	row := testID("recent") + " " + testID("row-"+m.txnid)
	browser.Run(m.ctx, m, chromedp.WaitVisible(row, chromedp.ByQuery), chromedp.Evaluate(`window.notReloaded = true`, nil))
	look(m.ctx, m)

	customer := browser.New(m, browser.Phone)
	browser.Run(customer, m, chromedp.Navigate(link), chromedp.WaitVisible(testID("choose"), chromedp.ByQuery))
	var shown string
	browser.Run(customer, m, chromedp.Evaluate(`document.body.innerText`, &shown))
	for _, words := range []string{"Ida's bakery", "18.40", "Two loaves of rye"} {
		if !strings.Contains(shown, words) {
			m.Errorf("the payment page does not say %q", words)
		}
	}
	var logo int
	browser.Run(customer, m, chromedp.Evaluate(`document.querySelector('img[src^="/logo/"]')?.naturalWidth ?? 0`, &logo))
	if logo != 256 {
		m.Errorf("the logo is %d pixels wide on the payment page", logo)
	}
	look(customer, m)
	browser.Run(customer, m, choose("POLYGON", "USDC"), chromedp.WaitVisible(testID("waiting"), chromedp.ByQuery))
	look(customer, m)
	p, err := m.App.Payments.Get(m.Context(), m.txnid)
	testkit.Must(m, err)
	m.payWith(m.T, p, "exactly")
	browser.Run(customer, m, chromedp.WaitVisible(testID("paid"), chromedp.ByQuery))
	look(customer, m)
	browser.Run(
		customer, m, chromedp.Click(testID("receipt-link"), chromedp.ByQuery), chromedp.WaitVisible(testID("receipt"), chromedp.ByQuery),
	)
	look(customer, m)

	done := fmt.Sprintf(`document.querySelector('%s')?.closest("tr").querySelector("[data-status=PAID]") && window.notReloaded`, testID("row-"+m.txnid))
	browser.Run(m.ctx, m, chromedp.Poll(done, nil, chromedp.WithPollingTimeout(patience)))
	look(m.ctx, m)
}

func (m *newMerchant) seesPaid() {
	m.Helper()
	m.at("/dashboard/payments")
	look(m.ctx, m)
	m.at("/dashboard/payments/" + m.txnid)
	browser.Run(m.ctx, m, chromedp.WaitVisible(`[data-testid=status] [data-status=PAID]`, chromedp.ByQuery))
	look(m.ctx, m)
}

// seesWebhook waits until the webhook is delivered, and verifies it with the signing secret that was shown.
func (m *newMerchant) seesWebhook() {
	m.Helper()
	delivered := testID("deliveries") + ` [data-status=DELIVERED]`
	testkit.Until(m, patience, "a webhook is delivered", func() (there bool) {
		m.at("/dashboard/webhooks")
		browser.Run(m.ctx, m, chromedp.Evaluate(`!!document.querySelector('`+delivered+`')`, &there))
		return there
	})
	look(m.ctx, m)
	browser.Run(
		m.ctx, m, chromedp.Click(testID("deliveries")+" a", chromedp.ByQuery), chromedp.WaitVisible(testID("attempt"), chromedp.ByQuery),
	)
	if heading := m.text(testID("attempt") + " h2"); !strings.HasPrefix(heading, "Attempt 1: 200") {
		m.Errorf("the attempt is shown as %q", heading)
	}
	look(m.ctx, m)
	receiver, err := standardwebhooks.NewWebhook(m.signing)
	testkit.Must(m, err)
	for _, d := range m.Received(m.txnid) {
		header := http.Header{}
		for _, h := range d.Headers {
			header.Set(h.Name, h.Value)
		}
		if err := receiver.Verify([]byte(d.Body), header); err != nil || d.Status != "completed" {
			m.Errorf("%s webhook: %v", d.Status, err)
		}
	}
	if len(m.Received(m.txnid)) != 1 {
		m.Errorf("the inbox holds %d webhooks of the payment", len(m.Received(m.txnid)))
	}
}

func awaitPromise(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }

// exports fetches the target of the export button, with the browser's cookies.
func (m *newMerchant) exports() {
	m.Helper()
	m.at("/dashboard/payments")
	var text string
	const thisMonth = `[href^="/dashboard/payments.csv?paid="]:not([href$="excel"])`
	browser.Run(m.ctx, m, chromedp.Click(testID("export")), chromedp.WaitVisible(testID("spans")),
		chromedp.Evaluate("fetch(document.querySelector(`"+thisMonth+"`).href).then(r => r.text())", &text, awaitPromise))
	rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(text, "\ufeff"))).ReadAll()
	if err != nil || len(rows) != 2 {
		m.Fatalf("the export has %d lines: %v\n%s", len(rows), err, text)
	}
	line := strings.Join(rows[1], " ")
	for _, want := range []string{m.txnid, "COMPLETED", "18.4", "loaf-7", "POLYGON", "USDC"} {
		if !strings.Contains(line, want) {
			m.Errorf("%s is not in %s", want, line)
		}
	}
}
