package web

import (
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/web/shell"
)

func TestSession_SignInAndOut(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	b.member(ownerEmail)
	s := b.surfer()
	s.get("/dashboard").leads(t, "/signin")
	s.get("/dashboard/payments?status=STARTED").leads(t,
		"/signin?next="+url.QueryEscape("/dashboard/payments?status=STARTED"))
	s.get("/signin").wants(t, 200, "Sign in")
	r := s.post("/signin", "email", ownerEmail, "password", testPassword, "next", "/dashboard/payments?status=STARTED")
	r.leads(t, "/dashboard/payments?status=STARTED")
	cookie := s.cookies["__Host-florin"]
	if cookie == nil || !cookie.Secure || !cookie.HttpOnly || cookie.Path != "/" || cookie.Domain != "" ||
		cookie.SameSite != http.SameSiteLaxMode {
		t.Fatalf("the session's cookie is %+v", cookie)
	}
	s.get("/dashboard").wants(t, 200, ownerEmail, "First steps")
	s.get("/signin").leads(t, "/dashboard")
	s.post("/signout").leads(t, "/signin")
	s.get("/signin").wants(t, 200, "You are signed out.")
	s.cookies["__Host-florin"] = cookie
	s.get("/dashboard").leads(t, "/signin")
}

// Over plain http the prefix would keep the browser from taking the cookie.
func TestSession_PlainHTTP(t *testing.T) {
	t.Parallel()
	b := newDashboard(t, func(_ *Deps, o *Options) { o.BaseURL, o.CheckoutURL = "http://localhost:8080", "http://localhost:8080" })
	b.member(ownerEmail)
	s := b.surfer()
	s.signIn(ownerEmail)
	if k := s.cookies["florin"]; k == nil || k.Secure || !k.HttpOnly {
		t.Errorf("cookies are %v", s.cookies)
	}
}

// Signing in does not keep a session that was planted before.
func TestSession_Fixation(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	b.member(ownerEmail)
	b.member("mallory@shop.example")
	mallory := b.surfer()
	mallory.signIn("mallory@shop.example")
	planted := *mallory.cookies["__Host-florin"]
	victim := b.surfer()
	victim.cookies["__Host-florin"] = &planted
	victim.post("/signin", "email", ownerEmail, "password", testPassword).leads(t, "/dashboard")
	if victim.cookies["__Host-florin"].Value == planted.Value {
		t.Error("signing in kept the planted session")
	}
	mallory.get("/dashboard").wants(t, 200, "mallory@shop.example")
}

func TestSession_ForgedCookies(t *testing.T) {
	t.Parallel()
	_, s := newOwner(t)
	good := s.cookies["__Host-florin"].Value
	for name, value := range map[string]string{
		"empty": "", "text": "fls_abc", "cut": good[:len(good)-4], "turned": strings.ToUpper(good),
		"bytes": "\x01\x02", "long": strings.Repeat("A", 6000),
	} {
		s.cookies["__Host-florin"] = &http.Cookie{Name: "__Host-florin", Value: value}
		if r := s.get("/dashboard"); r.status != http.StatusSeeOther {
			t.Errorf("%s: %d", name, r.status)
		}
	}
	// One cookie's value is not valid in another.
	s.cookies["__Host-florin-half"] = &http.Cookie{Name: "__Host-florin-half", Value: good}
	delete(s.cookies, "__Host-florin")
	s.post("/signin/code", "code", "123456").leads(t, "/signin")
}

func TestSession_Expires(t *testing.T) {
	t.Parallel()
	b, s := newOwner(t)
	const step = identity.SessionTTL / 6
	for range 5 {
		b.clock.advance(step)
		s.get("/dashboard").wants(t, 200)
	}
	b.clock.advance(step - time.Minute)
	s.get("/dashboard").wants(t, 200)
	b.clock.advance(2 * time.Minute)
	s.get("/dashboard").leads(t, "/signin")
}

// The same response for every address.
func TestSession_UniformAnswers(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	b.member(ownerEmail)
	known := b.surfer().post("/signin", "email", ownerEmail, "password", "not the password")
	unknown := b.surfer().post("/signin", "email", "eda@shop.example", "password", "not the password")
	if known.status != 401 || unknown.status != 401 ||
		anonymous(known.body) != anonymous(strings.ReplaceAll(unknown.body, "eda@", "ada@")) {
		t.Errorf("answers differ: %d, %d", known.status, unknown.status)
	}
	known.wants(t, 401, "The e-mail address or the password is wrong.", `value="`+ownerEmail+`"`)
	if strings.Contains(known.body, "not the password") {
		t.Error("the password is sent back")
	}
	a, z := b.surfer().post("/forgot", "email", ownerEmail), b.surfer().post("/forgot", "email", "eda@shop.example")
	if a.status != 200 || anonymous(a.body) != anonymous(z.body) {
		t.Error("a request for a new password reveals who has an account")
	}
}

var nonces = regexp.MustCompile(`nonce="[^"]*"`)

