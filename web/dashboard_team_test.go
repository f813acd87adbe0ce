package web

import (
	"fmt"
	"html"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/secret"
)

var joinLink = regexp.MustCompile(`(/join\?token=flt_\w{49})`)

// invite sends an invitation by the page and returns its path.
func (s *surfer) invite(email, role string) string {
	s.b.t.Helper()
	return s.linkOf(email, s.post("/dashboard/team/invite", "email", email, "role", role, "password", testPassword))
}

// linkOf is the path of the invitation that an answer shows.
func (s *surfer) linkOf(email string, r reply) string {
	s.b.t.Helper()
	r.wants(s.b.t, 200, "The invitation of "+email)
	link := joinLink.FindStringSubmatch(html.UnescapeString(r.body))
	if link == nil {
		s.b.t.Fatalf("no link: %s", plainText(r.body))
	}
	return link[1]
}

// invited signs in and invites a colleague.
func (s *surfer) invited(email, other, role string) {
	s.signIn(email)
	s.invite(other, role)
}

// A member is invited while sign-up is closed, joins, changes role and is removed.
func TestDashboard_Team(t *testing.T) {
	t.Parallel()
	b := newDashboard(t, func(_ *Deps, o *Options) { o.SignUp = false })
	owner := b.member(ownerEmail)
	b.shop(owner)
	s := b.surfer()
	s.signIn(ownerEmail)
	var first, link, id string
	dev := b.surfer()
	t.Run("Invite", func(t *testing.T) {
		s.get("/dashboard/team").wants(t, 200, "You work alone so far", "What each role may do", "May look at everything and change nothing.")
		s.post("/dashboard/team/invite", "email", "dev@shop.example", "role", "developer", "password",
			"wrong password").wants(t, 400, "The password is wrong")
		s.post("/dashboard/team/invite", "email", "dev@", "role", "developer", "password", testPassword).wants(t, 400,
			"The e-mail address")
		s.post("/dashboard/team/invite", "email", "dev@shop.example", "role", "root", "password",
			testPassword).wants(t, 400, "Role must be")
		s.post("/dashboard/team/invite", "email", ownerEmail, "role", "viewer", "password", testPassword).wants(t,
			409, "a member of this team already")
		first = s.invite("dev@shop.example", "viewer")
		link = s.invite("dev@shop.example", "developer")
		mails := b.mailed(2)
		if !strings.HasPrefix(mails[1], "dev@shop.example\n") && !strings.HasPrefix(mails[0], "dev@shop.example\n") {
			t.Errorf("mailed %q", mails)
		}
		page := s.get("/dashboard/team")
		page.wants(t, 200, "Invited", "dev@shop.example")
		if strings.Contains(page.body, "flt_") {
			t.Error("the link is shown again")
		}
	})
	// Anyone with the new link can join, so a session alone is not enough to get one.
	t.Run("Resend", func(t *testing.T) {
		invited, err := b.accounts.Invitations(t.Context(), owner)
		must(t, err)
		resend := "/dashboard/team/invitations/" + invited[0].ID + "/resend"
		s.post(resend).wants(t, 400, "The password is wrong")
		s.post(resend, "password", "wrong password").wants(t, 400, "The password is wrong")
		b.surfer().get(link).wants(t, 200, ownerEmail)
		old := link
		link = s.linkOf("dev@shop.example", s.post(resend, "password", testPassword))
		b.surfer().get(old).wants(t, 403, "used or revoked")
	})
	t.Run("Join", func(t *testing.T) {
		dev.get(first).wants(t, 403, "used or revoked")
		dev.get("/join?token=x").wants(t, 403, "used or revoked")
		dev.get(link).wants(t, 200, ownerEmail, "developer", `value="dev@shop.example"`)
		token := strings.TrimPrefix(link, "/join?token=")
		dev.post("/join", "token", token, "password", "short").wants(t, 400, "at least 10")
		dev.post("/join", "token", token, "email", "eve@shop.example", "password", testPassword, "firstName",
			"Dev").leads(t, "/dashboard")
		if _, err := b.accounts.UserByEmail(t.Context(), "eve@shop.example"); err == nil {
			t.Error("the form chose another address")
		}
		dev.get("/dashboard/keys").wants(t, 200, "Shop of "+ownerEmail, "create-key")
		dev.get(link).leads(t, "/dashboard/join")
		dev.get("/dashboard/join?token="+token).wants(t, 403, "used or revoked", "Back to the overview")
		dev.post("/dashboard/join", "token", token).wants(t, 403)
		b.surfer().get(link).wants(t, 403, "used or revoked")
	})
	t.Run("ChangeRole", func(t *testing.T) {
		team := s.get("/dashboard/team")
		team.wants(t, 200, "dev@shop.example", "Dev")
		id = regexp.MustCompile(`/dashboard/team/members/(\w{26})/role`).FindStringSubmatch(team.body)[1]
		s.post("/dashboard/team/members/"+id+"/role", "role", "viewer").wants(t, 400, "The password is wrong")
		s.post("/dashboard/team/members/"+id+"/role", "role", "viewer", "password", testPassword).leads(t,
			"/dashboard/team")
		r := dev.get("/dashboard/keys")
		r.wants(t, 200)
		if strings.Contains(r.body, "create-key") || strings.Contains(r.body, ">Create<") {
			t.Error("a viewer is offered to make keys")
		}
		dev.post("/dashboard/keys", "label", "x").wants(t, 403, "As viewer you may not", "You can ask "+ownerEmail)
	})
	t.Run("Remove", func(t *testing.T) {
		s.post("/dashboard/team/members/"+id+"/remove", "password", testPassword).leads(t, "/dashboard/team")
		dev.get("/dashboard/keys").wants(t, 403, "do not belong")
		dev.get("/dashboard/security").wants(t, 200)
		s.post("/dashboard/team/members/"+id+"/remove", "password", testPassword).wants(t, 404)
		s.post("/dashboard/team/leave").wants(t, 409, "last owner")
		s.get("/dashboard/security").wants(t, 200, "Invited a member", "Joined the team", "Changed a member",
			"Removed a member", "developer → viewer")
	})
}

