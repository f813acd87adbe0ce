package web

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/web/shell"
)

func TestDashboard_Password(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	b.member(ownerEmail)
	here, there := b.surfer(), b.surfer()
	here.signIn(ownerEmail)
	there.signIn(ownerEmail)
	before := here.cookies["__Host-florin"]
	here.post("/dashboard/security/password", "old", "wrong password", "next", "another horse battery").wants(t, 400,
		"The password is wrong.")
	here.post("/dashboard/security/password", "old", testPassword, "next", "short").wants(t, 400, "at least 10")
	here.post("/dashboard/security/password", "old", testPassword, "next", "another horse battery").leads(t,
		"/dashboard/security")
	here.get("/dashboard").wants(t, 200)
	there.get("/dashboard").leads(t, "/signin")
	old := b.surfer()
	old.cookies["__Host-florin"] = before
	old.get("/dashboard").leads(t, "/signin")
}

func TestDashboard_Sessions(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	b.member(ownerEmail)
	here, there := b.surfer(), b.surfer()
	here.signIn(ownerEmail)
	there.signIn(ownerEmail)
	ends := regexp.MustCompile(`/dashboard/security/sessions/(\w+)/end`).FindAllString(here.get("/dashboard/security").body, -1)
	if len(ends) != 1 {
		t.Fatalf("%d other sessions are listed", len(ends))
	}
	here.post(ends[0], "password", testPassword).leads(t, "/dashboard/security")
	there.get("/dashboard").leads(t, "/signin")
	here.get("/dashboard").wants(t, 200)
	here.post(ends[0], "password", testPassword).wants(t, 404)
}

func TestDashboard_SecondFactor(t *testing.T) {
	t.Parallel()
	b, s := newOwner(t)
	s.post("/dashboard/security/factor").leads(t, "/dashboard/security/factor")
	r := s.get("/dashboard/security/factor")
	r.wants(t, 200, "Scan or type")
	text := regexp.MustCompile(`data-testid="totp-secret">([A-Z2-7]{32})<`).FindStringSubmatch(r.body)[1]
	r.wants(t, 200, `data-copy="`+text+`"`)
	code := func() string {
		c, err := totp.GenerateCode(text, b.clock.Now())
		must(t, err)
		return c
	}
	var codes [][]string // recovery codes
	var used string
	// A session alone cannot add a factor, since its codes re-authenticate.
	t.Run("TurnOn", func(t *testing.T) {
		s.post("/dashboard/security/factor/confirm", "code", code()).wants(t, 403, "The password is wrong.")
		s.post("/dashboard/security/factor/confirm", "code", code(), "password", code()).wants(t, 403,
			"The password is wrong.")
		s.get("/dashboard/security/factor").wants(t, 200, "Scan or type")
		s.post("/dashboard/security/factor/confirm", "code", "000", "password", testPassword).wants(t, 400,
			"Enter the six digits")
		past, err := totp.GenerateCode(text, b.clock.Now().Add(-time.Hour))
		must(t, err)
		s.post("/dashboard/security/factor/confirm", "code", past, "password", testPassword).wants(t, 400,
			"The code is wrong")
		used = code()
		r = s.post("/dashboard/security/factor/confirm", "code", used, "password", testPassword)
		r.wants(t, 200, "Your recovery codes")
		codes = regexp.MustCompile(`<li>(\w{4}(?:-\w{4}){6})</li>`).FindAllStringSubmatch(r.body, -1)
		if len(codes) != 10 {
			t.Fatalf("%d recovery codes", len(codes))
		}
		if mails := b.mailed(1); !strings.HasPrefix(mails[0], ownerEmail+"\n") {
			t.Errorf("turning it on is mailed as %q", mails[0])
		}
		s.get("/dashboard/security/factor").wants(t, 409)
		s.get("/dashboard/security").wants(t, 200, "10 recovery codes")
	})
	// The password alone is not enough, on any surface.
	other := b.surfer()
	t.Run("SignIn", func(t *testing.T) {
		other.post("/signin", "email", ownerEmail, "password", testPassword, "next", "/dashboard/payments").wants(t,
			200, "Second step")
		other.get("/dashboard").leads(t, "/signin")
		if _, err := b.accounts.SignIn(t.Context(),
			identity.Credentials{Email: ownerEmail, Password: secret.New(testPassword)}); err == nil {
			t.Error("the interface signs in without a code")
		}
		other.post("/signin/code", "code", used).wants(t, 401, "used already") // it confirmed the factor
		b.clock.advance(time.Minute)
		other.post("/signin/code", "code", "123").wants(t, 401, "The code is wrong")
		other.post("/signin/code", "code", code()).leads(t, "/dashboard/payments")
		other.get("/dashboard").wants(t, 200)
	})
	t.Run("RecoveryCode", func(t *testing.T) {
		third := b.surfer()
		third.post("/signin", "email", ownerEmail, "password", testPassword).wants(t, 200, "Second step")
		third.post("/signin/code", "code", code()).wants(t, 401)
		third.post("/signin/code", "code", strings.ToUpper(codes[0][1])).leads(t, "/dashboard")
		fourth := b.surfer()
		fourth.post("/signin", "email", ownerEmail, "password", testPassword).wants(t, 200, "Second step")
		fourth.post("/signin/code", "code", codes[0][1]).wants(t, 401)
		b.clock.advance(shell.HalfTTL + time.Second)
		fourth.post("/signin/code", "code", codes[1][1]).leads(t, "/signin")
	})
	t.Run("TurnOff", func(t *testing.T) {
		s.post("/dashboard/security/factor/remove", "password", "wrong password").wants(t, 403,
			"The password is wrong.")
		other.get("/dashboard").wants(t, 200)
		s.post("/dashboard/security/factor/remove", "password", testPassword).leads(t, "/dashboard/security")
		s.get("/dashboard").wants(t, 200)
		other.get("/dashboard").leads(t, "/signin")
		b.surfer().post("/signin", "email", ownerEmail, "password", testPassword).leads(t, "/dashboard")
	})
}

