package web

import (
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/florinpay/florin/graph"
	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/passkey"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/store"
	"github.com/florinpay/florin/internal/testkit/browser"
)

// verifying is a dashboard whose users verify their addresses. b.accounts does not
// require it, as before mail was configured.
func verifying(t *testing.T, with ...func(*Deps, *Options)) dashboardBundle {
	t.Helper()
	return newDashboard(t, append([]func(*Deps, *Options){verifyEmail}, with...)...)
}

func verifyEmail(d *Deps, o *Options) {
	st := d.Store.(*store.Store)
	party, _ := passkey.New(testBaseURL)
	accounts := newServices(
		st.Identity(), st.Merchant(), d.Now,
		identity.Options{RelyingParty: party, VerifyEmail: true}, merchant.Options{},
	)
	d.Users, d.Merchants = accounts.users, accounts.merchants
	o.GraphQL = graph.Options{Introspection: true}
}

var verifyLink = regexp.MustCompile(`https?://[^/\s]+(/verify\?token=(flv_\w+))`)

// linkTo waits for the newest mail to the address that holds a link.
func (b dashboardBundle) linkTo(t *testing.T, to string, link *regexp.Regexp) (path, token string) {
	t.Helper()
	eventually(t, "a mail with a link to "+to, func() bool {
		for _, text := range b.mail.all() {
			if m := link.FindStringSubmatch(text); m != nil && strings.HasPrefix(text, to+"\n") {
				path, token = m[1], m[2]
			}
		}
		return path != ""
	})
	return path, token
}

// A sign-up makes a user once the link was opened and the password typed again.
func TestVerify_SignUp(t *testing.T) {
	t.Parallel()
	b := verifying(t)
	s := b.surfer()
	s.post("/signup", "email", "nobody", "password", testPassword).wants(t, 400, "The e-mail address must be")
	s.post("/signup", "email", ownerEmail, "password", "Password123").wants(t, 400, "guessed first")
	s.post(
		"/signup", "email", " ADA@shop.example ", "password", testPassword, "firstName", "Ada",
	).wants(t, 200, "on its way")
	s.get("/dashboard").leads(t, "/signin")
	b.surfer().post("/signin", "email", ownerEmail, "password", testPassword).wants(t, 401)
	path, token := b.linkTo(t, ownerEmail, verifyLink)
	for range 2 { // as a scanner of mails does
		s.get(path).wants(t, 200, ownerEmail)
	}
	s.post("/verify", "token", token, "password", "another password").wants(t, 400, "not the password you chose")
	b.surfer().post("/signin", "email", ownerEmail, "password", testPassword).wants(t, 401)
	s.post("/verify", "token", token, "password", testPassword).leads(t, "/dashboard")
	s.get("/dashboard").wants(t, 200, ownerEmail, "First steps")
	s.post(securityPath+"/factor").leads(t, securityPath+"/factor")
	s.get(securityPath).wants(t, 200, "Verified the e-mail address")
	s.get(path).wants(t, 400, "used or is too old")
	b.surfer().post("/verify", "token", token, "password", testPassword).wants(t, 400)
	b.surfer().post("/verify", "token", "flv_x", "password", testPassword).wants(t, 400)
	b.surfer().signIn(ownerEmail)
}

func TestVerify_LinkExpires(t *testing.T) {
	t.Parallel()
	b := verifying(t)
	s := b.surfer()
	s.post("/signup", "email", ownerEmail, "password", testPassword).wants(t, 200)
	path, token := b.linkTo(t, ownerEmail, verifyLink)
	b.clock.advance(identity.SignUpTTL)
	s.get(path).wants(t, 400)
	s.post("/verify", "token", token, "password", testPassword).wants(t, 400)
}