// A user with an account of their own joins, and switches between the two.
func TestDashboard_Switcher(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	owner := b.member(ownerEmail)
	b.shop(owner)
	mine := b.shop(b.member("two@shop.example"))
	eve := b.surfer()
	b.member("eve@shop.example")
	eve.signIn("eve@shop.example")
	s := b.surfer()
	s.signIn(ownerEmail)
	link := s.invite("two@shop.example", "support")
	token := strings.TrimPrefix(link, "/join?token=")

	two := b.surfer()
	r := two.get(link)
	r.wants(t, 200, "Sign in to join")
	two.get("/signin?next=/dashboard/join%3Ftoken%3D"+token).wants(t, 200, "/dashboard/join?token="+token)
	eve.get("/dashboard/join?token="+token).wants(t, 200, "This invitation is for two@shop.example",
		`action="/signout"`, `name="next" value="/join"`)
	eve.post("/dashboard/join", "token", token).wants(t, 403)
	two.post("/signin", "email", "two@shop.example", "password", testPassword, "next",
		"/dashboard/join?token="+token).leads(t, "/dashboard/join?token="+token)
	two.get("/dashboard/join?token="+token).wants(t, 200, ownerEmail, "support")
	two.post("/dashboard/join", "token", token).leads(t, "/dashboard")
	two.get("/dashboard/keys").wants(t, 200, "Shop of "+ownerEmail, `data-testid="switcher"`)
	two.post("/dashboard/merchant", "merchant", "01HZZZZZZZZZZZZZZZZZZZZZZZ").wants(t, 403)
	two.post("/dashboard/merchant", "merchant", owner.PublicID).leads(t, "/dashboard")
	two.post("/dashboard/keys", "label", "x").wants(t, 403)
	two.post("/dashboard/merchant", "merchant", mine.key.UserPublic).leads(t, "/dashboard")
	two.get("/dashboard/keys").wants(t, 200, "Shop of two@shop.example", "create-key")
	eve.post("/dashboard/merchant", "merchant", owner.PublicID).wants(t, 403)
	two.post("/dashboard/merchant", "merchant", owner.PublicID).leads(t, "/dashboard")
	two.post("/dashboard/team/leave").leads(t, "/dashboard/security")
	two.get("/dashboard").wants(t, 403, "do not belong", `data-testid="switcher"`)
	two.post("/signout", "next", "//evil.example").leads(t, "/signin")
	eve.post("/signout", "next", "/join").leads(t, "/join")
}