// Only the session that asked for an authenticator secret sees it: another may
// be stolen.
func TestDashboard_SecondFactor_OtherSession(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	b.member(ownerEmail)
	s, thief := b.surfer(), b.surfer()
	s.signIn(ownerEmail)
	thief.signIn(ownerEmail)
	s.post("/dashboard/security/factor").leads(t, "/dashboard/security/factor")
	shown := regexp.MustCompile(`data-testid="totp-secret">([A-Z2-7]{32})<`)
	text := shown.FindStringSubmatch(s.get("/dashboard/security/factor").body)[1]
	code, err := totp.GenerateCode(text, b.clock.Now())
	must(t, err)
	thief.get("/dashboard/security/factor").leads(t, "/dashboard/security")
	thief.get("/dashboard/security").wants(t, 200, "Start again here")
	if r := thief.post("/dashboard/security/factor/confirm", "code", "000000", "password",
		testPassword); r.status != 409 || strings.Contains(r.body, text) {
		t.Errorf("another session is answered %d %s", r.status, plainText(r.body))
	}
	thief.post("/dashboard/security/factor/confirm", "code", code, "password", testPassword).wants(t, 409)
	s.post("/dashboard/security/factor/confirm", "code", code, "password", testPassword).wants(t, 200,
		"Your recovery codes")

	// The latest request replaces the one before it, whose secret is void.
	s.post("/dashboard/security/factor/remove", "password", testPassword).leads(t, "/dashboard/security")
	thief.signIn(ownerEmail)
	s.post("/dashboard/security/factor").leads(t, "/dashboard/security/factor")
	thief.post("/dashboard/security/factor").leads(t, "/dashboard/security/factor")
	s.get("/dashboard/security/factor").leads(t, "/dashboard/security")
}

