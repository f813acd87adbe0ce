package web

import (
	"regexp"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"github.com/florinpay/florin/internal/identity"
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
