package web

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/web/shell"
)

// Who may use a route, written out: o owner, d developer, s support, v viewer,
// - a user who belongs to no merchant.
var routeRoles = map[string]string{
	"GET /dashboard":                                   "odsv",
	"GET /dashboard/start":                             "o",
	"POST /dashboard/start":                            "o",
	"GET /dashboard/start/ready":                       "ods",
	"POST /dashboard/start/dollar":                     "ods",
	"POST /dashboard/steps":                            "ods",
	"GET /dashboard/find":                              "odsv",
	"GET /dashboard/live":                              "odsv",
	"GET /dashboard/now":                               "odsv",
	"GET /dashboard/payments/live":                     "odsv",
	"GET /dashboard/payments/now":                      "odsv",
	"GET /dashboard/attention/live":                    "odsv",
	"GET /dashboard/attention/now":                     "odsv",
	"POST /dashboard/attention":                        "o",
	"GET /dashboard/attention":                         "odsv",
	"GET /dashboard/payments/:txnid/live":              "odsv",
	"GET /dashboard/payments/:txnid/now":               "odsv",
	"POST /dashboard/payments/:txnid/resolve":          "os",
	"GET /dashboard/payments":                          "odsv",
	"GET /dashboard/payments.csv":                      "odsv",
	"GET /dashboard/payments/exports":                  "odsv",
	"GET /dashboard/payments/:txnid":                   "odsv",
	"POST /dashboard/payments/:txnid/cancel":           "os",
	"POST /dashboard/payments/:txnid/complete":         "o",
	"POST /dashboard/payments/:txnid/accept":           "o",
	"POST /dashboard/payments/:txnid/find":             "os",
	"POST /dashboard/payments/:txnid/refunds":          "o",
	"POST /dashboard/payments/:txnid/refunds/:id/:act": "o",
	"POST /dashboard/refunds/:network/ask":             "o",
	"POST /dashboard/refunds/:network/relay":           "o",
	"POST /dashboard/refunds/:network/safe":            "o",
	"GET /dashboard/create":                            "ods",
	"POST /dashboard/create":                           "ods",
	"GET /dashboard/create/:txnid":                     "ods",
	"GET /dashboard/links":                             "odsv",
	"POST /dashboard/links":                            "ods",
	"GET /dashboard/links/:link":                       "odsv",
	"POST /dashboard/links/:link/edit":                 "ods",
	"GET /dashboard/links/:link/sign":                  "odsv",
	"GET /dashboard/campaigns/:campaign/sign":          "odsv",
	"POST /dashboard/links/:link/pause":                "ods",
	"POST /dashboard/links/:link/resume":               "ods",
	"GET /dashboard/campaigns":                         "odsv",
	"POST /dashboard/campaigns":                        "od",
	"GET /dashboard/campaigns/:campaign":               "odsv",
	"GET /dashboard/campaigns/:campaign/edit":          "od",
	"POST /dashboard/campaigns/:campaign/edit":         "od",
	"POST /dashboard/campaigns/:campaign/pause":        "od",
	"POST /dashboard/campaigns/:campaign/resume":       "od",
	"POST /dashboard/campaigns/:campaign/end":          "od",
	"POST /dashboard/campaigns/:campaign/review":       "os",
	"GET /dashboard/keys":                              "odsv",
	"POST /dashboard/keys":                             "od",
	"POST /dashboard/keys/:key/label":                  "od",
	"POST /dashboard/keys/:key/rotate":                 "od",
	"POST /dashboard/keys/:key/revoke":                 "od",
	"POST /dashboard/keys/:key/permissions":            "o",
	"GET /dashboard/credits":                           "odsv",
	"POST /dashboard/credits":                          "o",
	"GET /dashboard/settings":                          "odsv",
	"GET /dashboard/settings/webhooks":                 "odsv",
	"POST /dashboard/settings/webhooks":                "o",
	"GET /dashboard/settings/payouts":                  "odsv",
	"POST /dashboard/settings/payouts":                 "o",
	"POST /dashboard/settings/payouts/options":         "o",
	"POST /dashboard/settings/payouts/lock":            "o",
	"POST /dashboard/settings/payouts/unlock":          "o",
	"POST /dashboard/changes/:change/stop":             "o",
	"GET /dashboard/settings/news":                     "odsv",
	"POST /dashboard/settings/news":                    "odsv",
	"POST /dashboard/settings/news/chat":               "o",
	"POST /dashboard/settings/webhooks/secret":         "o",
	"POST /dashboard/settings/webhooks/rotate":         "o",
	"POST /dashboard/settings/webhooks/retire":         "o",
	"GET /dashboard/settings/settlement":               "odsv",
	"POST /dashboard/settings/settlement":              "o",
	"POST /dashboard/settings/settlement/now":          "o",
	"GET /dashboard/settings/checkout":                 "odsv",
	"POST /dashboard/settings/checkout":                "od",
	"POST /dashboard/settings/checkout/logo":           "od",
	"POST /dashboard/settings/checkout/logo/remove":    "od",
	"GET /dashboard/settings/checkout/preview":         "odsv",
	"GET /dashboard/settings/checkout/contrast":        "odsv",
	"GET /dashboard/developers":                        "odsv",
	"GET /dashboard/webhooks":                          "odsv",
	"POST /dashboard/webhooks/ping":                    "ods",
	"POST /dashboard/webhooks/resend":                  "ods",
	"POST /dashboard/webhooks/stop":                    "ods",
	"GET /dashboard/webhooks/:id":                      "odsv",
	"POST /dashboard/webhooks/:id/resend":              "ods",

	"GET /dashboard/team":                                 "odsv",
	"POST /dashboard/team/invite":                         "o",
	"POST /dashboard/team/invitations/:invitation/resend": "o",
	"POST /dashboard/team/invitations/:invitation/revoke": "o",
	"POST /dashboard/team/members/:member/role":           "o",
	"POST /dashboard/team/members/:member/remove":         "o",
	"POST /dashboard/team/leave":                          "odsv-", // and last: see the test
	"GET /dashboard/join":                                 "odsv-", // the invitation decides
	"POST /dashboard/join":                                "odsv-",
	"POST /dashboard/merchant":                            "odsv-", // the membership decides

	"GET /dashboard/security":                           "odsv-",
	"POST /dashboard/security/email":                    "odsv-",
	"POST /dashboard/security/password":                 "odsv-",
	"POST /dashboard/security/language":                 "odsv-",
	"POST /dashboard/security/verify":                   "odsv-",
	"POST /dashboard/security/factor":                   "odsv-",
	"GET /dashboard/security/factor":                    "odsv-",
	"POST /dashboard/security/factor/confirm":           "odsv-",
	"POST /dashboard/security/factor/remove":            "odsv-",
	"POST /dashboard/security/sessions/:session/end":    "odsv-",
	"POST /dashboard/security/sessions/end":             "odsv-",
	"POST /dashboard/security/passkeys":                 "odsv-",
	"POST /dashboard/security/passkeys/ask":             "odsv-",
	"POST /dashboard/security/passkeys/:passkey/name":   "odsv-",
	"POST /dashboard/security/passkeys/:passkey/remove": "odsv-",
	"POST /dashboard/confirm":                           "odsv-",
}

