package web

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/campaign"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/store/storetest"
	"github.com/florinpay/florin/web/shell"
)

// accountRoutes lists the routes of the router for users with a session, and for
// signing in.
func (b dashboardBundle) accountRoutes(methods ...string) []string {
	b.t.Helper()
	var all []string
	for _, r := range b.server.handler.Routes() {
		mine := shell.InDashboard(r.Path)
		for _, door := range []string{
			"/signin", "/signin/code", "/signin/passkey", "/signin/passkey/ask", "/signup", "/verify",
			"/signout", "/forgot", "/reset",
		} {
			mine = mine || r.Path == door
		}
		for _, m := range methods {
			if mine && r.Method == m {
				all = append(all, r.Path)
			}
		}
	}
	return all
}

// Every form refuses a request from another site or without a known origin.
func TestDashboard_CrossSite(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	u := b.member(ownerEmail)
	m := b.shop(u)
	p := b.newPayment(m)
	given, link := b.fundraiser(m)
	s := b.surfer()
	s.signIn(ownerEmail)
	routes := b.accountRoutes("POST", "PUT", "PATCH", "DELETE")
	if len(routes) < 25 {
		t.Fatalf("only %d routes: %v", len(routes), routes)
	}
	for _, route := range routes {
		path := strings.NewReplacer(":txnid", string(p.ID), ":key", m.key.PublicID, ":id", "1", ":session", "x",
			":campaign", given.Slug, ":link", link.Slug).Replace(route)
		for name, header := range map[string][]string{
			"cross-site": {"Sec-Fetch-Site", "cross-site"}, "same-site": {"Sec-Fetch-Site", "same-site"},
			"origin": {"Sec-Fetch-Site", "", "Origin", "https://evil.example"}, "null": {"Sec-Fetch-Site", "", "Origin", "null"}, "silent": {"Sec-Fetch-Site", ""},
		} {
			r := s.do("POST", path, url.Values{"key": {m.key.PublicID}, "password": {testPassword}}, header...)
			if r.status != http.StatusForbidden {
				t.Errorf("%s %s: %d", name, path, r.status)
			}
		}
	}
	s.get("/dashboard").wants(t, 200)
	if got, err := b.payments.Get(t.Context(), string(p.ID)); err != nil || got.Status != payment.Pending {
		t.Errorf("the payment is %s, %v", got.Status, err)
	}
	if got, _, err := b.campaigns.Get(t.Context(), given.Slug); err != nil || got.State != campaign.Active {
		t.Errorf("the campaign is %s, %v", got.State, err)
	}
	s.do("POST", "/signout", nil, "Sec-Fetch-Site", "", "Origin", "https://pay.example").leads(t, "/signin")
}

// Without a session every page and form leads to sign-in and does nothing.
func TestDashboard_SignedOut(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	m := b.shop(b.member(ownerEmail))
	p := b.newPayment(m)
	given, link := b.fundraiser(m)
	fill := strings.NewReplacer(":txnid", string(p.ID), ":key", m.key.PublicID, ":id", "1", ":session", "x",
		":campaign", given.Slug, ":link", link.Slug)
	for _, method := range []string{"GET", "POST"} {
		for _, route := range b.accountRoutes(method) {
			if !shell.InDashboard(route) {
				continue
			}
			r := b.surfer().do(method, fill.Replace(route), url.Values{"key": {m.key.PublicID}})
			if r.status != http.StatusSeeOther || !strings.HasPrefix(r.header.Get("Location"), "/signin") {
				t.Errorf("%s %s: %d to %q", method, route, r.status, r.header.Get("Location"))
			}
		}
	}
}