// Who signs up with another's address gets nothing, and the owner who opens the
// link does not make the account for them: they do not know its password.
func TestVerify_AnothersAddress(t *testing.T) {
	t.Parallel()
	b := verifying(t)
	mallory, owner := b.surfer(), b.surfer()
	mallory.post("/signup", "email", ownerEmail, "password", "mallory knows this").wants(t, 200)
	_, first := b.linkTo(t, ownerEmail, verifyLink)
	owner.post("/verify", "token", first, "password", testPassword).wants(t, 400)
	owner.post("/signup", "email", ownerEmail, "password", testPassword).wants(t, 200)
	var own string
	eventually(t, "a second link", func() bool {
		for _, m := range verifyLink.FindAllStringSubmatch(strings.Join(b.mail.all(), "\n"), -1) {
			if m[2] != first {
				own = m[2]
			}
		}
		return own != ""
	})
	owner.post("/verify", "token", own, "password", testPassword).leads(t, "/dashboard")
	mallory.post("/verify", "token", first, "password", "mallory knows this").wants(t, 409)
	mallory.post("/signin", "email", ownerEmail, "password", "mallory knows this").wants(t, 401)
}

// Signing up is answered alike whether or not the address has an account; its
// owner is mailed.
func TestVerify_SignUpRevealsNoAccount(t *testing.T) {
	t.Parallel()
	b := verifying(t)
	b.member(ownerEmail)
	known := b.surfer().post("/signup", "email", ownerEmail, "password", testPassword)
	unknown := b.surfer().post("/signup", "email", "new@shop.example", "password", testPassword)
	if known.status != 200 || unknown.status != 200 || plainText(known.body) != plainText(unknown.body) ||
		len(known.header.Values("Set-Cookie")) != len(unknown.header.Values("Set-Cookie")) {
		t.Errorf("a known address is answered %d %s\na new one %d %s", known.status, plainText(known.body), unknown.status,
			plainText(unknown.body))
	}
	api := func(email string) string {
		return b.graphQL(signUp, `{"e":"`+email+`","p":"correct horse battery staple"}`).body
	}
	first, second := api(ownerEmail), api("else@shop.example")
	if first != second || !strings.Contains(first, `"code":202`) || !strings.Contains(first, `"token":null`) {
		t.Errorf("over GraphQL a known address is answered\n%s\na new one\n%s", first, second)
	}
	mails := strings.Join(b.mailed(4), "\n")
	if strings.Count(mails, ownerEmail+"\nYou have an account already") != 2 ||
		strings.Count(mails, "/verify?token=") != 2 {
		t.Errorf("mailed: %s", mails)
	}
	b.surfer().post("/signin", "email", ownerEmail, "password", testPassword).leads(t, "/dashboard")
}

// An address nobody has shown to be theirs makes no factor, passkey, key or
// member, and joins no team.
func TestVerify_Before(t *testing.T) {
	t.Parallel()
	b := verifying(t)
	ada := b.member(ownerEmail)
	s := b.surfer()
	s.signIn(ownerEmail)
	const refusal = "erify your e-mail address first"
	s.get(securityPath).wants(t, 200, "Your e-mail address is not verified")
	s.post(securityPath+"/factor").wants(t, 403, refusal)
	s.post(passkeysPath+"/ask", "password", testPassword).wants(t, 403, refusal)
	s.post(passkeysPath, "name", "Phone", "made", "{}").wants(t, 403, refusal)
	s.post(keysPath, "label", "Shop", "password", testPassword).wants(t, 403, refusal)
	s.post(
		teamPath+"/invite", "email", "eve@shop.example", "role", "viewer", "password", testPassword,
	).wants(t, 403, refusal)
	in, err := b.accounts.SignIn(
		t.Context(), identity.Credentials{Email: ownerEmail, Password: secret.New(testPassword)},
	)
	must(t, err)
	r := b.graphQL(`mutation { UserCreateApiKey { code message } }`, "", "Authorization", "Bearer "+in.Token.Reveal())
	if r.text(t, "data.UserCreateApiKey.code") != "403" || !strings.Contains(r.body, refusal) {
		t.Errorf("a key over GraphQL: %s", r.body)
	}
	boss := b.member("boss@shop.example")
	_, token, err := b.accounts.InviteMember(t.Context(),
		merchant.Membership{
			User: boss, Merchant: boss,
			Role: merchant.RoleOwner,
		}, ownerEmail, merchant.RoleOwner, audit.Act{})
	must(t, err)
	s.post("/dashboard/join", "token", token.Reveal()).wants(t, 403, refusal)
	if keys, err := b.accounts.Keys(t.Context(), ada.ID); err != nil || len(keys) != 0 {
		t.Errorf("%d keys were made, %v", len(keys), err)
	}
	s.post(securityPath+"/verify").leads(t, securityPath)
	_, link := b.linkTo(t, ownerEmail, verifyLink)
	b.surfer().post("/verify", "token", link, "password", "not the password").wants(t, 400)
	b.surfer().post("/verify", "token", link, "password", testPassword).leads(t, "/dashboard")
	if r := s.get(securityPath); strings.Contains(r.body, "is not verified") {
		t.Error("the page still asks for a verified address")
	}
	s.post(securityPath+"/factor").leads(t, securityPath+"/factor")
	s.post("/dashboard/join", "token", token.Reveal()).leads(t, "/dashboard")
}