var roleLetters = map[string]merchant.Role{
	"o": merchant.RoleOwner, "d": merchant.RoleDeveloper, "s": merchant.RoleSupport, "v": merchant.RoleViewer, "-": "",
}

// colleague makes a user in a role for the owner's merchant, and signs them in;
// the empty role means a member who was removed.
func (b dashboardBundle) colleague(owner identity.User, email string, role merchant.Role) (*surfer, identity.User) {
	b.t.Helper()
	ctx, joining := b.t.Context(), role
	if role == "" {
		joining = merchant.RoleOwner
	}
	_, token, err := b.accounts.InviteMember(ctx,
		merchant.Membership{User: owner, Merchant: owner, Role: merchant.RoleOwner}, email, joining, audit.Act{})
	must(b.t, err)
	u, _, err := b.accounts.JoinNew(ctx, token.Reveal(),
		identity.NewUser{Email: email, Password: secret.New(testPassword), FirstName: "Cole"}, audit.Act{})
	must(b.t, err)
	s := b.surfer()
	s.signIn(email)
	if role == "" {
		must(b.t, b.accounts.RemoveMember(ctx, owner, merchant.Member{User: u}, audit.Act{}))
	}
	return s, u
}

// Every route of the dashboard, from the router itself, lets exactly those
// roles through that the table lists; a route without a row fails.
func TestDashboard_Roles(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	owner := b.member(ownerEmail)
	m := b.shop(owner)
	p := b.newPayment(m)
	given, link := b.fundraiser(m)
	fill := strings.NewReplacer(":txnid", string(p.ID), ":key", m.key.PublicID, ":id", "1", ":session", "x",
		":campaign", given.Slug, ":link", link.Slug, ":network", "POLYGON", ":act", "cancel")
	var routes []string
	for _, method := range []string{"GET", "POST"} {
		for _, route := range b.accountRoutes(method) {
			if shell.InDashboard(route) && !strings.HasPrefix(route, operatorPath) {
				routes = append(routes, method+" "+route)
			}
		}
	}
	// A user who has left has no role.
	last := "POST " + teamPath + "/leave"
	routes = append(slices.DeleteFunc(routes, func(name string) bool { return name == last }), last)
	for name := range routeRoles {
		if !slices.Contains(routes, name) {
			t.Errorf("%s stands in the table, and is no route", name)
		}
	}
	for letter, role := range roleLetters {
		s, _ := b.colleague(owner, "cole-"+strings.ReplaceAll(letter, "-", "x")+"@shop.example", role)
		for _, name := range routes {
			letters, ok := routeRoles[name]
			if !ok {
				t.Errorf("%s is a route without a row in the table", name)
				continue
			}
			method, route, _ := strings.Cut(name, " ")
			r := s.do(method, fill.Replace(route), url.Values{"key": {m.key.PublicID}})
			refused := r.status == 403 && strings.Contains(r.body, "Not yours to do")
			if refused == strings.Contains(letters, letter) {
				t.Errorf("%s as %q: %d %s", name, role, r.status, plainText(r.body))
			}
		}
	}
}

