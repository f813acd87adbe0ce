package web

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/testkit"
)

// device is an authenticator at the address of the tests.
var device = testkit.Device{Origin: testBaseURL, RPID: "pay.example"}

// asks returns the options that the server sends a browser.
func (s *surfer) asks(path string, pairs ...string) string {
	s.b.t.Helper()
	r := s.post(path, pairs...)
	r.wants(s.b.t, 200, "challenge")
	if kind := r.header.Get("Content-Type"); !strings.HasPrefix(kind, "application/json") {
		s.b.t.Errorf("the question is %q", kind)
	}
	return r.body
}

// addPasskey registers k for the signed-in user.
func (s *surfer) addPasskey(k *testkit.Key) reply {
	s.b.t.Helper()
	return s.post(passkeysPath, "name", "Phone", "made", device.Make(s.b.t, s.asks(passkeysPath+"/ask", "password", testPassword), k))
}

// enter signs in with the response of a device.
func (s *surfer) enter(answer string, more ...string) reply {
	s.b.t.Helper()
	return s.post(passkeyPath, append([]string{"passkey", answer}, more...)...)
}

// keyed is a dashboard whose member has a passkey.
func keyed(t *testing.T) (b dashboardBundle, u identity.User, s *surfer, k *testkit.Key) {
	t.Helper()
	b = newDashboard(t)
	u = b.member(ownerEmail)
	s, k = b.surfer(), testkit.NewKey(t)
	s.signIn(ownerEmail)
	s.addPasskey(k).leads(t, securityPath)
	return b, u, s, k
}

// passkeyOf returns the id of the only passkey of the user.
func (b dashboardBundle) passkeyOf(u identity.User) string {
	b.t.Helper()
	list, err := b.accounts.PasskeysOf(b.t.Context(), u)
	if err != nil || len(list) != 1 {
		b.t.Fatalf("%d passkeys, %v", len(list), err)
	}
	return list[0].ID
}

const refusedPasskey = "The passkey was not accepted"

func TestPasskey_SignIn(t *testing.T) {
	t.Parallel()
	b, u, s, k := keyed(t)
	s.get(securityPath).wants(t, 200, "Phone", "Added a passkey")
	if mails := b.mailed(1); !strings.Contains(mails[0], ownerEmail) ||
		!strings.Contains(mails[0], "passkey called “Phone” was added") {
		t.Errorf("mailed: %q", mails)
	}
	other := b.surfer()
	other.get("/signin").wants(t, 200, "Sign in with a passkey")
	asked := other.asks(passkeyPath + "/ask")
	if q := testkit.Parse(t, asked).PublicKey; len(q.AllowCredentials) != 0 || q.UserVerification != "required" {
		t.Errorf("anybody is asked for %+v", q)
	}
	answer := device.Answer(t, asked, k)
	other.enter(answer, "next", "/dashboard/payments").leads(t, "/dashboard/payments")
	other.get(securityPath).wants(t, 200, "with a passkey")
	b.audited(u, audit.ActionPasskeyAdd, audit.ActionSignIn)

	// With an authenticator in force too: a passkey is both factors.
	factor := identity.SecondFactor{UserID: u.ID, Secret: secret.New("JBSWY3DPEHPK3PXP"), CreatedAt: b.clock.Now()}
	must(t, b.people().PutSecondFactor(t.Context(), factor))
	must(t, b.people().ConfirmSecondFactor(t.Context(), factor, 1, nil, b.clock.Now(), audit.Record{}))
	third := b.surfer()
	third.post("/signin", "email", ownerEmail, "password", testPassword).wants(t, 200, "Second step")
	third.enter(device.Answer(t, third.asks(passkeyPath+"/ask"), k)).leads(t, "/dashboard")

	// A fresh session, not the planted one.
	planted := third.cookies["__Host-florin"]
	third.enter(device.Answer(t, third.asks(passkeyPath+"/ask"), k)).leads(t, "/dashboard")
	if third.cookies["__Host-florin"].Value == planted.Value {
		t.Error("the session is the one from before")
	}
}