// Ids of another merchant are unknown in every address and form, and no page
// shows their data.
func TestDashboard_Tenants(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	victim := b.shop(b.member("victim@shop.example"))
	paid := b.busy(victim)
	given, link := b.fundraiser(victim)
	b.shop(b.member(ownerEmail))
	s := b.surfer()
	s.signIn(ownerEmail)
	theirs := strings.NewReplacer(":txnid", string(paid.ID), ":key", victim.key.PublicID, ":id", "1", ":session",
		"0123456789abcdef", ":passkey", "01HZZZZZZZZZZZZZZZZZZZZZZZ", ":campaign", given.Slug, ":link", link.Slug)
	checked := 0
	for _, method := range []string{"GET", "POST"} {
		for _, route := range b.accountRoutes(method) {
			if !shell.InDashboard(route) || strings.HasPrefix(route, "/operator") {
				continue
			}
			path := theirs.Replace(route)
			form := url.Values{
				"key": {victim.key.PublicID}, "password": {testPassword}, "reason": {"x"},
				"amount": {"5"}, "credits": {"20"}, "since": {"2026-11-20"}, "title": {"Mine"}, "slug": {"mine-now"},
				"review": {"APPROVED"}, "donation": {"1"},
			}
			asksKey := path != route
			if method == "GET" {
				path, form = path+"?key="+victim.key.PublicID+"&q="+string(paid.ID), nil
			}
			r := s.do(method, path, form)
			if strings.Contains(r.body, "victim@shop.example") || strings.Contains(r.body, given.Title) || asksKey && strings.Contains(r.body, "NL-1042") {
				t.Errorf("%s %s shows another's data", method, route)
			}
			if asksKey {
				if checked++; r.status != http.StatusNotFound {
					t.Errorf("%s %s: %d", method, path, r.status)
				}
			}
			// A new key or passkey belongs to the user of the session, whatever the form says.
			if method == "POST" && r.status < 300 && route != keysPath && route != passkeysPath+"/ask" {
				t.Errorf("%s %s with another's key: %d", method, path, r.status)
			}
		}
	}
	if checked < 9 {
		t.Errorf("only %d addresses with an id were tried", checked)
	}
	for _, path := range []string{
		"/dashboard/credits", "/dashboard/settings/payouts", "/dashboard/settings/checkout",
		"/dashboard/webhooks", "/dashboard/create",
	} {
		s.get(path+"?key="+victim.key.PublicID).wants(t, 404)
	}
	t.Run("Untouched", func(t *testing.T) {
		keys, err := storetest.Accounts{Store: b.store.Merchant()}.Keys(t.Context(), victim.key.UserID)
		if err != nil || len(keys) != 1 || keys[0].Hash != victim.key.Hash {
			t.Errorf("the victim's keys are %v, %v", keys, err)
		}
		if got, _, err := b.campaigns.Get(t.Context(), given.Slug); err != nil || got.State != campaign.Active ||
			got.Title != given.Title {
			t.Errorf("the victim's campaign is %+v, %v", got, err)
		}
		if got, err := b.campaigns.Link(t.Context(), link.Slug); err != nil || got.Paused {
			t.Errorf("the victim's link is %+v, %v", got, err)
		}
		s.get("/operator").wants(t, 404)
		s.post("/operator/invite", "email", "x@y.example").wants(t, 404)
	})
}

// Text of merchants and payers is never markup.
func TestDashboard_StoredScripts(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	canary := `"><img src=x onerror=alert(1)><script>alert(2)</script>`
	u, err := b.accounts.CreateUser(t.Context(),
		identity.NewUser{
			Email: ownerEmail, Password: secret.New(testPassword), FirstName: canary, LastName: canary, Operator: true,
		}, audit.Act{})
	must(t, err)
	key, _, err := b.accounts.CreateKey(t.Context(), u, merchant.NewKey{Label: canary, Credits: 20, Queries: 5},
		audit.Act{})
	must(t, err)
	_, _, err = b.accounts.ArrangeCustodian(t.Context(), key, merchant.CustodianInput{
		Name: &canary, Branding: &merchant.BrandingInput{Tagline: &canary},
		Wallets: map[chain.Network]string{"POLYGON": merchantWallet},
	}, audit.Act{})
	must(t, err)
	p, err := b.payments.Create(t.Context(), payment.CreateInput{KeyID: key.ID, Amount: "5", Details: payment.Details{
		Reference: canary, Description: canary, Metadata: map[string]string{canary: canary},
	}}, audit.Act{})
	must(t, err)
	m := seller{key: key}
	given := b.newCampaign(m, func(in *campaign.Draft) { in.Title, in.Description = canary, canary })
	body, err := json.Marshal(map[string]any{
		"amount": 5, "network": "POLYGON", "token": "USDC", "name": canary,
		"message": canary,
	})
	must(t, err)
	gift := b.gift(given, string(body))
	b.deposit(gift, gift.Amount, true)
	link, err := b.campaigns.CreateLink(t.Context(), key.ID,
		campaign.LinkDraft{Slug: "canary", Description: canary, Reference: canary}, audit.Act{})
	must(t, err)
	s := b.surfer()
	r := s.do("POST", "/signin", url.Values{"email": {ownerEmail}, "password": {testPassword}}, "User-Agent", canary)
	r.leads(t, "/dashboard")
	s.post("/dashboard/payments/"+string(p.ID)+"/complete", "reason", canary, "password", testPassword)
	pages := 0
	for _, route := range b.accountRoutes("GET") {
		path := strings.NewReplacer(":txnid", string(p.ID), ":id", "1", ":campaign", given.Slug, ":link",
			link.Slug).Replace(route)
		r := s.get(
			path + "?q=" + url.QueryEscape(
				canary,
			) + "&next=" + url.QueryEscape(
				canary,
			) + "&invite=" + url.QueryEscape(canary) + "&token=" + url.QueryEscape(canary),
		)
		if pages++; strings.Contains(r.body, "<img src=x") || strings.Contains(r.body, "<script>alert") {
			if !strings.HasSuffix(route, ".csv") {
				t.Errorf("%s: a script got through", route)
			}
		}
		// a stream takes over the connection, which the recorder does not have
		if r.status >= 500 && !strings.HasSuffix(route, "/live") {
			t.Errorf("%s: %d", route, r.status)
		}
	}
	if pages < 20 {
		t.Errorf("only %d pages", pages)
	}
}
