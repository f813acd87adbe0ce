package web

import (
	"net/url"
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/campaign"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/web/shell"
)

// thief is a wallet that no money of a merchant may ever go to.
const thief = "0x52908400098527886E0F7030069857D2E4169EE7"

// directed is a merchant with everything that receives money, and attacks on it.
type directed struct {
	dashboardBundle

	t     *testing.T
	m     seller
	given campaign.Campaign
	link  campaign.Link
}

func newDirected(t *testing.T) directed {
	t.Helper()
	return newDashboard(t).directed()
}

func (b dashboardBundle) directed() directed {
	b.t.Helper()
	m := b.shop(b.member(ownerEmail))
	given, link := b.fundraiser(m)
	return directed{b, b.t, m, given, link}
}

// holds fails unless a fresh payment, donation and use of a link settle to the
// merchant's wallet, and webhooks go where they did.
func (d directed) holds(after string) {
	d.t.Helper()
	ctx, choice := d.t.Context(), payment.Choice{Network: chain.Polygon, Token: "USDC"}
	p, err := d.payments.Create(ctx, payment.CreateInput{KeyID: d.m.key.ID, Amount: "10"}, audit.Act{})
	must(d.t, err)
	c, _, err := d.campaigns.Get(ctx, d.given.Slug)
	must(d.t, err)
	l, err := d.campaigns.Link(ctx, d.link.Slug)
	must(d.t, err)
	if c.KeyID != d.m.key.ID || l.KeyID != d.m.key.ID {
		d.t.Errorf("%s: the campaign belongs to key %d and the link to %d, want %d", after, c.KeyID, l.KeyID, d.m.key.ID)
	}
	for _, key := range []int64{p.KeyID, c.KeyID, l.KeyID} {
		x, err := d.payments.Create(ctx, payment.CreateInput{KeyID: key, Amount: "10"}, audit.Act{})
		must(d.t, err)
		x, err = d.payments.Start(ctx, string(x.ID), choice, audit.Act{})
		if err != nil {
			d.t.Errorf("%s: %v", after, err)
			continue
		}
		if got := x.Routes[0].Settlement; got != merchantWallet {
			d.t.Errorf("%s: a payment settles to %s, want %s", after, got, merchantWallet)
		}
		_, err = d.payments.Cancel(ctx, string(x.ID), audit.Act{})
		must(d.t, err)
	}
	custodian, err := d.accounts.Custodian(ctx, d.m.key.ID)
	must(d.t, err)
	if custodian.CallbackURL != "https://shop.example/hook" || !custodian.Secret.Empty() ||
		len(custodian.SigningSecrets) != 1 {
		d.t.Errorf("%s: webhooks go to %s, with %d signing secrets", after, custodian.CallbackURL,
			len(custodian.SigningSecrets))
	}
}

// newKey makes a key on the page and returns its text.
func (s *surfer) newKey(pairs ...string) string {
	s.b.t.Helper()
	r := s.post(keysPath, append([]string{"label", "Mine"}, pairs...)...)
	r.wants(s.b.t, 200, `data-testid="fresh-key"`)
	_, rest, _ := strings.Cut(r.body, `data-testid="fresh-key">`)
	text, _, _ := strings.Cut(rest, "<")
	return text
}

// code runs a mutation and returns its code and message.
func (d directed) code(call string) string {
	d.t.Helper()
	name, _, _ := strings.Cut(call, "(")
	r := d.graphQL("mutation { "+call+" { code message } }", "")
	return r.text(d.t, "data."+name+".code") + " " + r.text(d.t, "data."+name+".message")
}

func (d directed) refused(what, answer string, texts ...string) {
	d.t.Helper()
	for _, text := range append([]string{"403"}, texts...) {
		if !strings.Contains(answer, text) {
			d.t.Errorf("%s answers %q, want %q", what, answer, text)
		}
	}
}

