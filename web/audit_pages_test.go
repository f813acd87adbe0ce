package web

import (
	"image/color"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/campaign"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/passkey"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/store"
	"github.com/florinpay/florin/internal/store/storetest"
	"github.com/florinpay/florin/internal/testkit"
	"github.com/florinpay/florin/internal/webhook"
)

// auditedDashboard is a dashboard whose audit log refuses separate
// entries: only those written in the transaction of an act are kept.
func auditedDashboard(t *testing.T) dashboardBundle {
	t.Helper()
	return newDashboard(t, func(d *Deps, o *Options) {
		st := d.Store.(*store.Store)
		party, _ := passkey.New(testBaseURL)
		accounts := newServices(st.Identity(), oneLog{st.Merchant()}, d.Now,
			identity.Options{RelyingParty: party}, merchant.Options{
				CheckCallback: func(u string) error { return webhook.CheckURL(u, true) },
			})
		d.Users, d.Merchants, d.Dashboard.Invite = accounts.users, accounts.merchants, true
		d.Dashboard.Ledger = ledger.NewChecker(st, d.Now, d.Log)
		o.SignUp = false
	})
}

// Every act on the pages writes its audit entry in its own transaction, and a
// refused one writes none. Every form of the router is sent here or listed in
// withoutEntry.
func TestPagesWriteAuditEntries(t *testing.T) {
	t.Parallel()
	b := auditedDashboard(t)
	root, err := b.accounts.CreateUser(t.Context(),
		identity.NewUser{Email: rootEmail, Password: secret.New(testPassword), Operator: true}, audit.Act{})
	must(t, err)
	d := &diary{b: b, of: []int64{root.ID}, routes: make(map[string]bool)}
	rs := b.surfer()
	d.leaves("/signin", rs.post("/signin", "email", " Root@Shop.example ", "password", testPassword),
		rootEmail+" signed in: |")

	invited := d.leaves("/operator/invite", rs.post("/operator/invite", "email", "Ada@shop.example"),
		rootEmail+" invited somebody: ada@shop.example|")
	token := regexp.MustCompile(`invite=(fli_\w+)`).FindStringSubmatch(invited.body)[1]
	s := b.surfer()
	s.post("/signup", "email", "else@shop.example", "password", testPassword, "invite", token).wants(t, 403)
	s.post("/signup", "email", ownerEmail, "password", "short", "invite", token).wants(t, 400)
	signedUp := s.post("/signup", "email", " ADA@shop.example", "password", testPassword, "invite", token)
	ada, err := (storetest.People{Store: b.store.Identity()}).UserByEmail(t.Context(), ownerEmail)
	must(t, err)
	d.of = append(d.of, ada.ID)
	d.leaves("/signup", signedUp, ownerEmail+" signed up: |", ownerEmail+" signed in: |",
		ownerEmail+" created an API key: Main key|")

	d.shop(s, ada)
	d.wishes(s)
	d.firstDay()
	d.team(s, ada)
	d.entry(s, ada)
	d.operator(rs, ada)

	d.leaves("/signin", s.post("/signin", "email", ownerEmail, "password", testPassword), ownerEmail+" signed in: |")
	if r := s.get("/dashboard/payments.csv"); r.status != 500 || strings.Contains(r.body, "txnid") {
		t.Errorf("payments were exported without an audit entry: %d %s", r.status, r.start())
	}
	if entries := d.news(); len(entries) > 0 {
		t.Errorf("refused requests left %q", entries)
	}
	d.inGerman(s, ada.ID)
	for _, route := range b.accountRoutes("POST") {
		if d.routes[route] == (withoutEntry[route] != "") {
			t.Errorf("%s: is it sent here, or does it write no entry?", route)
		}
	}
}