// A developer sees where money goes, and may change nothing of it.
func TestDashboard_Roles_Wallets(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	owner := b.member(ownerEmail)
	m := b.shop(owner)
	dev, _ := b.colleague(owner, "dev@shop.example", merchant.RoleDeveloper)
	page := dev.get("/dashboard/settings/payouts")
	page.wants(t, 200, "Only an owner can change the wallets", merchantWallet)
	hooks := dev.get("/dashboard/settings/webhooks")
	hooks.wants(t, 200, "Only an owner can change the callback address", "https://shop.example/hook")
	if strings.Contains(page.body, "save-money") || strings.Contains(hooks.body, "rotate-signing") ||
		strings.Contains(hooks.body, "save-callback") {
		t.Error("a developer is offered to change where money goes")
	}
	dev.post("/dashboard/settings/webhooks", "key", m.key.PublicID, "callbackUrl", "https://shop.example/other",
		"password", testPassword).wants(t, 403, "As developer you may not", "an owner")
	form := []string{"key", m.key.PublicID, "name", "Nordlicht", "password", testPassword}
	for _, wallet := range []string{thief, "", merchantWallet} {
		dev.post(
			"/dashboard/settings/payouts", append(form, "wallet.BASE", wallet)...,
		).wants(t, 403, "As developer you may not",
			"an owner")
	}
	c, err := b.accounts.Custodian(t.Context(), m.key.ID)
	must(t, err)
	if c.CallbackURL != "https://shop.example/hook" || c.Wallets["BASE"] != merchantWallet {
		t.Errorf("a refused form changed the custodian to %+v", c)
	}
	if r := dev.get("/dashboard/security"); strings.Contains(r.body, ownerEmail+"</td>") ||
		strings.Count(r.body, "Signed in") != 1 {
		t.Error("a colleague reads when the owner signed in")
	}
}

// A viewer is shown no panel whose only content is a form that they may not send, and no way to a refused page.
func TestDashboard_Roles_NoEmptyPanel(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	owner := b.member(ownerEmail)
	m := b.shop(owner)
	p := b.newPayment(m)
	s := b.surfer()
	s.signIn(ownerEmail)
	viewer, _ := b.colleague(owner, "viewer@shop.example", merchant.RoleViewer)
	for page, offer := range map[string]string{
		"/dashboard/payments/" + string(p.ID): "Your customer says they have paid",
		"/dashboard/webhooks":                 "Send all failed webhooks again",
		"/dashboard/links":                    "For a single order, create a payment instead.",
		"/dashboard/settings/checkout":        `<h2 id="logo">`,
	} {
		s.get(page).wants(t, 200, offer)
		if r := viewer.get(page); r.status != 200 || strings.Contains(r.body, offer) {
			t.Errorf("%s offers a viewer %q", page, offer)
		}
	}
	for _, f := range postForms(t, viewer.get("/dashboard/settings/checkout").body) {
		if len(f.typed) > 0 {
			t.Errorf("a viewer types into the form of %s, which is refused to them", f.action)
		}
	}
}

// The operations of GraphQL check the same roles.
func TestGraphQL_Roles(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	owner := b.member(ownerEmail)
	m := b.shop(owner)
	operations := [][2]string{
		{"{ UserMe { code } }", "odsv-"},
		{"{ UserApiKeys { code apiKeys { id } } }", "odsv"},
		{`mutation { UserCreateApiKey(label: "x") { code } }`, "od"},
		{`mutation { UserCreateCreditTopup(apiKeyId: "` + m.key.PublicID + `", credits: 20) { code } }`, "o"},
		{`mutation { UserStartCreditTopup(txnid: "01HZZZZZZZZZZZZZZZZZZZZZZZ", network: BASE, token: USDC) { code } }`, "o"},
		{"mutation { UserLogout { code } }", "odsv-"},
	}
	for letter, role := range roleLetters {
		email := "cole-" + strings.ReplaceAll(letter, "-", "x") + "@shop.example"
		b.colleague(owner, email, role)
		in, err := b.accounts.SignIn(t.Context(),
			identity.Credentials{Email: email, Password: secret.New(testPassword)})
		must(t, err)
		for _, op := range operations {
			text, letters := op[0], op[1]
			got := b.graphQL(text, "", "Authorization", "Bearer "+in.Token.Reveal())
			if refused := strings.Contains(got.body, `"code":403`); refused == strings.Contains(letters, letter) || strings.Contains(got.body, `"code":401`) {
				t.Errorf("%s as %q: %s", text, role, got.body)
			}
			if strings.Contains(text, "UserApiKeys") && strings.Contains(letters, letter) &&
				!strings.Contains(got.body, m.key.PublicID) {
				t.Errorf("%s as %q lists %s", text, role, got.body)
			}
		}
	}
}
