package web

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/exchange"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/testkit/browser"
	"github.com/florinpay/florin/web/shell"
)

// A new merchant signs up, sets up a shop and is paid, in a browser without scripts.
func TestDashboard_NewMerchant(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	s := b.surfer()
	var text string
	var key merchant.Key
	t.Run("Key", func(t *testing.T) {
		s.post("/signup", "email", ownerEmail, "password", testPassword).leads(t, "/dashboard")
		s.get("/dashboard").wants(t, 200, "First steps", `data-done="false"`)
		s.post("/dashboard/keys", "label", "Web shop", "wallet", "0x12").wants(t, 400, "This has 4 characters, and an address on BNB Smart Chain", "Web shop")
		r := s.post("/dashboard/keys", "label", "Web shop")
		r.wants(t, 200, "Your new key “Web shop”")
		text = regexp.MustCompile(`flk_\w{43}`).FindString(r.body)
		var err error
		key, err = b.accounts.Authenticate(t.Context(), text)
		must(t, err)
		if r := s.get("/dashboard/keys"); strings.Contains(r.body, text) {
			t.Error("the key is shown again")
		}
		s.post("/dashboard/create", "key", key.PublicID, "amount", "5").wants(t, 409, "has no wallets yet")
	})
	t.Run("Custodian", func(t *testing.T) {
		wallets := []string{"key", key.PublicID, "name", "Nordlicht", "wallet.POLYGON", merchantWallet}
		s.post("/dashboard/settings/payouts", append(wallets, "password", "wrong password")...).wants(t, 403,
			"The password is wrong.", merchantWallet)
		s.post("/dashboard/settings/payouts",
			append(wallets, "wallet.BASE", strings.Replace(merchantWallet, "A", "a", 1), "password", testPassword)...).
			wants(t, 400, "typing error", merchantWallet)
		r := s.post("/dashboard/settings/payouts", append(wallets, "password", testPassword)...)
		r.leads(t, "/dashboard/settings/payouts?key="+key.PublicID)
		if strings.Contains(s.get(r.header.Get("Location")).body, "whsec_") {
			t.Error("a merchant who enters wallets is shown a secret")
		}
		mails := b.mailed(2)
		if made := mails[0]; !strings.Contains(made, "It may: create and start payments, read payments") {
			t.Errorf("the mail of a new key is %q", made)
		}
		got := mails[1]
		if !strings.Contains(got, merchantWallet) || !strings.HasPrefix(got, ownerEmail) {
			t.Errorf("mailed %q", got)
		}
		s.get("/dashboard/security").wants(t, 200, "Changed settlement wallets")
	})
	t.Run("Webhooks", func(t *testing.T) { // the re-authentication of the wallets holds
		page := "/dashboard/settings/webhooks"
		s.post(page, "key", key.PublicID, "callbackUrl", "https://shop.example/hook").leads(t, page+"?key="+key.PublicID)
		s.get("/dashboard/security").wants(t, 200, "Changed the callback address")
		r := s.post(page+"/rotate", "key", key.PublicID)
		r.wants(t, 200, "Your signing secret")
		if !regexp.MustCompile(`whsec_[A-Za-z0-9+/=]{20,}`).MatchString(strings.ReplaceAll(r.body, "&#43;", "+")) {
			t.Error("the signing secret is not shown")
		}
	})
	t.Run("Branding", func(t *testing.T) {
		s.post(brandingPath, "key", key.PublicID, "name", "Nordlicht", "primaryColor", "red; }",
			"theme", "AUTO").wants(t, 400, "The colour must be", "red; }")
		s.post(brandingPath, "key", key.PublicID, "name", "Nordlicht", "primaryColor", "#0a7",
			"theme", "DARK").leads(t, brandingPath+"?key="+key.PublicID)
	})
	t.Run("Payment", func(t *testing.T) {
		s.post("/dashboard/create", "key", key.PublicID, "amount", "-5", "reference", "A-1").wants(t, 400, "The amount", `value="A-1"`)
		r := s.post("/dashboard/create", "key", key.PublicID, "amount", "12.50", "reference", "A-1")
		if r.status != http.StatusSeeOther {
			t.Fatalf("create: %d %s", r.status, plainText(r.body))
		}
		s.get(r.header.Get("Location")).wants(t, 200, "$12.50 to be paid", testBaseURL+"/pay?txnid=", `data-testid="qr"`)
		s.get("/dashboard").wants(t, 200, "$12.50")
	})
	t.Run("Credits", func(t *testing.T) {
		s.post("/dashboard/credits", "key", key.PublicID, "credits", "19").wants(t, 400, "between 20 and")
		r := s.post("/dashboard/credits", "key", key.PublicID, "credits", "40")
		if !strings.HasPrefix(r.header.Get("Location"), "/pay?txnid=") {
			t.Errorf("buying leads to %q", r.header.Get("Location"))
		}
		s.get(r.header.Get("Location")).wants(t, 200, "40 credits")
		s.get("/dashboard/credits").wants(t, 200, "Free with the new key")
	})
	t.Run("ReplaceKey", func(t *testing.T) {
		s.post("/dashboard/keys/"+key.PublicID+"/rotate", "password", "wrong password").wants(t, 400,
			"The password is wrong")
		r := s.post("/dashboard/keys/"+key.PublicID+"/rotate", "password", testPassword)
		r.wants(t, 200, "Your new key")
		if _, err := b.accounts.Authenticate(t.Context(), text); err == nil {
			t.Error("the old key still works")
		}
		if _, err := b.accounts.Authenticate(t.Context(), regexp.MustCompile(`flk_\w{43}`).FindString(r.body)); err != nil {
			t.Errorf("the new key does not work: %v", err)
		}
		s.post("/dashboard/keys/"+key.PublicID+"/revoke", "password", testPassword).leads(t, "/dashboard/keys")
		s.get("/dashboard/payments").wants(t, 200, "$12.50")
	})
	if strings.Contains(b.log.String(), testPassword) || strings.Contains(b.log.String(), text) {
		t.Error("a secret was logged")
	}
}