// shop sets a key and its custodian up.
func (d *diary) shop(s *surfer, ada identity.User) {
	t, b, me := d.b.t, d.b, ownerEmail+" "
	t.Helper()
	d.leaves("/dashboard/keys", s.post("/dashboard/keys", "label", " Shop ", "wallet", ""),
		me+"created an API key: Shop|")
	keys, err := storetest.Accounts{Store: b.store.Merchant()}.Keys(t.Context(), ada.ID)
	must(t, err)
	key := keys[0].PublicID // that of the sign-up
	d.leaves("/dashboard/keys/:key/label", s.post("/dashboard/keys/"+key+"/label", "label", "Till"),
		me+"renamed an API key: Main key|Till")
	d.refused(s.post("/dashboard/keys/"+key+"/rotate", "password", "wrong password"), me+notConfirmed)
	d.leaves("/dashboard/keys/:key/rotate", s.post("/dashboard/keys/"+key+"/rotate", "password", testPassword),
		me+"rotated an API key: Till|")
	d.leaves("/dashboard/keys/:key/permissions", s.post("/dashboard/keys/"+key+"/permissions", "chosen", "yes",
		"permission", "create", "permission", "custodian", "networks", "203.0.113.7/24", "password", testPassword),
		me+"changed what an API key may do: Till|what it may do: create and start payments, read payments, events and "+
			"balances, cancel payments, mark payments as completed, change wallets and settings, request and cancel refunds"+
			" → create and start payments, change wallets and settings\nfrom where: everywhere → 203.0.113.0/24")
	d.leaves("/dashboard/keys/:key/permissions", s.post("/dashboard/keys/"+key+"/permissions", "networks", "",
		"chosen", "yes", "permission", "create", "permission", "read", "permission", "cancel", "permission", "complete",
		"permission", "custodian", "password", testPassword),
		me+"changed what an API key may do: Till|what it may do: create and start payments, change wallets and settings → "+
			"create and start payments, read payments, events and balances, cancel payments, mark payments as completed, "+
			"change wallets and settings\nfrom where: 203.0.113.0/24 → everywhere")
	d.leaves("/dashboard/keys", s.post("/dashboard/keys", "label", "Old", "wallet", ""), me+"created an API key: Old|")
	keys, err = storetest.Accounts{Store: b.store.Merchant()}.Keys(t.Context(), ada.ID)
	must(t, err)
	old := keys[slices.IndexFunc(keys, func(k merchant.Key) bool { return k.Label == "Old" })].PublicID
	d.leaves("/dashboard/keys/:key/revoke", s.post("/dashboard/keys/"+old+"/revoke", "password", testPassword),
		me+"revoked an API key: Old|")

	destinations := []string{"key", key, "name", "Nordlicht", "wallet.BASE", merchantWallet, "password", testPassword}
	d.leaves("/dashboard/settings/payouts", s.post("/dashboard/settings/payouts", destinations...),
		me+"changed settlement wallets: Till|Base: none → "+merchantWallet,
		me+"changed the custodian: Till|name: none → Nordlicht")
	d.leaves("/dashboard/settings/payouts", s.post("/dashboard/settings/payouts", destinations...))
	d.leaves("/dashboard/settings/webhooks",
		s.post("/dashboard/settings/webhooks", "key", key, "callbackUrl", "https://shop.example/hook"),
		me+"changed the callback address: Till|callback: none → https://shop.example/hook")
	d.leaves("/dashboard/settings/payouts/options",
		s.post("/dashboard/settings/payouts/options", "key", key, "short", "1.5", "late", "0", "BASE.enabled", "yes",
			"BASE.USDT", "yes", "BASE.USDC", "yes",
			"BEP20.enabled", "yes", "BEP20.USDT", "yes", "BEP20.USDC", "yes", "POLYGON.enabled", "yes", "POLYGON.USDT",
			"yes", "POLYGON.USDC", "yes", "password", testPassword),
		me+"changed the custodian: Till|accepted short by: 0 % → 1.5 %")
	d.leaves("/dashboard/settings/webhooks/secret", s.post("/dashboard/settings/webhooks/secret", "key", key, "secret", "s3cret", "password", testPassword), me+"changed the custodian: Till|shared secret: it was set")
	d.leaves("/dashboard/settings/webhooks/rotate",
		s.post("/dashboard/settings/webhooks/rotate", "key", key, "password", testPassword),
		me+"rotated the signing secret: Till|")
	d.leaves("/dashboard/settings/webhooks/retire", s.post("/dashboard/settings/webhooks/retire", "key", key, "password", testPassword), me+"rotated the signing secret: Till|the old one was retired")
	d.leaves("/dashboard/settings/settlement", s.post(
		"/dashboard/settings/settlement", "key", key, "atOnce", "2000", "hours", "72",
	),
		me+"changed when money is settled: Till|when $2000.00 wait, or after 72 hours")
	d.leaves("/dashboard/settings/settlement/now", s.post("/dashboard/settings/settlement/now", "key", key),
		me+"asked for money to be settled: Till|")
	s.post("/dashboard/settings/checkout", "key", key, "password", testPassword, "name", "Nordlicht", "primaryColor",
		"red")
	d.leaves("/dashboard/settings/checkout",
		s.post("/dashboard/settings/checkout", "key", key, "name", "Nordlicht", "tagline", "Coffee"),
		me+"changed the branding: Till|")
	d.leaves("/dashboard/settings/checkout/logo", s.upload(logoUpload, key, "image/png", pictureOf(t, 64, color.Black)), me+"changed the branding: Till|uploaded a logo")
	d.leaves("/dashboard/settings/checkout/logo/remove", s.post("/dashboard/settings/checkout/logo/remove", "key", key), me+"changed the branding: Till|removed the logo")

	d.sell(s, key)
}

