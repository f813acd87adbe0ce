package web

import (
	"net/url"
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/merchant"
)

// badForm is a form with one wrong input.
type badForm struct {
	path  string
	form  url.Values
	input string // id of the wrong input, without its f-
	kept  string // the value that the page must keep
}

// badForms are forms of the merchant m and their colleague dev, one for each input that can be wrong.
func badForms(m seller, dev identity.User) []badForm {
	long := strings.Repeat("x", 257)
	return []badForm{
		{"/dashboard/keys", url.Values{"label": {"Web"}, "wallet": {"0x12"}}, "wallet", `value="0x12"`},
		{"/dashboard/keys/" + m.key.PublicID + "/label", url.Values{"label": {long}}, m.key.PublicID + "-label", `value="` + long + `"`},
		{
			"/dashboard/keys/" + m.key.PublicID + "/rotate",
			url.Values{"password": {"wrong password"}},
			"dashboard-keys-" + m.key.PublicID + "-rotate-password", "",
		},
		{
			"/dashboard/keys/" + m.key.PublicID + "/revoke",
			url.Values{"password": {"wrong password"}},
			"dashboard-keys-" + m.key.PublicID + "-revoke-password", "",
		},
		{"/dashboard/team/invite", url.Values{"email": {"no address"}, "role": {"support"}, "password": {testPassword}}, "email", `value="no address"`},
		{"/dashboard/team/invite", url.Values{"email": {"a@shop.example"}, "role": {"support"}, "password": {"wrong password"}}, "password", `value="a@shop.example"`},
		{
			"/dashboard/team/members/" + dev.PublicID + "/role",
			url.Values{"role": {"support"}, "password": {"wrong password"}},
			"dashboard-team-members-" + dev.PublicID + "-role-password",
			`<option value="support" selected>`,
		},
		{
			"/dashboard/team/members/" + dev.PublicID + "/remove",
			url.Values{"password": {"wrong password"}},
			"dashboard-team-members-" + dev.PublicID + "-remove-password", "",
		},
		{"/dashboard/settings/payouts", url.Values{"name": {"Nord"}, "wallet.BASE": {"0x12"}, "password": {testPassword}}, "wallet.BASE", `value="0x12"`},
		{"/dashboard/settings/webhooks", url.Values{"callbackUrl": {"ftp://shop"}, "password": {testPassword}}, "callbackUrl", `value="ftp://shop"`},
		{"/dashboard/settings/webhooks/secret", url.Values{"secret": {long}, "password": {testPassword}}, "secret", `value="` + long + `"`},
		{"/dashboard/settings/webhooks/secret", url.Values{"secret": {"kept"}, "password": {"wrong password"}}, "dashboard-settings-webhooks-secret-password", `value="kept"`},
		{
			"/dashboard/settings/webhooks/rotate",
			url.Values{"password": {"wrong password"}},
			"dashboard-settings-webhooks-rotate-password", "",
		},
		{"/dashboard/settings/payouts/options", url.Values{"short": {"11"}, "late": {"7"}, "password": {testPassword}}, "short", `value="11"`},
		{"/dashboard/settings/checkout", url.Values{"name": {"Nord"}, "primaryColor": {"red;}"}}, "primaryColor", `value="red;}"`},
		{"/dashboard/credits", url.Values{"credits": {"19"}}, "credits", `value="19"`},
		{"/dashboard/create", url.Values{"amount": {"1.2345678"}, "reference": {"A-1"}}, "amount", `value="A-1"`},
		{"/dashboard/create", url.Values{"amount": {"5"}, "successUrl": {"javascript:alert(1)"}}, "successUrl", `value="javascript:alert(1)"`},
		{"/dashboard/links", url.Values{"slug": {"NO!"}, "amount": {"5"}}, "slug", `value="NO!"`},
		{"/dashboard/campaigns", url.Values{"title": {" "}, "goal": {"250"}}, "title", `value="250"`},
		{"/dashboard/campaigns", url.Values{"title": {"Roof"}, "goal": {"-1"}}, "goal", `value="-1"`},
		{"/dashboard/webhooks/resend", url.Values{"since": {"yesterday"}}, "since", `value="yesterday"`},
	}
}

// A page with several forms shows the problem beside the wrong input of the form that was sent, keeps the values of
// that form, and leaves the others unchanged.
func TestDashboard_ProblemBesideItsInput(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	owner := b.member(ownerEmail)
	m := b.shop(owner)
	_, dev := b.colleague(owner, "dev@shop.example", merchant.RoleDeveloper)
	s := b.surfer()
	s.signIn(ownerEmail)
	for _, x := range badForms(m, dev) {
		t.Run(strings.TrimPrefix(x.path, "/dashboard/")+" "+x.input, func(t *testing.T) {
			x.form.Set("key", m.key.PublicID)
			r := s.do("POST", x.path, x.form)
			if r.status < 400 || r.status >= 500 {
				t.Errorf("status %d", r.status)
			}
			if n := strings.Count(r.body, ` id="problem-`); n != 1 {
				t.Errorf("%d inputs have a problem: %s", n, plainText(r.body))
			}
			for _, want := range []string{
				`id="problem-` + x.input + `"`, `problem-` + x.input + `" aria-invalid="true" autofocus`, x.kept,
			} {
				if !strings.Contains(r.body, want) {
					t.Errorf("the page lacks %q", want)
				}
			}
		})
	}
}