// Every attack changes one thing in a genuine sign-in.
func TestPasskey_SignIn_Attacks(t *testing.T) {
	t.Parallel()
	b, u, owner, k := keyed(t)
	thief, stolen := b.member("thief@shop.example"), testkit.NewKey(t)
	ts := b.surfer()
	ts.signIn(thief.Email)
	ts.addPasskey(stolen).leads(t, securityPath)
	scene := passkeyAttack{b, u, owner, k, stolen}
	for name, attack := range passkeyAttacks {
		t.Run(name, func(t *testing.T) {
			b.clock.advance(30 * time.Minute) // so that no attack is slowed by the one before
			s := b.surfer()
			attack(t, scene, s).wants(t, 401, refusedPasskey)
			s.get("/dashboard").leads(t, "/signin")
		})
	}
	// The owner is slowed down but can still sign in.
	b.clock.advance(30 * time.Minute)
	s := b.surfer()
	s.enter(device.Answer(t, s.asks(passkeyPath+"/ask"), k)).leads(t, "/dashboard")
}

// A counter that goes back means a copy: it is refused, and the user is notified.
func TestPasskey_Copied(t *testing.T) {
	t.Parallel()
	b, u, owner, k := keyed(t)
	theirs := *k
	s := b.surfer()
	s.enter(device.Answer(t, s.asks(passkeyPath+"/ask"), k)).leads(t, "/dashboard")
	s = b.surfer()
	s.enter(device.Answer(t, s.asks(passkeyPath+"/ask"), k)).leads(t, "/dashboard")
	s = b.surfer()
	s.enter(device.Answer(t, s.asks(passkeyPath+"/ask"), &theirs)).wants(t, 401, "may have been copied")
	s.get("/dashboard").leads(t, "/signin")
	owner.post(passkeysPath+"/ask", "passkey", device.Answer(t, owner.asks(confirmPath), &theirs)).wants(t, 401, "may have been copied")
	b.audited(u, audit.ActionPasskeyCopied)
	if mails := b.mailed(3); !strings.Contains(mails[1]+mails[2], "may have been copied") {
		t.Errorf("mailed: %q", mails)
	}
}

// The response that registers a passkey is checked as well, and a credential belongs
// to one account.
func TestPasskey_Register_Attacks(t *testing.T) {
	t.Parallel()
	b, _, owner, k := keyed(t)
	b.member("thief@shop.example")
	s := b.surfer()
	s.signIn("thief@shop.example")
	evil, plain, found := device, device, device
	evil.Origin, plain.RPID, found.Unverified = "https://evil.example", "evil.example", true
	ask := func(s *surfer) string { return s.asks(passkeysPath+"/ask", "password", testPassword) }
	for name, attack := range map[string]struct {
		made   func() string
		status int
	}{
		"Origin":         {func() string { return evil.Make(t, ask(s), testkit.NewKey(t)) }, 401},
		"RelyingParty":   {func() string { return plain.Make(t, ask(s), testkit.NewKey(t)) }, 401},
		"Unverified":     {func() string { return found.Make(t, ask(s), testkit.NewKey(t)) }, 401},
		"AnotherSession": {func() string { ask(s); return device.Make(t, ask(owner), testkit.NewKey(t)) }, 401},
		"Taken":          {func() string { copied := *k; return device.Make(t, ask(s), &copied) }, 409},
		"Expired": {func() string {
			made := device.Make(t, ask(s), testkit.NewKey(t))
			b.clock.advance(identity.ChallengeTTL)
			return made
		}, 401},
		"Nothing": {func() string { ask(s); return "" }, 401},
	} {
		t.Run(name, func(t *testing.T) {
			made := attack.made()
			s.post(passkeysPath, "name", "Mine", "made", made).wants(t, attack.status, "Passkeys")
			if strings.Contains(s.get(securityPath).body, `data-testid="passkeys"`) {
				t.Fatal("a passkey was added")
			}
		})
	}
	// Without re-authentication no options are sent.
	s.post(passkeysPath+"/ask", "password", "wrong password").wants(t, 400, "The password is wrong")
	s.post(passkeysPath+"/ask").wants(t, 400)
	// A challenge is answered once.
	made := device.Make(t, ask(s), testkit.NewKey(t))
	s.post(passkeysPath, "made", made).leads(t, securityPath)
	s.post(passkeysPath, "made", made).wants(t, 401, refusedPasskey)
}