func anonymous(page string) string { return nonces.ReplaceAllString(page, "") }

func TestSession_Throttled(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	b.member(ownerEmail)
	refused := 0
	for range 12 {
		if r := b.surfer().do("POST", "/signin", url.Values{"email": {ownerEmail}, "password": {"wrong wrong wrong"}},
			"X-Forwarded-For", "203.0.113.9"); r.status == 429 {
			refused++
			r.wants(t, 429, "Too many")
			if r.header.Get("Retry-After") == "" {
				t.Error("it does not say when to come back")
			}
		}
	}
	if refused < 3 {
		t.Errorf("only %d of 12 guesses were refused", refused)
	}
}

// A user whose password is guessed is notified once a day, on whichever surface; no
// other user is.
func TestSession_GuessedAt(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	b.member(ownerEmail)
	b.member("bystander@shop.example")
	guess := func(email, address string) int {
		return b.surfer().do("POST", "/signin", url.Values{"email": {email}, "password": {"wrong wrong wrong"}},
			"X-Forwarded-For", address).status
	}
	for range 8 {
		guess(ownerEmail, "203.0.113.9")
	}
	time.Sleep(100 * time.Millisecond)
	if mails := b.mail.all(); len(mails) != 0 {
		t.Fatalf("mailed before anything was slowed: %q", mails)
	}
	for _, email := range []string{ownerEmail, ownerEmail, "nobody@shop.example"} {
		for range 10 {
			guess(email, "203.0.113.9")
			b.clock.advance(2 * time.Second) // these requests are limited too
		}
	}
	if mails := b.mailed(1); !strings.HasPrefix(mails[0], ownerEmail+"\nFailed attempts to sign in") {
		t.Errorf("mailed: %q", mails)
	}
	// A blocked address does not cause mails to other users.
	for i := 0; i < 80 && guess("u"+strconv.Itoa(i)+"@shop.example",
		"203.0.113.10") != http.StatusTooManyRequests; i++ {
		b.clock.advance(2 * time.Second)
	}
	if got := guess("bystander@shop.example", "203.0.113.10"); got != 429 {
		t.Errorf("the address may go on: %d", got)
	}
	b.clock.advance(identity.GuessMailEvery)
	for range 9 {
		b.graphQL(`mutation { UserLogin(email: "`+ownerEmail+`", password: "wrong wrong wrong") { code } }`, "", "X-Forwarded-For", "203.0.113.11")
	}
	if mails := b.mailed(2); len(mails) != 2 ||
		!strings.HasPrefix(mails[1], ownerEmail+"\nFailed attempts to sign in") {
		t.Errorf("mailed: %q", mails)
	}
}

func TestSafeNext(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"/dashboard/payments?status=STARTED": "/dashboard/payments?status=STARTED", "/operator": "/operator",
		"/dashboard": "/dashboard",
		"":           "/dashboard", "https://evil.example/dashboard": "/dashboard", "//evil.example/dashboard": "/dashboard", `/\evil.example`: "/dashboard",
		"/dashboard/../../evil": "/dashboard", "/dashboardevil": "/dashboard", "javascript:alert(1)": "/dashboard",
		"/dashboard/\r\nSet-Cookie: a=b": "/dashboard",
		"/signout":                       "/dashboard",
		"dashboard":                      "/dashboard", "/dashboard//evil.example": "/dashboard",
		"https:/dashboard":    "/dashboard",
		"/%2f%2fevil.example": "/dashboard", "/dashboard/%2e%2e/x": "/dashboard",
	} {
		if got := shell.SafeNext(text); got != want {
			t.Errorf("shell.SafeNext(%q) = %q, want %q", text, got, want)
		}
	}
}

func FuzzSafeNext(f *testing.F) {
	f.Add("/dashboard/payments?x=1")
	f.Add("//evil.example")
	f.Add("/\\evil")
	f.Fuzz(func(t *testing.T, text string) {
		to, err := url.Parse("https://pay.example/signin")
		if err != nil {
			t.Fatal(err)
		}
		to, err = to.Parse(shell.SafeNext(text))
		if err != nil || to.Host != "pay.example" || to.Scheme != "https" || !shell.InDashboard(to.Path) {
			t.Errorf("%q leads to %v, %v", text, to, err)
		}
	})
}

