package web

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"
)

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