// A new password by mail takes away whatever was made in an account whose address
// was not verified, and nothing from a verified one.
func TestVerify_ResetDrops(t *testing.T) {
	t.Parallel()
	for name, verified := range map[string]bool{"Unverified": false, "Verified": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := verifying(t)
			u, err := b.accounts.CreateUser(t.Context(),
				identity.NewUser{
					Email: ownerEmail, Password: secret.New("mallory knows this"),
					Verified: verified,
				}, audit.Act{})
			must(t, err)
			shop := b.shop(u)
			b.colleague(u, "mallory@shop.example", merchant.RoleOwner)
			must(t, b.people().AddPasskey(t.Context(), identity.Passkey{
				ID: string(testID(b.clock.Now())), UserID: u.ID, Name: "Phone", Credential: []byte{1}, Record: secret.New("{}"),
				CreatedAt: b.clock.Now(),
			}, identity.Hash{}, audit.Record{}))
			s := b.surfer()
			s.post("/signin", "email", ownerEmail, "password", "mallory knows this").leads(t, "/dashboard")
			s.post("/forgot", "email", ownerEmail).wants(t, 200)
			_, token := b.linkTo(t, ownerEmail, regexp.MustCompile(`https://pay\.example(/reset\?token=(flr_\w+))`))
			if r := s.post("/reset", "token", token, "password", testPassword); r.status != 303 {
				t.Fatalf("the new password: %d %s", r.status, plainText(r.body))
			}
			s.get("/dashboard").leads(t, "/signin")
			passkeys, err := b.accounts.PasskeysOf(t.Context(), u)
			must(t, err)
			keys, err := b.accounts.Keys(t.Context(), u.ID)
			must(t, err)
			members, err := b.accounts.Members(t.Context(), u)
			must(t, err)
			_, err = b.accounts.Authenticate(t.Context(), shop.text)
			kept := len(passkeys) == 1 && len(keys) == 1 && len(members) == 2 && err == nil
			gone := len(passkeys) == 0 && len(keys) == 0 && len(members) == 1 && err != nil
			if verified && !kept || !verified && !gone {
				t.Errorf("left are %d passkeys, %d keys, %d members, and the key answers %v", len(passkeys), len(keys),
					len(members), err)
			}
			if now, err := b.accounts.UserByEmail(t.Context(), ownerEmail); err != nil || now.VerifiedAt.IsZero() {
				t.Errorf("the address is not verified by the reset, %v", err)
			}
		})
	}
}

