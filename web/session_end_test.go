package web

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/testkit"
)

// A session ends when it was not used for SessionIdle, and at SessionTTL however much it was used.
func TestSession_Idle(t *testing.T) {
	t.Parallel()
	t.Run("Unused", func(t *testing.T) {
		t.Parallel()
		b := newDashboard(t)
		b.member(ownerEmail)
		s, other := b.surfer(), b.surfer()
		s.signIn(ownerEmail)
		other.signIn(ownerEmail)
		b.clock.advance(identity.SessionIdle - time.Minute)
		s.get("/dashboard").wants(t, 200)
		b.clock.advance(2 * time.Minute)
		s.get("/dashboard").wants(t, 200)
		other.get("/dashboard").leads(t, "/signin")
		if r := s.get(securityPath); regexp.MustCompile(`/dashboard/security/sessions/\w+/end`).MatchString(r.body) {
			t.Error("a session that ended is listed")
		}
		b.clock.advance(identity.SessionIdle + time.Second)
		s.get("/dashboard").leads(t, "/signin")
	})
	t.Run("Used", func(t *testing.T) {
		t.Parallel()
		b, s := newOwner(t)
		for day := range 30 {
			s.get("/dashboard").wants(t, 200)
			if b.clock.advance(24 * time.Hour); day == 29 {
				s.get("/dashboard").leads(t, "/signin")
			}
		}
	})
	t.Run("Token", func(t *testing.T) {
		t.Parallel()
		b := newBundle(t)
		token := b.signUp(t, ownerEmail)
		me := func() string {
			return b.graphQL(`{ UserMe { code } }`, "", "Authorization", "Bearer "+token).text(t, "data.UserMe.code")
		}
		for range 3 {
			b.clock.advance(identity.SessionIdle - time.Second)
			if got := me(); got != "200" {
				t.Fatalf("a token in use: %s", got)
			}
		}
		b.clock.advance(identity.SessionIdle + time.Second)
		if got := me(); got != "401" {
			t.Errorf("an idle token: %s", got)
		}
	})
}

// Whatever changes how a user signs in ends every session but the one that changed it.
func TestSession_EndsWithNewFactor(t *testing.T) {
	t.Parallel()
	t.Run("Authenticator", func(t *testing.T) {
		t.Parallel()
		b := newDashboard(t)
		b.member(ownerEmail)
		s, other := b.surfer(), b.surfer()
		s.signIn(ownerEmail)
		other.signIn(ownerEmail)
		s.post(securityPath+"/factor").leads(t, securityPath+"/factor")
		text := regexp.MustCompile(`data-testid="totp-secret">([A-Z2-7]{32})<`).
			FindStringSubmatch(s.get(securityPath + "/factor").body)[1]
		code, err := totp.GenerateCode(text, b.clock.Now())
		must(t, err)
		other.get("/dashboard").wants(t, 200)
		s.post(
			securityPath+"/factor/confirm", "code", code, "password", testPassword,
		).wants(t, 200, "Your recovery codes",
			"Every other session has ended")
		s.get("/dashboard").wants(t, 200)
		other.get("/dashboard").leads(t, "/signin")
	})
	t.Run("Passkey", func(t *testing.T) {
		t.Parallel()
		b := newDashboard(t)
		b.member(ownerEmail)
		s, other := b.surfer(), b.surfer()
		s.signIn(ownerEmail)
		other.signIn(ownerEmail)
		s.addPasskey(testkit.NewKey(t)).leads(t, securityPath)
		s.get(securityPath).wants(t, 200, "Every other session has ended")
		other.get("/dashboard").leads(t, "/signin")
	})
}

// A recovery code has at least 128 random bits and is stored as a slow hash.
func TestRecoveryCode_Form(t *testing.T) {
	t.Parallel()
	code := regexp.MustCompile(`^([a-z2-7]{4}-){6}[a-z2-7]{4}$`)
	if bits := 7 * 4 * 5; bits < 128 {
		t.Fatalf("the form holds %d bits", bits)
	}
	_, s := newOwner(t)
	codes := s.turnOnFactor(t)
	for _, c := range codes {
		if !code.MatchString(c) {
			t.Errorf("the code %q has another form", c)
		}
	}
}

