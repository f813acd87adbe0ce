package web

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/testkit/browser"
	"github.com/florinpay/florin/web/session"
)

// newcomer signs up on the page.
func newcomer(t *testing.T) (dashboardBundle, *surfer) {
	t.Helper()
	b := newDashboard(t)
	s := b.surfer()
	s.post("/signup", "email", ownerEmail, "password", testPassword).leads(t, "/dashboard")
	return b, s
}

// onlyKey returns the one key of the merchant.
func (b dashboardBundle) onlyKey(t *testing.T) merchant.Key {
	t.Helper()
	u, err := b.accounts.UserByEmail(t.Context(), ownerEmail)
	must(t, err)
	keys, err := b.accounts.Keys(t.Context(), u.ID)
	must(t, err)
	if len(keys) != 1 {
		t.Fatalf("there are %d keys", len(keys))
	}
	return keys[0]
}

// Signing up makes a key with the free credits, and one card sets up the shop: no
// password again, no word of keys, callbacks and secrets.
func TestOnboarding(t *testing.T) {
	t.Parallel()
	b, s := newcomer(t)
	key := b.onlyKey(t)
	page := s.get("/dashboard")
	page.wants(t, 200, `data-testid="shop-form"`, `name="evm"`, "1 % short")
	card := page.body[strings.Index(page.body, `data-testid="shop-form"`):]
	card = card[:strings.Index(card, "</form>")]
	for _, word := range []string{"password", "API", "allback", "ecret", "ustodian"} {
		if strings.Contains(card, word) {
			t.Errorf("the card says %q: %s", word, plainText("<"+card))
		}
	}
	if strings.Contains(page.body, "flk_") || strings.Contains(page.body, "has no wallets") {
		t.Errorf("the key's text is shown, or an alarm beside the card that says the same: %s", plainText(page.body))
	}
	for _, path := range []string{createPath, "/dashboard/links", "/dashboard/campaigns"} {
		r := s.get(path)
		if r.wants(t, 200, `data-testid="no-shop"`, `href="/dashboard/start"`); strings.Contains(r.body, "novalidate") {
			t.Errorf("%s makes what nobody could pay: %s", path, plainText(r.body))
		}
	}
	s.post("/dashboard/start", "name", "Ida's bakery", "evm", " "+merchantWallet+" ", "tolerant", "yes").
		leads(t, "/dashboard/start/ready")
	c, err := b.accounts.Custodian(t.Context(), key.ID)
	must(t, err)
	for _, n := range []chain.Network{chain.BEP20, chain.Polygon, chain.Base} {
		if c.Wallets[n] != merchantWallet {
			t.Errorf("the wallet on %s is %q", n, c.Wallets[n])
		}
	}
	if c.Name != "Ida's bakery" || c.ShortBasis != 100 || c.Wallets[chain.Solana] != "" {
		t.Errorf("the shop is %+v", c)
	}
	ready := s.get("/dashboard/start/ready")
	ready.wants(t, 200, testBaseURL+"/link/ida-s-bakery", `data-testid="qr"`)
	b.surfer().get("/link/ida-s-bakery").wants(t, 200, "Ida&#39;s bakery")
	made := s.post("/dashboard/start/dollar")
	s.get(made.header.Get("Location")).wants(t, 200, "$1.00 to be paid", `sse-swap="verdict"`, `data-testid="qr"`)
	if r := s.get("/dashboard"); strings.Contains(r.body, "shop-form") {
		t.Error("the card is shown again")
	}
	if got := b.mailed(1); !strings.Contains(got[0], merchantWallet) {
		t.Errorf("mailed %q", got)
	}
	s.get("/dashboard/credits").wants(t, 200, "Free with the new key")
}