// A server without a network says so, instead of taking a form that leads nowhere.
func TestDashboard_NoNetwork(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	clear(b.networks.health)
	s := b.surfer()
	s.post("/signup", "email", ownerEmail, "password", testPassword).leads(t, "/dashboard")
	r := s.get("/dashboard")
	r.wants(t, 200, "This server has no network yet", `href="/docs/operate/networks"`)
	for _, promise := range []string{"Three answers, and you can take a payment.", `name="tolerant"`, "start-shop"} {
		if strings.Contains(r.body, promise) {
			t.Errorf("it promises what it cannot do: %s", promise)
		}
	}
}

var (
	navigation = regexp.MustCompile(`(?s)<nav[^>]*>.*?</nav>`)
	linkTo     = regexp.MustCompile(`<a[^>]* href="(/[^"?]*)`)
)

// ways follows the links of the navigation from page to page and returns the pages
// they lead to. On each page it counts the words of the rail.
func (s *surfer) ways(words int) []string {
	s.b.t.Helper()
	seen, todo := []string{}, []string{shell.HomePath}
	for len(todo) > 0 {
		path := todo[0]
		todo = todo[1:]
		if slices.Contains(seen, path) {
			continue
		}
		seen = append(seen, path)
		r := s.get(path)
		r.wants(s.b.t, 200)
		navs := navigation.FindAllString(r.body, -1)
		if n := len(linkTo.FindAllString(navs[0], -1)); n != words {
			s.b.t.Errorf("%s: the rail has %d words, want %d", path, n, words)
		}
		here := strings.Join(navs, "")
		if strings.Count(navs[0], "aria-current") != 1 || strings.Count(here, `aria-current="page"`) < 1 {
			s.b.t.Errorf("%s: the navigation does not say where one is: %s", path, here)
		}
		for _, found := range linkTo.FindAllStringSubmatch(here, -1) {
			todo = append(todo, found[1])
		}
	}
	slices.Sort(seen)
	return seen
}

// The rail has nine words, and with the tabs of their pages they lead to every
// page that stands by itself, in every role, and to none that is refused.
func TestDashboard_Rail(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	owner := b.member(ownerEmail)
	b.shop(owner)
	all := b.accountRoutes("GET")
	all = slices.DeleteFunc(all, func(route string) bool {
		return strings.Contains(route, ":") || strings.HasSuffix(route, ".csv") || isLive(route) ||
			!shell.InDashboard(route) ||
			slices.Contains([]string{
				quickPath, brandingPath + "/preview", brandingPath + "/contrast", securityPath + "/factor",
				"/dashboard/settings", "/dashboard/join", "/dashboard/start", "/dashboard/start/ready",
				"/dashboard/payments/exports", // the list of payments leads to it
			}, route)
	})
	slices.Sort(all)
	merchants := slices.DeleteFunc(slices.Clone(all),
		func(route string) bool { return strings.HasPrefix(route, operatorPath) })
	for _, x := range []struct {
		role  merchant.Role
		words int
		pages []string
	}{
		{merchant.RoleOwner, 9, merchants},
		{
			merchant.RoleViewer, 9,
			slices.DeleteFunc(slices.Clone(merchants), func(route string) bool { return route == createPath }),
		},
	} {
		s, _ := b.colleague(owner, string(x.role)+"@shop.example", x.role)
		if got := s.ways(x.words); !slices.Equal(got, x.pages) {
			t.Errorf("as %s the rail leads to %q, want %q", x.role, got, x.pages)
		}
	}
	_, err := b.accounts.CreateUser(t.Context(),
		identity.NewUser{Email: rootEmail, Password: secret.New(testPassword), Operator: true}, audit.Act{})
	must(t, err)
	root := b.surfer()
	root.signIn(rootEmail)
	if got := root.ways(10); !slices.Equal(got, all) {
		t.Errorf("as operator the rail leads to %q, want %q", got, all)
	}
}

// isLive reports whether a route is no page but keeps one up to date.
func isLive(route string) bool {
	return strings.HasSuffix(route, "/live") || strings.HasSuffix(route, "/now")
}

// TestDashboard_ListRoom: refunds, and prices in another currency, take no room from what the merchant knows a payment
// by.
func TestDashboard_ListRoom(t *testing.T) {
	t.Parallel()
	b, origin := serveDashboard(t)
	m := b.shop(b.member(ownerEmail))
	p, err := b.payments.Create(t.Context(), payment.CreateInput{
		KeyID: m.key.ID, Price: exchange.Text{Amount: "30.50", Currency: "EUR"},
		Details: payment.Details{Reference: "order-1053", Description: "Two bags of coffee, ground for a press"},
	}, audit.Act{})
	must(t, err)
	p = b.deposit(b.start(p, chain.BEP20), p.Amount, true)
	b.arrived(b.asked(b.addressed(b.refundOf(p, "20"))))
	ctx := browser.New(t, browser.Desktop)
	enterDashboard(ctx, t, origin, ownerEmail)
	var room float64
	browser.Run(ctx, t, chromedp.Navigate(origin+"/dashboard/payments"), chromedp.WaitVisible("[data-testid=refunded]"),
		chromedp.Evaluate(`document.querySelector("td.what").getBoundingClientRect().width`, &room))
	browser.Screenshot(ctx, t, "list")
	if room < 320 {
		t.Errorf("the payment has %.0f px", room)
	}
}