// turnOnFactor turns a second factor on and returns the recovery codes.
func (s *surfer) turnOnFactor(t *testing.T) []string {
	t.Helper()
	s.post(securityPath+"/factor").leads(t, securityPath+"/factor")
	text := regexp.MustCompile(`data-testid="totp-secret">([A-Z2-7]{32})<`).
		FindStringSubmatch(s.get(securityPath + "/factor").body)[1]
	code, err := totp.GenerateCode(text, s.b.clock.Now())
	must(t, err)
	r := s.post(securityPath+"/factor/confirm", "code", code, "password", testPassword)
	r.wants(t, 200)
	var codes []string
	for _, m := range regexp.MustCompile(`<li>([\w-]+)</li>`).FindAllStringSubmatch(r.body, -1) {
		codes = append(codes, m[1])
	}
	if len(codes) != 10 {
		t.Fatalf("%d recovery codes", len(codes))
	}
	return codes
}

const sessionCookie = "__Host-florin"

var sessionEnd = regexp.MustCompile(`/dashboard/security/sessions/\w+/end`)

// stolen is a browser with a copy of the session that s has now.
func (s *surfer) stolen() *surfer {
	thief := s.b.surfer()
	thief.cookies[sessionCookie] = s.cookies[sessionCookie]
	return thief
}

// Each re-authentication gives the browser a new session token and ends the old one,
// so that a copy of the cookie dies with the next change (ASVS 5.0, 7.2.4).
func TestSession_RenewedByReauthentication(t *testing.T) {
	t.Parallel()
	b, u, s, k := keyed(t)
	m := b.shop(u)
	keys := keysPath + "/" + m.key.PublicID
	colleague, member := b.colleague(u, "cole@shop.example", merchant.RoleViewer)
	for name, act := range map[string]func() reply{
		"Gate": func() reply {
			return s.post(
				"/dashboard/settings/payouts", "key", m.key.PublicID, "name", "Nordlicht", "password", testPassword,
			)
		},
		"Key":     func() reply { return s.post(keys+"/rotate", "password", testPassword) },
		"Passkey": func() reply { return s.post(keys+"/rotate", "passkey", device.Answer(t, s.asks(confirmPath), k)) },
		"Team": func() reply {
			return s.post(teamPath+"/members/"+member.PublicID+"/role", "role", "support", "password", testPassword)
		},
		"NewPasskey": func() reply { return s.addPasskey(testkit.NewKey(t)) },
		"Refused": func() reply { // after the password was right
			s.post(teamPath+"/invite", "email", "nobody", "role", "owner", "password", testPassword).wants(t, 400)
			return s.get(securityPath)
		},
	} {
		t.Run(name, func(t *testing.T) { s.renewedBy(t, act) })
	}
	t.Run("Factor", func(t *testing.T) {
		s.renewedBy(t, func() reply { s.turnOnFactor(t); return s.get(securityPath) })
	})
	t.Run("NoFactor", func(t *testing.T) {
		s.renewedBy(t, func() reply { return s.post(securityPath+"/factor/remove", "password", testPassword) })
	})
	colleague.get("/dashboard").wants(t, 200)
}

// renewedBy fails unless the act succeeds, s stays signed in, and a copy of the cookie
// from before it is worthless.
func (s *surfer) renewedBy(t *testing.T, act func() reply) {
	t.Helper()
	thief := s.stolen()
	thief.get("/dashboard").wants(t, 200)
	if r := act(); r.status != http.StatusOK && r.status != http.StatusSeeOther {
		t.Fatalf("the act is answered %d: %s", r.status, plainText(r.body))
	}
	if thief.cookies[sessionCookie].Value == s.cookies[sessionCookie].Value {
		t.Error("the cookie is the one from before")
	}
	s.get("/dashboard").wants(t, 200)
	s.b.clock.advance(31 * time.Second)
	s.get("/dashboard").wants(t, 200)
	thief.get("/dashboard").leads(t, "/signin")
}

// Whose answer was lost is not signed out: for half a minute the old cookie is good for the session, and who sends the
// form again gets the new one. The gate stays closed to a copy of the old cookie, and who signs out ends the session.
func TestSession_LostAnswer(t *testing.T) {
	t.Parallel()
	b, s, m := newShop(t)
	rotate := s.asShown(keysPath, keysPath+"/"+m.key.PublicID+"/rotate")
	rotate.Set("password", testPassword)
	for range 3 { // the third renewal within half a minute
		again := with(rotate, "password", testPassword)
		s.stolen().do("POST", keysPath+"/"+m.key.PublicID+"/rotate", again).wants(t, 200)
		rotate.Set("once", rotate.Get("once")+"x")
	}
	thief := s.stolen()
	thief.get("/dashboard").wants(t, 200)
	thief.post(payoutsPath, "key", m.key.PublicID, "wallet.POLYGON", merchantWallet).wants(t, 403)
	rotate.Set("once", strings.TrimSuffix(rotate.Get("once"), "x"))
	s.do("POST", keysPath+"/"+m.key.PublicID+"/rotate", rotate).wants(t, 200, `data-testid="fresh-key"`)
	b.clock.advance(31 * time.Second)
	s.get("/dashboard").wants(t, 200)
	thief.get("/dashboard").leads(t, "/signin")

	copied := s.stolen()
	copied.do("POST", keysPath+"/"+m.key.PublicID+"/rotate", s.asShown(keysPath, keysPath)).wants(t, 400)
	s.stolen().post(keysPath+"/"+m.key.PublicID+"/rotate", "password", testPassword).wants(t, 200)
	s.post("/signout").leads(t, "/signin")
	copied.get("/dashboard").leads(t, "/signin")
}