func TestSignUp(t *testing.T) {
	t.Parallel()
	t.Run("Open", func(t *testing.T) {
		t.Parallel()
		b := newDashboard(t)
		s := b.surfer()
		s.get("/signup").wants(t, 200, "Create an account")
		s.post("/signup", "email", "new@shop.example", "password", "short", "firstName", "<b>Ada</b>").
			wants(t, 400, "The password must have at least 10 characters.", "new@shop.example", "&lt;b&gt;Ada&lt;/b&gt;", `aria-invalid="true"`)
		s.post("/signup", "email", "nobody", "password", testPassword).wants(t, 400, "The e-mail address must be")
		s.post("/signup", "email", "new@shop.example", "password", testPassword).leads(t, "/dashboard")
		s.get("/dashboard").wants(t, 200, "new@shop.example", "Set up your shop")
		b.surfer().post("/signup", "email", "new@shop.example", "password", testPassword).wants(t, 409)
	})
	t.Run("Closed", func(t *testing.T) {
		t.Parallel()
		b := newDashboard(t, func(_ *Deps, o *Options) { o.SignUp = false })
		b.surfer().get("/signup?invite=x").wants(t, 200, "Signing up is closed")
		b.surfer().post("/signup", "email", "new@shop.example", "password", testPassword).wants(t, 403)
	})
	t.Run("Invited", func(t *testing.T) {
		t.Parallel()
		b := newDashboard(t, func(d *Deps, o *Options) { o.SignUp, d.Dashboard.Invite = false, true })
		host := b.member("host@shop.example")
		b.surfer().get("/signup").wants(t, 200, "by invitation")
		token, err := b.accounts.Invite(t.Context(), host, "guest@shop.example", audit.Act{})
		must(t, err)
		b.surfer().get("/signup?invite="+token.Reveal()).wants(t, 200, token.Reveal())
		b.surfer().get("/signup?invite=fli_gone").wants(t, 403, "This invitation has been used")
		b.surfer().post("/signup", "invite", token.Reveal(), "email", "else@shop.example", "password",
			testPassword).wants(t, 403, "for another address")
		b.surfer().post("/signup", "invite", token.Reveal(), "email", "guest@shop.example", "password",
			testPassword).leads(t, "/dashboard")
		b.surfer().post("/signup", "invite", token.Reveal(), "email", "guest@shop.example", "password",
			testPassword).wants(t, 403)
	})
}

var resetLink = regexp.MustCompile(`https://pay\.example(/reset\?token=(flr_\w+))`)

func TestReset(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	b.member(ownerEmail)
	old, s := b.surfer(), b.surfer()
	old.signIn(ownerEmail)
	s.post("/forgot", "email", ownerEmail).wants(t, 200, "on its way")
	s.post("/forgot", "email", "nobody@shop.example").wants(t, 200, "on its way")
	var link []string
	for deadline := time.Now().Add(time.Minute); link == nil &&
		time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		for _, text := range b.mail.all() {
			link = resetLink.FindStringSubmatch(text)
		}
	}
	if link == nil || len(b.mail.all()) != 1 {
		t.Fatalf("mailed %q", b.mail.all())
	}
	s.get(link[1]).wants(t, 200, "New password")
	s.post("/reset", "token", link[2], "password", "short").wants(t, 400, "at least 10")
	s.post("/reset", "token", link[2], "password", "another horse battery").leads(t, "/signin")
	old.get("/dashboard").leads(t, "/signin")
	s.post("/reset", "token", link[2], "password", "third horse battery").wants(t, 400, "This link has been used")
	b.dead(t, link[1])
	s.post("/signin", "email", ownerEmail, "password", testPassword).wants(t, 401)
	s.post("/signin", "email", ownerEmail, "password", "another horse battery").leads(t, "/dashboard")
	if _, err := b.accounts.SignIn(t.Context(),
		identity.Credentials{Email: ownerEmail, Password: secret.New("third horse battery")}); err == nil {
		t.Error("a link works twice")
	}
}

// A new password by mail ends sessions and keeps passkeys, which the mail and the
// next sign-in show to the user.
func TestReset_Passkeys(t *testing.T) {
	t.Parallel()
	b, _, s, k := keyed(t)
	s.post("/forgot", "email", ownerEmail).wants(t, 200)
	var link []string
	eventually(t, "the mail with the link", func() bool {
		link = resetLink.FindStringSubmatch(strings.Join(b.mail.all(), "\n"))
		return link != nil
	})
	s.post("/reset", "token", link[2], "password", "another horse battery").leads(t,
		"/signin?next=%2Fdashboard%2Fsecurity")
	var letter string
	eventually(t, "the mail about the reset", func() bool {
		for _, text := range b.mail.all() {
			if strings.HasPrefix(text, ownerEmail+"\nYour password was reset\n") {
				letter = text
			}
		}
		return letter != ""
	})
	for _, text := range []string{
		"- “Phone”, added on " + b.clock.Now().Format("Jan 2, 2006"),
		"Every session was ended", testBaseURL + securityPath,
	} {
		if !strings.Contains(letter, text) {
			t.Errorf("the letter lacks %q: %s", text, letter)
		}
	}
	s.get("/signin?next=%2Fdashboard%2Fsecurity").wants(t, 200, "A passkey of yours still signs in")
	s.post("/signin", "email", ownerEmail, "password", "another horse battery", "next", securityPath).leads(t,
		securityPath)
	s.get(securityPath).wants(t, 200, "Phone", "Reset the password")
	other := b.surfer()
	other.enter(device.Answer(t, other.asks(passkeyPath+"/ask"), k)).leads(t, "/dashboard")
}