// Everything that is wrong is said at once, beside its input, and nothing typed is lost.
func TestOnboarding_Refused(t *testing.T) {
	t.Parallel()
	b, s := newcomer(t)
	problems := func(t *testing.T, r reply, names ...string) {
		t.Helper()
		r.wants(t, 400)
		var got []string
		for _, m := range regexp.MustCompile(`data-testid="problem-([\w.-]+)"`).FindAllStringSubmatch(r.body, -1) {
			got = append(got, m[1])
		}
		if strings.Join(got, " ") != strings.Join(names, " ") {
			t.Errorf("problems of %v, want %v: %s", got, names, plainText(r.body))
		}
	}
	t.Run("Empty", func(t *testing.T) { problems(t, s.post("/dashboard/start"), "name", "evm") })
	t.Run("Malformed", func(t *testing.T) {
		r := s.post("/dashboard/start", "name", strings.Repeat("x", 101), "evm", "0x12")
		problems(t, r, "name", "evm")
		r.wants(t, 400, `value="0x12"`)
		if strings.Contains(r.body, "checked") {
			t.Error("the tolerance is ticked again")
		}
	})
	t.Run("NoNameBadWallet", func(t *testing.T) { problems(t, s.post("/dashboard/start", "evm", "0x12"), "name", "evm") })
	t.Run("Lapsed", func(t *testing.T) {
		b.clock.advance(session.ReauthTTL)
		s.get("/dashboard").wants(t, 200, `name="password"`)
		s.post("/dashboard/start", "name", "Bakery", "evm", merchantWallet).wants(t, 403, `value="Bakery"`,
			`data-testid="problem-password"`)
		s.post("/dashboard/start", "name", "", "evm", "0x12", "password", "wrong password").wants(t, 403,
			`data-testid="problem-password"`, `data-testid="problem-name"`, `data-testid="problem-evm"`)
		s.post("/dashboard/start", "name", "Bakery", "evm", merchantWallet, "password", testPassword).
			leads(t, "/dashboard/start/ready")
	})
	t.Run("Again", func(t *testing.T) {
		b.clock.advance(time.Hour)
		s.post("/dashboard/start", "name", "Bakery", "evm", merchantWallet).leads(t, "/dashboard/start/ready")
		s.post(
			"/dashboard/start", "name", "Bakery", "evm", thief, "password", testPassword,
		).wants(t, 409, "set already")
		c, err := b.accounts.Custodian(t.Context(), b.onlyKey(t).ID)
		must(t, err)
		if c.Wallets[chain.Base] != merchantWallet || c.ShortBasis != 0 {
			t.Errorf("the shop is %+v", c)
		}
		s.get("/dashboard/start").leads(t, "/dashboard")
	})
	t.Run("SameName", func(t *testing.T) { // of another merchant
		other := b.surfer()
		other.post("/signup", "email", "eve@shop.example", "password", testPassword).leads(t, "/dashboard")
		other.post("/dashboard/start", "name", "Bakery", "evm", merchantWallet).leads(t, "/dashboard/start/ready")
		other.get("/dashboard/start/ready").wants(t, 200, "/link/bakery-")
	})
}

// mostClicks is what a stranger needs at most from the front page to the first money.
const mostClicks = 20

// A stranger signs up, sets up a shop, makes a payment of a dollar, chooses how to pay
// it, and sees it paid, with few clicks. A click into each input counts.
func TestOnboarding_InABrowser(t *testing.T) {
	t.Parallel()
	b, origin := serveDashboard(t)
	ctx := browser.New(t)
	clicks := 0
	click := func(on, next string) {
		t.Helper()
		clicks++
		browser.Run(ctx, t, chromedp.Click(on), chromedp.WaitVisible(next))
	}
	fill := func(input, text string) {
		t.Helper()
		clicks++
		browser.Run(ctx, t, chromedp.WaitVisible(input), chromedp.SendKeys(input, text))
	}
	browser.Run(ctx, t, chromedp.Navigate(origin+"/"), chromedp.WaitVisible("[data-testid=sign-up]"))
	click("[data-testid=sign-up]", "#f-email")
	fill("#f-email", ownerEmail)
	fill("#f-password", testPassword)
	click("[data-testid=submit]", "[data-testid=shop-form]")
	fill("#f-name", "Ida's bakery")
	fill("#f-evm", merchantWallet)
	click("[data-testid=start-shop]", "[data-testid=dollar]")
	click("[data-testid=dollar]", "[data-testid=payment-link]")
	var shop, link string
	browser.Run(ctx, t, chromedp.Location(&shop), chromedp.Text("[data-testid=payment-link]", &link))
	click("[data-testid=payment-link]", "[data-testid=choose]")
	click("[data-testid=pay-POLYGON-USDT]", "[data-testid=send]")

	p, err := b.payments.Get(t.Context(), shop[len(shop)-26:])
	must(t, err)
	b.deposit(p, p.Amount, true)
	browser.Run(ctx, t, chromedp.Navigate(shop))
	clicks++
	browser.Run(ctx, t, chromedp.WaitVisible("[data-status=PAID]"))
	if clicks > mostClicks {
		t.Errorf("the first money takes %d clicks, want at most %d", clicks, mostClicks)
	}
	t.Logf("%d clicks from the front page to the first money, by %s", clicks, link)
}