// A passkey re-authenticates like a password: once, in the session that got the
// challenge, and only with that user's passkey.
func TestPasskey_Confirm(t *testing.T) {
	t.Parallel()
	b, u, s, k := keyed(t)
	m := b.shop(u)
	revoke := "/dashboard/keys/" + m.key.PublicID + "/revoke"
	s.get("/dashboard/keys").wants(t, 200, "Use a passkey instead")

	b.colleague(u, "thief@shop.example", merchant.RoleDeveloper)
	thief, stolen := b.surfer(), testkit.NewKey(t)
	thief.signIn("thief@shop.example")
	thief.post(confirmPath).wants(t, 404) // no passkey yet
	thief.addPasskey(stolen).leads(t, securityPath)
	elsewhere := b.surfer()
	elsewhere.signIn(ownerEmail)
	elsewhere.asks(confirmPath)
	elsewhere.post(revoke, "passkey", device.Answer(t, s.asks(confirmPath), k)).wants(t, 401, "not accepted")
	s.asks(confirmPath)
	s.post(revoke, "passkey", device.Answer(t, thief.asks(confirmPath), stolen)).wants(t, 401, "not accepted")
	s.post(revoke, "passkey", device.Answer(t, s.asks(confirmPath), stolen)).wants(t, 401, "not accepted")
	thief.post(revoke, "passkey", device.Answer(t, thief.asks(confirmPath), k)).wants(t, 401, "not accepted")
	s.post(revoke, "passkey", device.Answer(t, s.asks(passkeysPath+"/ask", "password", testPassword), k)).wants(t,
		401, "not accepted")
	found := device
	found.Unverified = true
	s.post(revoke, "passkey", found.Answer(t, s.asks(confirmPath), k)).wants(t, 401, "not accepted")
	late := device.Answer(t, s.asks(confirmPath), k)
	b.clock.advance(identity.ChallengeTTL)
	s.post(revoke, "passkey", late).wants(t, 401, "not accepted")
	if _, err := b.accounts.Authenticate(t.Context(), m.text); err != nil {
		t.Fatalf("the key is gone: %v", err)
	}
	answer := device.Answer(t, s.asks(confirmPath), k)
	s.post(revoke, "passkey", answer).leads(t, "/dashboard/keys")
	s.post(passkeysPath+"/"+b.passkeyOf(u)+"/remove", "passkey", answer).wants(t, 401, "not accepted")
}