// firstDay sets up the shop of a merchant who has signed up.
func (d *diary) firstDay() {
	t, b := d.b.t, d.b
	t.Helper()
	u := b.member("eve@shop.example")
	d.of = append(d.of, u.ID)
	eve, me := b.surfer(), u.Email+" "
	d.leaves("/signin", eve.post("/signin", "email", u.Email, "password", testPassword), me+"signed in: |")
	form := []string{"name", "Bakery", "evm", merchantWallet, "password", testPassword}
	d.leaves("/dashboard/start", eve.post("/dashboard/start", form...), me+"created an API key: Main key|",
		me+"changed settlement wallets: Main key|BNB Smart Chain (BEP20): none → "+merchantWallet+"\nPolygon: none → "+
			merchantWallet+"\nBase: none → "+merchantWallet, me+"changed the custodian: Main key|name: none → Bakery",
		me+"created a payment link: bakery|Payment to Bakery")
	d.leaves("/dashboard/start", eve.post("/dashboard/start", form...))
	made := eve.post("/dashboard/start/dollar")
	d.leaves("/dashboard/start/dollar", made, me+"created a payment: "+
		strings.TrimPrefix(made.header.Get("Location"), "/dashboard/create/")+"|$1.00")
	d.of = d.of[:len(d.of)-1]
}

