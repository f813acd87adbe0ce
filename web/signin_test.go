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

// forgetsFrom asks for a link to a new password from an address.
func (s *surfer) forgetsFrom(address, email string) {
	s.b.t.Helper()
	s.do("POST", "/forgot", url.Values{"email": {email}}, "X-Forwarded-For", address).wants(s.b.t, 200, "on its way")
}

// mailsTo counts the mails to an address that have the subject.
func (b dashboardBundle) mailsTo(email, subject string) (n int) {
	for _, m := range b.mail.all() {
		if strings.HasPrefix(m, email+"\n"+subject+"\n") {
			n++
		}
	}
	return n
}

// TestSignIn_UnderAttack: while strangers guess at a user and have links to a new password sent, from ever other
// networks of theirs, the user signs in on a new device, gets a link, and is warned.
func TestSignIn_UnderAttack(t *testing.T) {
	t.Parallel()
	for name, address := range map[string]func(i int) string{
		"one /48":        func(i int) string { return fmt.Sprintf("2001:db8:7:%x::9", i) },
		"many /48":       func(i int) string { return fmt.Sprintf("2001:db8:%x::9", i) },
		"one /16":        func(i int) string { return fmt.Sprintf("198.51.%d.7", i%250) },
		"many addresses": func(i int) string { return fmt.Sprintf("%d.%d.7.7", 30+i%100, i%250) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDashboard(t)
			d.member(ownerEmail)
			for i := range 3 {
				d.surfer().forgetsFrom(address(i), ownerEmail)
			}
			refused := 0
			for i := range 150 {
				s := d.surfer()
				if s.signInFrom("127.0.0.1", ownerEmail, "wrong password", "X-Forwarded-For", address(i)) == 429 {
					refused++
				}
				d.clock.advance(time.Second / 3)
			}
			if name != "many addresses" && refused < 60 {
				t.Errorf("%d of 150 guesses are refused", refused)
			}
			if got := d.surfer().signInFrom(
				"127.0.0.1", ownerEmail, testPassword, "X-Forwarded-For", "203.0.113.77",
			); got != 303 {
				t.Errorf("the user on a new device is answered %d", got)
			}
			before := d.mailsTo(ownerEmail, "Set a new password")
			d.surfer().forgetsFrom("203.0.113.77", ownerEmail)
			d.surfer().forgetsFrom("203.0.113.78", ownerEmail)
			if got := d.mailsTo(ownerEmail, "Set a new password"); got != before+1 {
				t.Errorf("the user's network gets %d links, want one an hour", got-before)
			}
			if got := d.mailsTo(ownerEmail, "Failed attempts to sign in to your account"); got != 1 {
				t.Errorf("the user is warned %d times, want once", got)
			}
		})
	}
}

// TestGraphQL_RootFieldsCount: each root field of a document counts as a request.
func TestGraphQL_RootFieldsCount(t *testing.T) {
	t.Parallel()
	ask := func(fields int) (served int) {
		b := newBundle(t)
		var document strings.Builder
		for i := range fields {
			fmt.Fprintf(&document, "f%d: getTxnDetails(txnid: \"01ARZ3NDEKTSV4RRFFQ69G5FAV\") { code } ", i)
		}
		for range 500 {
			if b.graphQL("{ "+document.String()+"}", "", "X-Forwarded-For", "203.0.113.9").status == 200 {
				served++
			}
		}
		return served
	}
	if one, ten := ask(1), ask(10); ten > one/10 || ten < one/12 {
		t.Errorf("%d documents of one call are served, and %d of ten", one, ten)
	}
}

// TestLinks_NoTokenInAddress: a page that a link of a mail leads to has its token from a cookie, not from its address.
func TestLinks_NoTokenInAddress(t *testing.T) {
	t.Parallel()
	d := newDashboard(t)
	d.member(ownerEmail)
	d.surfer().post("/forgot", "email", ownerEmail).wants(t, 200)
	link := resetLink.FindStringSubmatch(strings.Join(d.mail.all(), "\n"))
	s := d.surfer()
	r := s.do("GET", link[1], nil)
	if r.status != 303 || r.header.Get("Location") != "/reset" {
		t.Fatalf("the link leads to %d %s", r.status, r.header.Get("Location"))
	}
	s.do("GET", "/reset", nil).wants(t, 200, `value="`+link[2]+`"`)
	for _, path := range []string{"/verify", "/join", "/stop", "/dashboard/join", "/signup"} {
		name := "token"
		if path == "/signup" {
			name = "invite"
		}
		s := d.surfer()
		s.signIn(ownerEmail)
		r := s.do("GET", path+"?"+name+"=flx_secret&lang=de", nil)
		if r.status != 303 || r.header.Get("Location") != path+"?lang=de" {
			t.Errorf("%s leads to %d %s", path, r.status, r.header.Get("Location"))
		}
	}
}

// TestInClear: behind a proxy that takes http, no API key works that was sent so, and no form.
func TestInClear(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m := b.newMerchant(5)
	for proto, want := range map[string]int{"http": 403, "https": 200} {
		header := []string{"X-Forwarded-For", "203.0.113.9", "X-Forwarded-Proto", proto}
		if r := b.ask("POST", "/create-payment", `{"apiKey":"`+m.text+`","amount":5}`, header...); r.status != want {
			t.Errorf("%s: a payment is answered %d %s", proto, r.status, r.body)
		}
		if r := b.graphQL(`{ getCreditsLeft(apiKey: "`+m.text+`") { code } }`, "", header...); r.status != want {
			t.Errorf("%s: a query is answered %d %s", proto, r.status, r.body)
		}
		if r := b.ask("GET", "/orders", "", append(header, "x-api-key", m.text)...); r.status != want {
			t.Errorf("%s: the orders are answered %d %s", proto, r.status, r.body)
		}
		if r := b.ask("GET", "/health", "", header...); r.status != 200 {
			t.Errorf("%s: the health is answered %d", proto, r.status)
		}
	}
}