// A wrong password renews nothing, and signing in again ends the session that the
// browser carried.
func TestSession_RenewedBySignIn(t *testing.T) {
	t.Parallel()
	_, s, m := newShop(t)
	thief := s.stolen()
	s.post(keysPath+"/"+m.key.PublicID+"/rotate", "password", "wrong password").wants(t, 400)
	thief.get("/dashboard").wants(t, 200)
	s.signIn(ownerEmail)
	s.get("/dashboard").wants(t, 200)
	thief.get("/dashboard").leads(t, "/signin")
	if n := strings.Count(s.get(securityPath).body, ">this one<"); n != 1 {
		t.Errorf("%d sessions are this one", n)
	}
}

// A user ends one session, or all others at once, after re-authentication (7.5.2).
func TestSession_Ended(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	b.member(ownerEmail)
	here, there, third := b.surfer(), b.surfer(), b.surfer()
	for _, s := range []*surfer{here, there, third} {
		s.signIn(ownerEmail)
	}
	end := sessionEnd.FindString(here.get(securityPath).body)
	for _, path := range []string{end, securityPath + "/sessions/end"} {
		here.post(path).wants(t, 403, "The password is wrong")
		here.post(path, "password", "wrong password").wants(t, 403, "The password is wrong")
	}
	there.get("/dashboard").wants(t, 200)
	third.get("/dashboard").wants(t, 200)
	here.post(end, "password", testPassword).leads(t, securityPath)
	if over := b.signedIn(there, third); over != 1 {
		t.Errorf("%d of two sessions are left after one was ended", over)
	}
	there.signIn(ownerEmail)
	third.signIn(ownerEmail)
	here.post(securityPath+"/sessions/end", "password", testPassword).leads(t, securityPath)
	here.get(securityPath).wants(t, 200, "Every other session has ended", "Ended a session")
	if left := b.signedIn(there, third); left != 0 {
		t.Errorf("%d other sessions are left after all were ended", left)
	}
	here.get("/dashboard").wants(t, 200)
}

// signedIn counts the browsers that are.
func (b dashboardBundle) signedIn(all ...*surfer) int {
	n := 0
	for _, s := range all {
		if s.get("/dashboard").status == http.StatusOK {
			n++
		}
	}
	return n
}

// When a session ends, the browser is asked to forget what it kept of it (14.3.1).
func TestSession_Cleared(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	b.member(ownerEmail)
	clears := func(t *testing.T, r reply) {
		t.Helper()
		for _, kind := range []string{`"cache"`, `"storage"`} {
			if !strings.Contains(r.header.Get("Clear-Site-Data"), kind) {
				t.Errorf("Clear-Site-Data is %q, want %s", r.header.Get("Clear-Site-Data"), kind)
			}
		}
	}
	s, other := b.surfer(), b.surfer()
	s.signIn(ownerEmail)
	other.signIn(ownerEmail)
	device := s.cookies["__Host-florin-device"]
	r := s.post("/signout")
	r.leads(t, "/signin")
	clears(t, r)
	if s.cookies[sessionCookie] != nil || s.cookies["__Host-florin-device"] != device {
		t.Error("signing out keeps the session, or forgets the known device")
	}
	s.signIn(ownerEmail)
	s.post(securityPath+"/sessions/end", "password", testPassword).leads(t, securityPath)
	r = other.get("/dashboard/payments")
	r.leads(t, "/signin?next=%2Fdashboard%2Fpayments")
	clears(t, r)
	if other.cookies[sessionCookie] != nil {
		t.Error("the cookie of a session that has ended is kept")
	}
	if r := other.get("/dashboard"); r.header.Get("Clear-Site-Data") != "" {
		t.Error("a browser without a session is asked to forget one")
	}
}
