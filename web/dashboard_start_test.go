package web

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/merchant"
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