// A stolen session of an owner, without the password, redirects nothing.
func TestDirection_StolenSession(t *testing.T) {
	t.Parallel()
	d := newDirected(t)
	s := d.surfer()
	s.signIn(ownerEmail)
	text := s.newKey()
	d.refused("a second custodian with the new key", d.code(
		`createCustodianAccount(input: {apiKey: "`+text+`", wallets: {polygon: "`+thief+`"}})`), "custodian")
	d.holds("a custodian for a fresh key")
	var mine merchant.Key
	keys, err := d.accounts.Keys(t.Context(), d.m.key.UserID)
	must(t, err)
	for _, k := range keys {
		if k.ID != d.m.key.ID {
			mine = k
		}
	}
	edit := campaignsPath + "/" + d.given.Slug + "/edit"
	s.post(edit, "key", mine.PublicID, "title", "Winter shelter").wants(t, 403, "problem-password")
	s.post(edit, "key", mine.PublicID, "title", "Winter shelter", "password", "wrong password").wants(t, 403,
		"problem-password")
	d.holds("another key for the campaign")
	t.Run("Session token", func(t *testing.T) {
		d.t = t
		in := d.graphQL(`mutation { UserLogin(email: "`+ownerEmail+`", password: "`+testPassword+`") { token } }`, "")
		made := d.graphQL(`mutation { UserCreateApiKey { code apiKey { key } } }`, "", "Authorization",
			"Bearer "+in.text(t, "data.UserLogin.token"))
		d.refused("a custodian for a key of the API", d.code(
			`createCustodianAccount(input: {apiKey: "`+made.text(t, "data.UserCreateApiKey.apiKey.key")+
				`", wallets: {polygon: "`+thief+`"}})`), "custodian")
	})
	t.Run("Re-authenticated", func(t *testing.T) {
		d.t = t
		s.post(edit, "key", mine.PublicID, "title", "Winter shelter", "password", testPassword).leads(t,
			campaignsPath+"/"+d.given.Slug)
		mail := strings.Join(d.mailed(3), "\n") // two new keys, and the campaign
		for _, want := range []string{"Shop of " + ownerEmail + " → Mine", "Polygon: " + merchantWallet + " → none"} {
			if !strings.Contains(mail, want) {
				t.Errorf("the mail lacks %q: %s", want, mail)
			}
		}
		s.get(securityPath).wants(t, 200, "Shop of "+ownerEmail+" → Mine", merchantWallet+" → none")
	})
}

// A developer, with a password, redirects nothing and completes nothing, neither in
// the dashboard nor over the API with a key they made or rotated.
func TestDirection_Developer(t *testing.T) {
	t.Parallel()
	d := newDirected(t)
	owner, err := d.accounts.UserByEmail(t.Context(), ownerEmail)
	must(t, err)
	dev, _ := d.colleague(owner, "dev@shop.example", merchant.RoleDeveloper)
	key := d.m.key.PublicID
	for path, form := range map[string][]string{
		"/dashboard/settings/payouts":         {"name", "x", "wallet.POLYGON", thief},
		"/dashboard/settings/webhooks":        {"callbackUrl", "https://evil.example/hook"},
		"/dashboard/settings/webhooks/secret": {"secret", "known"},
		"/dashboard/settings/webhooks/rotate": nil,
		"/dashboard/settings/webhooks/retire": nil,
		"/dashboard/settings/payouts/options": {"short", "10"},
		keysPath + "/" + key + "/permissions": {"chosen", "yes", "permission", "custodian"},
	} {
		r := dev.post(path, append(form, "key", key, "password", testPassword)...)
		r.wants(t, 403, "Not yours to do", "You can ask "+ownerEmail)
	}
	d.holds("a developer's forms")
	made := dev.newKey("password", testPassword)
	dev.post(keysPath+"/"+key+"/rotate", "password", testPassword).wants(t, 200, "fresh-key")
	rotated := dev.fresh(dev.post(keysPath+"/"+key+"/rotate", "password", testPassword))
	p := d.newPayment(d.m)
	for name, text := range map[string]string{"made": made, "rotated": rotated} {
		d.refused(name, d.code(`updateCustodianDetails(input: {apiKey: "`+text+`", wallets: {polygon: "`+thief+`"}})`),
			`"custodian"`)
		d.refused(name, d.code(`createCustodianAccount(input: {apiKey: "`+text+`", wallets: {polygon: "`+thief+`"}})`),
			`"custodian"`)
		d.refused(name, d.code(`manualMarkAsCompleted(apiKey: "`+text+`", txnid: "`+string(p.ID)+`")`), `"complete"`)
	}
	r := d.ask("POST", "/cancel-payment", `{"txnid":"`+string(p.ID)+`"}`, "x-api-key", rotated)
	if r.status != 403 || !strings.Contains(r.body, "cancel") {
		t.Errorf("cancel with a developer's key: %d %s", r.status, r.body)
	}
	if r := d.ask("POST", "/create-payment", `{"amount":5}`, "x-api-key", rotated); r.status != 200 {
		t.Errorf("a developer's key creates no payment: %d %s", r.status, r.body)
	}
	d.holds("a developer's keys")
}

