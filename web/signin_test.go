package web

import (
	"fmt"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"github.com/florinpay/florin/graph"
	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/store/storetest"
)

// A user with a second factor signs in over GraphQL with its code; wrong codes
// count like wrong passwords.
func TestLoginWithSecondFactor(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	session := secret.New(b.signUp(t, "ada@shop.example"))
	user, err := (storetest.People{Store: b.store.Identity()}).UserByEmail(t.Context(), "ada@shop.example")
	must(t, err)
	e, err := b.accounts.BeginFactor(t.Context(), user, session)
	must(t, err)
	code := func() string {
		b.clock.advance(time.Minute) // a code is accepted once
		text, err := totp.GenerateCode(e.Secret.Reveal(), b.clock.Now())
		must(t, err)
		return text
	}
	_, err = b.accounts.ConfirmFactor(t.Context(), user, code(), audit.Act{Session: session})
	must(t, err)
	login := func(password, more string) string {
		r := b.graphQL(`mutation { UserLogin(email: "ada@shop.example", password: "`+password+`"`+more+`) { code message token } }`, "")
		token := r.field(t, "data.UserLogin.token")
		if status := r.text(t, "data.UserLogin.code"); (status == "200") != (token != nil) {
			t.Errorf("%s", r.body)
		}
		return r.text(t, "data.UserLogin.code")
	}
	const right = "correct horse battery staple"
	good := code()
	for name, row := range map[string][3]string{
		"no code": {right, "", "401"}, "empty": {right, `, totp: ""`, "401"}, "no number": {right, `, totp: "hello"`, "401"},
		"wrong password": {"wrong horse battery staple", `, totp: "` + good + `"`, "401"},
	} {
		if got := login(row[0], row[1]); got != row[2] {
			t.Errorf("%s: %s", name, got)
		}
	}
	if got := login(right, `, totp: "`+good+`"`); got != "200" {
		t.Errorf("right code: %s", got)
	}
	if got := login(right, `, totp: "`+good+`"`); got != "401" {
		t.Errorf("the same code again: %s", got)
	}
	limited := false
	for range 20 {
		limited = limited || login(right, `, totp: "000000"`) == "429"
	}
	if !limited {
		t.Error("guessing codes is not slowed down")
	}
}

// Where sign-up is by invitation, the token of an invitation allows it, once.
func TestSignUpByInvitation(t *testing.T) {
	t.Parallel()
	b := newBundleWith(t, Options{BaseURL: testBaseURL, CheckoutURL: testBaseURL})
	boss, err := b.accounts.CreateUser(t.Context(),
		identity.NewUser{Email: "boss@shop.example", Password: secret.New("correct horse battery staple")}, audit.Act{})
	must(t, err)
	token, err := b.accounts.Invite(t.Context(), boss, "ada@shop.example", audit.Act{})
	must(t, err)
	d := b.server.d
	d.Dashboard = &Dashboard{Invite: true}
	b.server.api.GraphQL = graph.New(newOperations(d, b.server.o, b.server.sh.Limits), b.server.o.GraphQL, d.Log)
	ask := func(email, invitation string) string {
		r := b.graphQL(`mutation { UserSignUp(email: "`+email+`", password: "correct horse battery staple", invitation: "`+invitation+`") { code token } }`, "")
		return r.text(t, "data.UserSignUp.code")
	}
	for _, row := range [][3]string{
		{"ada@shop.example", "", "403"},
		{"ada@shop.example", "fli_x", "403"},
		{"eve@shop.example", token.Reveal(), "403"},
		{"ada@shop.example", token.Reveal(), "200"},
		{"bob@shop.example", token.Reveal(), "403"},
	} {
		if got := ask(row[0], row[1]); got != row[2] {
			t.Errorf("%s with an invitation of %d characters: %s", row[0], len(row[1]), got)
		}
	}
}

// Keys made at the same time cannot exceed the limit.
func TestKeyLimit(t *testing.T) {
	onEach(t, func(t *testing.T, b *bundle) {
		session := b.signUp(t, "ada@shop.example")
		var mu sync.Mutex
		var made, refused int
		var all sync.WaitGroup
		for range merchant.MaxKeys + 6 {
			all.Go(func() {
				r := b.graphQL(`mutation { UserCreateApiKey { code } }`, "", "Authorization", "Bearer "+session)
				mu.Lock()
				defer mu.Unlock()
				switch {
				case strings.Contains(r.body, "200"):
					made++
				case strings.Contains(r.body, "409"):
					refused++
				}
			})
		}
		all.Wait()
		if made != merchant.MaxKeys || refused != 6 {
			t.Errorf("%d made, %d refused", made, refused)
		}
	})
}

// dead fails unless a link to a new password that works no more says so before one is typed, with the way to another.
func (b dashboardBundle) dead(t *testing.T, link string) {
	t.Helper()
	for _, path := range []string{link, "/reset", "/reset?token=flr_" + strings.Repeat("x", 49)} {
		r := b.surfer().get(path)
		r.wants(t, 200, "This link has been used or is too old", `action="/forgot"`)
		if strings.Contains(r.body, `type="password"`) {
			t.Errorf("%s asks for a password in vain", path)
		}
	}
}

// TestSignIn_ManyRegions: whoever guesses at a user from more networks than all new devices may try from keeps them out
// with the password alone, but not with the link that the page names.
func TestSignIn_ManyRegions(t *testing.T) {
	t.Parallel()
	d := newDashboard(t)
	d.member(ownerEmail)
	refused := 0
	for i := range 600 {
		from := fmt.Sprintf("%d.%d.7.7", 30+i/250, i%250)
		if d.surfer().signInFrom("127.0.0.1", ownerEmail, "wrong password", "X-Forwarded-For", from) == 429 {
			refused++
		}
	}
	if refused == 0 {
		t.Fatal("all guesses are served")
	}
	s := d.surfer()
	here := []string{"X-Forwarded-For", "203.0.113.77"}
	form := url.Values{"email": {ownerEmail}, "password": {testPassword}}
	s.do("POST", "/signin", form, here...).wants(t, 429, "set a new password by mail")
	s.forgetsFrom(here[1], ownerEmail)
	link := resetLink.FindStringSubmatch(strings.Join(d.mail.all(), "\n"))
	next := url.Values{"token": {link[2]}, "password": {testPassword + " 2"}}
	s.do("POST", "/reset", next, here...).wants(t, 303)
	form.Set("password", testPassword+" 2")
	s.do("POST", "/signin", form, here...).wants(t, 303)
}