// sell takes money and sends webhooks.
func (d *diary) sell(s *surfer, key string) {
	t, b, me := d.b.t, d.b, ownerEmail+" "
	t.Helper()
	d.leaves("/dashboard/credits", s.post("/dashboard/credits", "key", key, "credits", "200"), me+"bought credits: Till|200 credits for $10.00")
	s.post("/dashboard/create", "key", key, "amount", "0").wants(t, 400)
	pay := func() string {
		made := s.post("/dashboard/create", "key", key, "amount", "49.9")
		id := strings.TrimPrefix(made.header.Get("Location"), "/dashboard/create/")
		d.leaves("/dashboard/create", made, me+"created a payment: "+id+"|$49.90")
		return id
	}
	cancelled, done, accepted := pay(), pay(), pay()
	d.leaves("/dashboard/payments/:txnid/cancel", s.post("/dashboard/payments/"+cancelled+"/cancel"),
		me+"cancelled a payment: "+cancelled+"|")
	s.post("/dashboard/payments/"+cancelled+"/cancel").wants(t, 409)
	d.leaves("/dashboard/payments/:txnid/complete",
		s.post("/dashboard/payments/"+done+"/complete", "reason", "paid in cash", "password", testPassword),
		me+"marked a payment as completed: "+done+"|paid in cash")
	s.post("/dashboard/payments/"+accepted+"/accept", "password", testPassword).wants(t, 409)
	b.short(accepted, 40)
	d.leaves("/dashboard/payments/:txnid/accept",
		s.post("/dashboard/payments/"+accepted+"/accept", "password", testPassword),
		me+"accepted short or late money: "+accepted+"|$40.00 of $49.90")
	s.post("/dashboard/payments/"+done+"/resolve", "note", "sent back").wants(t, 409)
	over := pay()
	b.short(over, 60)
	d.leaves("/dashboard/payments/:txnid/resolve", s.post("/dashboard/payments/"+over+"/resolve", "note", "sent back"),
		me+"settled what needed attention: "+over+"|sent back")

	more := pay()
	b.short(more, 60)
	d.leaves("/dashboard/attention", s.post("/dashboard/attention", "txnid", more),
		me+"settled what needed attention: "+more+"|")
	d.refund(s, over)
	d.leaves("/dashboard/links",
		s.post("/dashboard/links", "key", key, "password", testPassword, "slug", "bag", "description", "One bag",
			"amount", "12.50"),
		me+"created a payment link: bag|One bag")
	d.leaves("/dashboard/links/:link/edit", s.post("/dashboard/links/bag/edit", "description", "Two bags",
		"amount", "9", "reference", "bag", "password", testPassword), me+"changed a payment link: bag|Two bags")
	d.leaves("/dashboard/links/:link/pause", s.post("/dashboard/links/bag/pause"), me+"paused a payment link: bag|")
	d.leaves("/dashboard/links/:link/resume", s.post("/dashboard/links/bag/resume"), me+"resumed a payment link: bag|")
	d.leaves("/dashboard/campaigns", s.post("/dashboard/campaigns", "key", key, "title", "A well", "slug", "well"),
		me+"created a campaign: well|A well")
	d.leaves("/dashboard/campaigns/:campaign/edit",
		s.post("/dashboard/campaigns/well/edit", "key", key, "title", "Two wells"),
		me+"changed a campaign: well|title: A well → Two wells\nTwo wells")
	d.leaves("/dashboard/campaigns/:campaign/pause", s.post("/dashboard/campaigns/well/pause"),
		me+"paused a campaign: well|Two wells")
	d.leaves("/dashboard/campaigns/:campaign/resume", s.post("/dashboard/campaigns/well/resume"),
		me+"resumed a campaign: well|Two wells")
	gift := b.given("well")
	d.leaves("/dashboard/campaigns/:campaign/review", s.post("/dashboard/campaigns/well/review", "review", "APPROVED", "donation", gift), me+"reviewed what donors wrote: well|approved donation "+gift)
	d.leaves("/dashboard/campaigns/:campaign/end", s.post("/dashboard/campaigns/well/end"),
		me+"ended a campaign: well|Two wells")

	d.leaves("/dashboard/webhooks/:id/resend", s.post("/dashboard/webhooks/1/resend"),
		me+"sent webhooks again: webhook 1|")
	today := b.clock.Now().Format(time.DateOnly)
	d.leaves("/dashboard/webhooks/resend", s.post("/dashboard/webhooks/resend", "key", key, "since", today))
	n := b.failAll()
	d.leaves("/dashboard/webhooks/resend", s.post("/dashboard/webhooks/resend", "key", key, "since", today),
		me+"sent webhooks again: Till|failed since "+today+": "+n)
	d.leaves("/dashboard/webhooks/stop", s.post("/dashboard/webhooks/stop", "key", key)) // none waits for an address
}