func TestPasskey_RenameAndRemove(t *testing.T) {
	t.Parallel()
	b, u, s, k := keyed(t)
	b.member("other@shop.example")
	other, elsewhere := b.surfer(), b.surfer()
	other.signIn("other@shop.example")
	elsewhere.signIn(ownerEmail)
	path := passkeysPath + "/" + b.passkeyOf(u)
	other.post(path+"/name", "name", "Mine").wants(t, 404)
	other.post(path+"/remove", "password", testPassword).wants(t, 404)
	s.post(path+"/name", "name", strings.Repeat("x", 101)).wants(t, 400, "at most 100")
	s.post(path+"/name", "name", "Work phone").leads(t, securityPath)
	s.get(securityPath).wants(t, 200, "Work phone")
	s.post(path+"/remove", "password", "wrong password").wants(t, 400, "The password is wrong")
	s.post(path+"/remove").wants(t, 400)
	elsewhere.get("/dashboard").wants(t, 200)
	s.post(path+"/remove", "password", testPassword).leads(t, securityPath)
	s.get(securityPath).wants(t, 200, "Removed a passkey", "Work phone")
	elsewhere.get("/dashboard").leads(t, "/signin")
	b.audited(u, audit.ActionPasskeyRemove)
	if mails := b.mailed(2); !strings.Contains(mails[0]+mails[1], "passkey called “Work phone” no longer signs in") {
		t.Errorf("mailed: %q", mails)
	}

	// A removed passkey gets the same response as an unknown one.
	gone, never := b.surfer(), b.surfer()
	stranger := testkit.NewKey(t)
	stranger.Handle = []byte("01HZZZZZZZZZZZZZZZZZZZZZZZ")
	a := gone.enter(device.Answer(t, gone.asks(passkeyPath+"/ask"), k))
	z := never.enter(device.Answer(t, never.asks(passkeyPath+"/ask"), stranger))
	a.wants(t, 401, refusedPasskey)
	if z.status != 401 || anonymous(a.body) != anonymous(z.body) {
		t.Error("the responses reveal which passkeys there were")
	}
}

func TestPasskey_Disabled(t *testing.T) {
	t.Parallel()
	b, u, _, k := keyed(t)
	changed, err := b.people().DisableUser(t.Context(), u.ID, b.clock.Now(), audit.Record{})
	if must(t, err); !changed {
		t.Fatal("not disabled")
	}
	s := b.surfer()
	s.enter(device.Answer(t, s.asks(passkeyPath+"/ask"), k)).wants(t, 403, "This account is disabled")
	s.get("/dashboard").leads(t, "/signin")
}

// Guesses are slowed as those of passwords are; other users are not.
func TestPasskey_Throttled(t *testing.T) {
	t.Parallel()
	b, _, _, k := keyed(t)
	b.member("other@shop.example")
	found := device
	found.Unverified = true
	refused := 0
	for range 12 {
		s := b.surfer()
		r := s.enter(found.Answer(t, s.asks(passkeyPath+"/ask"), k))
		if r.status == 429 {
			refused++
			if r.header.Get("Retry-After") == "" {
				t.Error("it does not say when to come back")
			}
		}
		b.clock.advance(2 * time.Second) // requests for options are limited too
	}
	if refused < 3 {
		t.Errorf("only %d of 12 guesses were refused", refused)
	}
	s := b.surfer()
	s.enter(device.Answer(t, s.asks(passkeyPath+"/ask"), k)).wants(t, 429)
	s.signIn("other@shop.example")
	s.signIn(ownerEmail) // by password, which guesses at the passkey do not slow down
}

// Where browsers offer no passkeys, neither does the server.
func TestPasskey_NotHere(t *testing.T) {
	t.Parallel()
	for base, offered := range map[string]bool{
		"https://pay.example": true, "http://localhost:8080": true,
		"http://127.0.0.1:8080": false, "https://192.0.2.7": false, "https://[2001:db8::7]:8443": false, "http://pay.example": false,
	} {
		b := newDashboardAt(t, base)
		b.member(ownerEmail)
		s := b.surfer()
		if page := s.get("/signin"); strings.Contains(page.body, "passkey") != offered {
			t.Errorf("%s: sign-in offers passkeys: %t", base, !offered)
		}
		s.signIn(ownerEmail)
		if page := s.get(securityPath); strings.Contains(page.body, "Passkeys") != offered {
			t.Errorf("%s: the page about security offers passkeys: %t", base, !offered)
		}
		if offered {
			continue
		}
		r := s.post(passkeyPath + "/ask")
		var said struct{ Problem string }
		if err := json.Unmarshal([]byte(r.body), &said); r.status != 409 || err != nil ||
			!strings.Contains(said.Problem, "not available") {
			t.Errorf("%s: %d %s", base, r.status, r.body)
		}
	}
}