// fresh returns the text of the key that the page shows once.
func (s *surfer) fresh(r reply) string {
	_, rest, _ := strings.Cut(r.body, `data-testid="fresh-key">`)
	text, _, _ := strings.Cut(rest, "<")
	return text
}

// Every form of the dashboard, read from the router, posted by every role without
// re-authentication, and by every other role than the owner with it: none of them
// changes where money goes.
func TestDirection_EveryForm(t *testing.T) {
	t.Parallel()
	for letter, role := range roleLetters {
		t.Run(letter, func(t *testing.T) {
			t.Parallel()
			d := newDirected(t)
			d.t = t
			owner, err := d.accounts.UserByEmail(t.Context(), ownerEmail)
			must(t, err)
			_, evil, err := d.accounts.CreateKey(t.Context(), owner, merchant.NewKey{Label: "Other", Credits: 9},
				audit.Act{})
			must(t, err)
			other, err := d.accounts.Authenticate(t.Context(), evil.Reveal())
			must(t, err)
			s, _ := d.colleague(owner, "cole@shop.example", role)
			d.postAll(s, role, other)
			d.holds("every form of " + letter)
		})
	}
}

// postAll posts every form with all fields that could redirect money. It leaves out
// those that only end something of the merchant's.
func (d directed) postAll(s *surfer, role merchant.Role, other merchant.Key) {
	d.t.Helper()
	form := url.Values{
		"wallet.BEP20": {thief}, "wallet.POLYGON": {thief}, "wallet.BASE": {thief}, "wallet": {thief}, "name": {"x"},
		"callbackUrl": {"https://evil.example/hook"}, "secret": {"known"}, "title": {"x"}, "role": {"owner"},
		"email": {"thief@evil.example"}, "chosen": {"yes"}, "permission": {"custodian"}, "label": {"x"},
	}
	for _, route := range d.accountRoutes("POST") {
		if !shell.InDashboard(route) || strings.HasPrefix(route, operatorPath) || ends(route) {
			continue
		}
		for _, key := range []merchant.Key{d.m.key, other} {
			form.Set("key", key.PublicID)
			path := strings.NewReplacer(":key", d.m.key.PublicID, ":campaign", d.given.Slug, ":link", d.link.Slug,
				":id", "1").Replace(route)
			form.Del("password")
			s.do("POST", path, form)
			if role != merchant.RoleOwner {
				form.Set("password", testPassword)
				s.do("POST", path, form)
			}
		}
	}
}

// ends reports whether the form ends or pauses something, so that it cannot receive
// money any more, or ends the session that the test posts with.
func ends(route string) bool {
	for _, end := range []string{
		"/revoke", "/end", "/pause", "/leave", "/remove", "/signout", "/security/password", "/merchant",
	} {
		if strings.HasSuffix(route, end) {
			return true
		}
	}
	return false
}