// Guessing from many addresses is slowed; the user's own browser is not.
func TestDashboard_KnownDevice(t *testing.T) {
	t.Parallel()
	b, s := newOwner(t)
	s.post("/signout").leads(t, "/signin")
	limited := false
	for i := range 60 {
		_, err := b.accounts.SignIn(t.Context(), identity.Credentials{
			Email: ownerEmail, Password: secret.New("wrong password"),
			Address: "192.0.2." + string(rune('0'+i%10)) + string(rune('0'+i/10)),
		})
		if strings.Contains(err.Error(), "too many") {
			limited = true
		}
	}
	if !limited {
		t.Error("60 guesses at one user passed")
	}
	b.surfer().post("/signin", "email", ownerEmail, "password", testPassword).wants(t, 429, "Too many failed attempts")
	s.post("/signin", "email", ownerEmail, "password", testPassword).leads(t, "/dashboard")
}

// A change of wallets requires the password or a code, each code once and not too
// often, and notifies every owner.
func TestDashboard_Confirm(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	u := b.member(ownerEmail)
	m := b.shop(u)
	b.colleague(u, "second@shop.example", merchant.RoleOwner)
	b.colleague(u, "dev@shop.example", merchant.RoleDeveloper)
	s := b.surfer()
	s.signIn(ownerEmail)
	page := "/dashboard/settings/webhooks"
	post := func(callback, reauth string) reply {
		return s.post(page, "key", m.key.PublicID, "callbackUrl", "https://shop.example/"+callback, "password", reauth)
	}
	post("a", "123456").wants(t, 403, "The password is wrong")

	in, err := b.accounts.SignIn(t.Context(),
		identity.Credentials{Email: ownerEmail, Password: secret.New(testPassword)})
	must(t, err)
	e, err := b.accounts.BeginFactor(t.Context(), u, in.Token)
	must(t, err)
	code := func() string {
		text, err := totp.GenerateCode(e.Secret.Reveal(), b.clock.Now())
		must(t, err)
		return text
	}
	_, err = b.accounts.ConfirmFactor(t.Context(), u, code(), audit.Act{Session: in.Token})
	must(t, err)
	b.clock.advance(time.Minute) // the new factor has ended the session
	s.post("/signin", "email", ownerEmail, "password", testPassword).wants(t, 200, "Second step")
	s.post("/signin/code", "code", code()).leads(t, "/dashboard")
	post("a", code()).wants(t, 403, "was used already")
	b.clock.advance(time.Minute)
	s.post(page, "key", m.key.PublicID, "callbackUrl", "").wants(t, 403, "Your password, or a code of your authenticator")
	post("a", code()).leads(t, page+"?key="+m.key.PublicID)
	post("b", code()).wants(t, 403, "was used already")
	post("b", testPassword).leads(t, page+"?key="+m.key.PublicID)
	mails := strings.Join(b.mailed(4), "\n")
	for _, owner := range []string{ownerEmail, "second@shop.example"} {
		if strings.Count(mails, owner+"\nWhere your webhooks go") != 2 {
			t.Errorf("%s was notified: %s", owner, mails)
		}
	}
	if strings.Contains(mails, "dev@shop.example") {
		t.Error("a developer was notified")
	}
	limited := 0
	for i := range 20 {
		r := s.do("POST", page,
			url.Values{"key": {m.key.PublicID}, "password": {fmt.Sprintf("%06d", i)}})
		if r.status == 429 {
			limited++
		}
	}
	if limited < 8 {
		t.Errorf("%d of 20 wrong codes were refused for being too many", limited)
	}
	s.get("/dashboard/security").wants(t, 200, "Changed the callback address")
}