// team invites, changes and removes members.
func (d *diary) team(s *surfer, ada identity.User) {
	t, b, me := d.b.t, d.b, ownerEmail+" "
	t.Helper()
	invite := func(email, role string) string {
		r := s.post("/dashboard/team/invite", "email", email, "role", role, "password", testPassword)
		d.leaves("/dashboard/team/invite", r, me+"invited a member: "+email+"|as "+role)
		return strings.TrimPrefix(s.linkOf(email, r), "/join?token=")
	}
	path := func(email, act string) string {
		list, err := b.accounts.Invitations(t.Context(), ada)
		must(t, err)
		for _, n := range list {
			if n.Email == email {
				return "/dashboard/team/invitations/" + n.ID + "/" + act
			}
		}
		t.Fatalf("%s is not invited", email)
		return ""
	}
	invite("gone@shop.example", "viewer")
	d.leaves("/dashboard/team/invitations/:invitation/resend", s.post(path("gone@shop.example", "resend"), "password", testPassword), me+"invited a member: gone@shop.example|a new link")
	d.leaves("/dashboard/team/invitations/:invitation/revoke", s.post(path("gone@shop.example", "revoke")), me+"took an invitation back: gone@shop.example|")

	token := invite("dev@shop.example", "developer")
	dev := b.surfer()
	joined := dev.post("/join", "token", token, "password", testPassword)
	u, err := (storetest.People{Store: b.store.Identity()}).UserByEmail(t.Context(), "dev@shop.example")
	must(t, err)
	d.of = append(d.of, u.ID)
	d.leaves("/join", joined, "dev@shop.example signed up: |", "dev@shop.example joined the team: |as developer", "dev@shop.example signed in: |")
	member := "/dashboard/team/members/" + u.PublicID
	d.leaves("/dashboard/team/members/:member/role", s.post(member+"/role", "role", "viewer", "password", testPassword), me+"changed a member's role: dev@shop.example|developer → viewer")
	d.leaves("/dashboard/team/leave", dev.post("/dashboard/team/leave"), "dev@shop.example left the team: |")
	token = invite("dev@shop.example", "support")
	d.leaves("/dashboard/join", dev.post("/dashboard/join", "token", token), "dev@shop.example joined the team: |as support")
	d.leaves("/dashboard/team/members/:member/remove", s.post(member+"/remove", "password", testPassword), me+"removed a member: dev@shop.example|was support")
	s.post("/dashboard/team/members/"+ada.PublicID+"/remove", "password", testPassword).wants(t, 409)
	d.leaves("/signout", dev.post("/signout"), "dev@shop.example signed out: |")
	d.leaves("/signout", dev.post("/signout"))
}

// entry changes passkeys, the second factor, sessions and the password.
func (d *diary) entry(s *surfer, ada identity.User) {
	t, b, me := d.b.t, d.b, ownerEmail+" "
	t.Helper()
	k := testkit.NewKey(t)
	d.leaves(passkeysPath, s.addPasskey(k), me+"added a passkey: Phone|")
	id := b.passkeyOf(ada)
	d.leaves(passkeysPath+"/:passkey/name", s.post(passkeysPath+"/"+id+"/name", "name", "Tablet"),
		me+"renamed a passkey: Phone|Tablet")
	other := b.surfer()
	d.leaves(passkeyPath, other.enter(device.Answer(t, other.asks(passkeyPath+"/ask"), k)),
		me+"signed in: |with a passkey")
	d.leaves(passkeysPath+"/:passkey/remove", s.post(passkeysPath+"/"+id+"/remove", "password", testPassword),
		me+"removed a passkey: Tablet|")

	s.post(securityPath+"/factor").leads(t, securityPath+"/factor")
	text := regexp.MustCompile(`data-testid="totp-secret">([A-Z2-7]{32})<`).FindStringSubmatch(s.get(securityPath + "/factor").body)[1]
	code := func() string {
		b.clock.advance(time.Minute)
		c, err := totp.GenerateCode(text, b.clock.Now())
		must(t, err)
		return c
	}
	on := s.post(securityPath+"/factor/confirm", "code", code(), "password", testPassword)
	d.leaves(securityPath+"/factor/confirm", on, me+"turned the second factor on: |")
	recovery := regexp.MustCompile(`<li>(\w{4}(?:-\w{4}){6})</li>`).FindStringSubmatch(on.body)[1]
	d.leaves("/signin", other.post("/signin", "email", ownerEmail, "password", testPassword))
	d.refused(other.post("/signin/code", "code", "000000"), me+"failed to sign in: |wrong code")
	d.leaves("/signin/code", other.post("/signin/code", "code", code()), me+"signed in: |with a code")
	d.leaves("/signin", other.post("/signin", "email", ownerEmail, "password", testPassword))
	d.leaves("/signin/code", other.post("/signin/code", "code", recovery), me+"used a recovery code: |",
		me+"signed in: |with a code")
	ends := regexp.MustCompile(securityPath+`/sessions/(\w+)/end`).FindAllString(s.get(securityPath).body, -1)
	d.leaves(securityPath+"/sessions/:session/end", s.post(ends[0], "password", testPassword), me+"ended a session: |")
	d.leaves(securityPath+"/sessions/end", s.post(securityPath+"/sessions/end", "password", testPassword),
		me+"ended a session: |all but this one")
	d.leaves(securityPath+"/factor/remove", s.post(securityPath+"/factor/remove", "password", testPassword),
		me+"turned the second factor off: |")

	d.refused(s.post(securityPath+"/password", "old", "wrong password", "next", testPassword+" 2"), me+notConfirmed)
	d.leaves(securityPath+"/password",
		s.post(securityPath+"/password", "old", testPassword, "next", testPassword+" 2"), me+"changed the password: |")
	s.post("/forgot", "email", ownerEmail).wants(t, 200)
	reset := resetLink.FindStringSubmatch(strings.Join(b.mail.all(), "\n"))
	s.post("/reset", "token", reset[2], "password", "short").wants(t, 400)
	d.leaves("/reset", s.post("/reset", "token", reset[2], "password", testPassword), me+"reset the password: |")
	d.leaves("/signin", s.post("/signin", "email", ownerEmail, "password", testPassword), me+"signed in: |")
	d.addresses(s)
}