// An operator lets a user in again: by a link to a new password, without the lost authenticator, and signed out of a
// stolen device. It takes the operator's password, is in the user's audit log, and is mailed to them.
func TestOperator_LockedOut(t *testing.T) {
	t.Parallel()
	b, root := rootDashboard(t)
	u := b.member(ownerEmail)
	page := "/operator/users/" + u.PublicID
	sent := func(text string) string {
		t.Helper()
		for _, m := range b.mail.all() {
			if strings.Contains(m, text) && strings.Contains(m, ownerEmail) {
				return m
			}
		}
		t.Errorf("no mail says %q", text)
		return ""
	}
	t.Run("Refused", func(t *testing.T) {
		for _, act := range []string{"/reset-link", "/reset-factor", "/end-sessions"} {
			root.post(page+act, "password", "wrong").wants(t, 400, "The password is wrong")
			other := b.surfer()
			other.signIn(ownerEmail)
			if r := other.post(page+act, "password", testPassword); r.status != 403 && r.status != 404 {
				t.Errorf("a merchant's %s: %d", act, r.status)
			}
		}
	})
	t.Run("EndSessions", func(t *testing.T) {
		owner := b.surfer()
		owner.signIn(ownerEmail)
		n := len(b.mail.all())
		root.post(page+"/end-sessions", "password", testPassword).leads(t, page)
		owner.get("/dashboard").leads(t, "/signin")
		root.get(page).wants(t, 200, "Ended all sessions of a user", rootEmail)
		b.mailed(n + 1)
		sent("You were signed out")
	})
	t.Run("ResetFactor", func(t *testing.T) {
		owner := b.surfer()
		owner.signIn(ownerEmail)
		n := len(b.mail.all())
		root.post(page+"/reset-factor", "password", testPassword).leads(t, page)
		owner.get("/dashboard").leads(t, "/signin")
		root.get(page).wants(t, 200, "Removed the second factors of a user", "No authenticator is in force")
		b.mailed(n + 1)
		sent("Your authenticator and passkeys were removed")
	})
	t.Run("ResetLink", func(t *testing.T) {
		n := len(b.mail.all())
		root.post(page+"/reset-link", "password", testPassword).leads(t, page)
		b.mailed(n + 1)
		link := regexp.MustCompile(`/reset\?token=\S+`).FindString(sent("Set a new password"))
		if r := root.get(page); strings.Contains(r.body, link) {
			t.Error("a link that was mailed is shown to the operator")
		}
		const next = "a wholly other phrase"
		_, token, _ := strings.Cut(link, "token=")
		if r := b.surfer().post("/reset", "token", token, "password", next); r.status >= 400 {
			t.Fatalf("the link: %d %s", r.status, r.start())
		}
		if r := b.surfer().post("/signin", "email", ownerEmail, "password", next); r.status != 303 {
			t.Errorf("the new password: %d %s", r.status, r.start())
		}
	})
}

// A caller who knows a webhook secret can report payments to a shop that never
// happened, so a session alone neither shows nor changes one, and owners are notified.
func TestDashboard_SecretsAskAgain(t *testing.T) {
	t.Parallel()
	b, s, m := newShop(t)
	stored := func() merchant.Custodian {
		t.Helper()
		c, err := b.accounts.Custodian(t.Context(), m.key.ID)
		must(t, err)
		return c
	}
	page := "/dashboard/settings/webhooks?key=" + m.key.PublicID
	before := stored()
	for _, x := range []struct{ path, input, reauth string }{
		{"rotate", "password", ""},
		{"rotate", "password", "wrong password"},
		{"rotate", "passkey", "{}"},
		{"retire", "password", ""},
		{"retire", "password", "wrong password"},
		{"secret", "password", ""},
		{"secret", "password", "wrong password"},
	} {
		r := s.post("/dashboard/settings/webhooks/"+x.path, "key", m.key.PublicID, "secret", "forged",
			x.input, x.reauth)
		if r.status != 403 || strings.Contains(r.body, `data-testid="signing"`) {
			t.Errorf("%s with the %s %q: status %d", x.path, x.input, x.reauth, r.status)
		}
	}
	after := stored()
	if !after.Secret.Equal(before.Secret) || len(after.SigningSecrets) != 1 ||
		!after.SigningSecrets[0].Equal(before.SigningSecrets[0]) {
		t.Error("a secret was changed without re-authentication")
	}
	s.post("/dashboard/settings/webhooks/rotate", "key", m.key.PublicID, "password", testPassword).wants(t, 200,
		"Your signing secret")
	b.mailed(1)
	s.post("/dashboard/settings/webhooks/retire", "key", m.key.PublicID, "password", testPassword).leads(t, page)
	b.mailed(2)
	for range 2 { // the second changes nothing and is not mailed
		s.post("/dashboard/settings/webhooks/secret", "key", m.key.PublicID, "secret", "agreed", "password",
			testPassword).leads(t, page)
	}
	texts := strings.Join(b.mailed(3), "\n")
	for _, want := range []string{"a new one was made", "the old one was retired", "shared secret: it was "} {
		if !strings.Contains(texts, want) {
			t.Errorf("the mails lack %q: %s", want, texts)
		}
	}
	if n := len(b.mail.all()); n != 3 || strings.Contains(texts, "agreed") {
		t.Errorf("%d mails were sent, want 3 without the secret: %s", n, texts)
	}
	s.get("/dashboard/security").wants(t, 200, "the old one was retired", "shared secret")
}