// A stranger can have three mails an hour of each kind sent to an address, so that one kind keeps no other away.
func TestVerify_MailsAreBounded(t *testing.T) {
	t.Parallel()
	b := verifying(t)
	b.member(ownerEmail)
	boss, err := b.accounts.CreateUser(t.Context(),
		identity.NewUser{Email: "boss@shop.example", Password: secret.New(testPassword), Verified: true}, audit.Act{})
	must(t, err)
	s := b.surfer()
	s.signIn(boss.Email)
	for range 5 {
		b.surfer().post("/forgot", "email", ownerEmail).wants(t, 200)
		b.surfer().post("/signup", "email", ownerEmail, "password", testPassword).wants(t, 200)
		r := s.post(teamPath+"/invite", "email", ownerEmail, "role", "viewer", "password", testPassword)
		r.leads(t, teamPath)
	}
	asked := 0
	for _, m := range b.mail.all() {
		if strings.HasPrefix(m, ownerEmail+"\n") {
			asked++
		}
	}
	if asked != 9 {
		t.Errorf("%d mails were sent to the address", asked)
	}
}

// Only the holder of the address gets the link of an invitation, for it verifies
// the address.
func TestVerify_InvitationIsMailedOnly(t *testing.T) {
	t.Parallel()
	b := verifying(t, func(d *Deps, o *Options) { o.SignUp, d.Dashboard.Invite = false, true })
	boss, err := b.accounts.CreateUser(t.Context(), identity.NewUser{
		Email: "boss@shop.example", Password: secret.New(testPassword), Operator: true, Verified: true,
	}, audit.Act{})
	must(t, err)
	s := b.surfer()
	s.signIn(boss.Email)
	for path, link := range map[string]string{teamPath + "/invite": "flt_", "/operator/invite": "fli_"} {
		r := s.post(path, "email", ownerEmail, "role", "viewer", "password", testPassword)
		if r.status != 303 {
			t.Fatalf("%s: %d %s", path, r.status, plainText(r.body))
		}
		if page := s.get(r.header.Get("Location")); strings.Contains(page.body+r.body, link) {
			t.Errorf("%s shows the link", path)
		}
	}
	path, token := b.linkTo(t, ownerEmail, regexp.MustCompile(`https://pay\.example(/signup\?invite=(fli_\w+))`))
	guest := b.surfer()
	guest.get(path).wants(t, 200)
	guest.post("/signup", "invite", token, "email", ownerEmail, "password", testPassword).leads(t, "/dashboard")
	guest.post(securityPath+"/factor").leads(t, securityPath+"/factor")
}

// A sign-up whose address is verified, in a browser, and what a user sees who was made before addresses were.
func TestVerify_Pages(t *testing.T) {
	t.Parallel()
	b, origin := serveDashboard(t, verifyEmail)
	ctx := browser.New(t, browser.AllowError(`status of 40[0-9]`))
	browser.Run(ctx, t, chromedp.Navigate(origin+"/signup"), chromedp.WaitVisible("#f-email"),
		chromedp.SendKeys("#f-email", ownerEmail), chromedp.SendKeys("#f-password", testPassword),
		chromedp.Click("[data-testid=submit]"),
		chromedp.WaitVisible("//main[contains(., 'on its way')]", chromedp.BySearch))
	lookAt(ctx, t, "sent")
	path, _ := b.linkTo(t, ownerEmail, verifyLink)
	browser.Run(ctx, t, chromedp.Navigate(origin+path), chromedp.WaitVisible("#f-password"))
	lookAt(ctx, t, "verify")
	browser.Run(ctx, t, chromedp.SendKeys("#f-password", testPassword), chromedp.Click("[data-testid=submit]"),
		chromedp.WaitVisible(".column h1"), chromedp.Navigate(origin+path), chromedp.WaitVisible("main h1"))
	lookAt(ctx, t, "used")
	t.Run("Unverified", func(t *testing.T) {
		b.member("before@shop.example")
		ctx := browser.New(t, browser.AllowError(`status of 40[0-9]`))
		enterDashboard(ctx, t, origin, "before@shop.example")
		for page, path := range map[string]string{
			"overview": "/dashboard", "security": securityPath, "keys": keysPath,
		} {
			browser.Run(ctx, t, chromedp.Navigate(origin+path), chromedp.WaitVisible("main h1"))
			lookAt(ctx, t, page)
		}
	})
	browser.FirstParty(ctx, t, origin)
}