// operator disables and enables a key and a user.
func (d *diary) operator(rs *surfer, ada identity.User) {
	t, b, me := d.b.t, d.b, rootEmail+" "
	t.Helper()
	d.leaves("/operator/ledger", rs.post("/operator/ledger"), me+"had the book of credits added up: |")
	rs.post("/operator/ledger").wants(t, 409)
	keys, err := storetest.Accounts{Store: b.store.Merchant()}.Keys(t.Context(), ada.ID)
	must(t, err)
	user := usersPath + "/" + ada.PublicID
	key := user + "/keys/" + keys[0].PublicID
	d.leaves(usersPath+"/:user/keys/:key/disable", rs.post(key+"/disable", "password", testPassword),
		me+"disabled an API key: Till|")
	rs.post(key+"/disable", "password", testPassword).wants(t, 409)
	d.leaves(usersPath+"/:user/keys/:key/enable", rs.post(key+"/enable", "password", testPassword),
		me+"enabled an API key: Till|")
	d.leaves(usersPath+"/:user/keys/:key/grant", rs.post(key+"/grant", "credits", "9", "password", testPassword),
		me+"granted credits: Till|9 credits")
	d.leaves(usersPath+"/:user/disable", rs.post(user+"/disable", "password", testPassword),
		me+"disabled a user: "+ownerEmail+"|")
	d.leaves(usersPath+"/:user/enable", rs.post(user+"/enable", "password", testPassword),
		me+"enabled a user: "+ownerEmail+"|")
	d.leaves(usersPath+"/:user/reset-link", rs.post(user+"/reset-link", "password", testPassword),
		me+"made a link to a new password for a user: "+ownerEmail+"|")
	d.leaves(usersPath+"/:user/reset-factor", rs.post(user+"/reset-factor", "password", testPassword),
		me+"removed the second factors of a user: "+ownerEmail+"|")
	d.leaves(usersPath+"/:user/end-sessions", rs.post(user+"/end-sessions", "password", testPassword),
		me+"ended all sessions of a user: "+ownerEmail+"|")
}

// short starts a payment and deposits too little.
func (b dashboardBundle) short(txnid string, amount int64) {
	b.t.Helper()
	p, err := b.payments.Get(b.t.Context(), txnid)
	must(b.t, err)
	b.deposit(b.start(p, chain.Base), money.Micros(amount)*money.USD, true)
}

// given makes a completed donation to a campaign and returns its number.
func (b dashboardBundle) given(slug string) string {
	b.t.Helper()
	c, _, err := b.campaigns.Get(b.t.Context(), slug)
	must(b.t, err)
	gift, err := b.campaigns.Donate(b.t.Context(), c, campaign.Gift{
		Amount: "5", Choice: payment.Choice{Network: chain.Base, Token: money.USDC}, Name: "Mia", Message: "Hello",
	}, audit.Act{})
	must(b.t, err)
	b.deposit(gift, gift.Amount, true)
	list, _, err := b.campaigns.Donations(b.t.Context(), campaign.DonationQuery{Campaign: c.Number, Limit: 1})
	must(b.t, err)
	return strconv.FormatInt(list[0].Number, 10)
}
