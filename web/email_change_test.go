package web

import (
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/merchant"
)

const (
	newEmail  = "ada@new.example"
	emailPath = securityPath + "/email"
)

// asksEmail asks for another address, and returns the link that was mailed there.
func (s *surfer) asksEmail(email string) (path, token string) {
	s.b.t.Helper()
	s.post(emailPath, "email", email, "password", testPassword).leads(s.b.t, securityPath)
	return s.b.linkTo(s.b.t, email, verifyLink)
}

// TestEmail_Changed: with the password, a user asks for another address; both are mailed, and the link in the mail to
// the new one makes the change, with the password once more.
func TestEmail_Changed(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	owner := b.member(ownerEmail)
	s := b.surfer()
	s.signIn(ownerEmail)
	s.invite("joiner@shop.example", "viewer")
	s.post(emailPath, "email", newEmail, "password", "wrong password").wants(t, 403, "The password is wrong")
	s.post(emailPath, "email", "nonsense", "password", testPassword).wants(t, 400, "The e-mail address")
	s.post(emailPath, "email", strings.ToUpper(ownerEmail), "password", testPassword).wants(t, 400, "already")
	path, token := s.asksEmail(newEmail)
	if n := b.mailsTo(ownerEmail, "Your e-mail address is about to change"); n != 1 {
		t.Errorf("%d mails to the present address", n)
	}
	b.surfer().signIn(ownerEmail) // until then

	on := b.surfer()
	on.do("GET", path, nil).leads(t, "/verify")
	on.get("/verify").wants(t, 200, newEmail)
	on.post("/verify", "token", token, "password", "wrong password").wants(t, 400, "not the password")
	on.post("/verify", "token", token, "password", testPassword).leads(t, "/dashboard")
	on.get(securityPath).wants(t, 200, newEmail, "Changed the e-mail address", "before: "+ownerEmail)
	s.get("/dashboard").leads(t, "/signin")
	b.surfer().signIn(newEmail)
	if r := b.surfer().post("/signin", "email", ownerEmail, "password", testPassword); r.status != 401 {
		t.Errorf("the address of before signs in: %d", r.status)
	}
	for _, to := range []string{ownerEmail, newEmail} {
		if n := b.mailsTo(to, "Your e-mail address was changed"); n != 1 {
			t.Errorf("%d mails to %s after the change", n, to)
		}
	}
	on.post("/verify", "token", token, "password", testPassword).wants(t, 400, "used or is too old")
	on.get(teamPath).wants(t, 200, "joiner@shop.example") // the invitation stands
	if got, err := b.accounts.UserByEmail(t.Context(), newEmail); err != nil || got.ID != owner.ID {
		t.Errorf("the user of the new address is %+v, %v", got, err)
	}
}

// TestEmail_NotChanged: a new password, a session that is ended and another owner of the address stop the change; a
// stranger who gets the link by a typing error cannot use it, and whose an address is, is not said.
func TestEmail_NotChanged(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	b.member(ownerEmail)
	b.member("other@shop.example")
	s := b.surfer()
	s.signIn(ownerEmail)
	const stopped = "used or is too old"
	_, token := s.asksEmail(newEmail)
	s.post(securityPath+"/sessions/end", "password", testPassword).leads(t, securityPath)
	b.surfer().post("/verify", "token", token, "password", testPassword).wants(t, 400, stopped)
	_, token = s.asksEmail(newEmail)
	s.post(securityPath+"/password", "old", testPassword, "next", testPassword+" 2").leads(t, securityPath)
	b.surfer().post("/verify", "token", token, "password", testPassword+" 2").wants(t, 400, stopped)
	s.post(securityPath+"/password", "old", testPassword+" 2", "next", testPassword).leads(t, securityPath)

	free := s.post(emailPath, "email", "free@shop.example", "password", testPassword).header.Get("Location")
	taken := s.post(emailPath, "email", "other@shop.example", "password", testPassword).header.Get("Location")
	if free != taken {
		t.Errorf("a free address leads to %s, a taken one to %s", free, taken)
	}
	if b.mailsTo("other@shop.example", "You have an account already") != 1 {
		t.Error("the user of the address is not notified")
	}
	_, token = s.asksEmail("late@shop.example")
	b.member("late@shop.example")
	b.surfer().post("/verify", "token", token, "password", testPassword).wants(t, 409, "already a user")
	b.clock.advance(identity.EmailChangeTTL)
	b.surfer().post("/verify", "token", token, "password", testPassword).wants(t, 400, stopped)
}

// TestEmail_Locked: on a locked account the link waits a day, in which a new password stops it.
func TestEmail_Locked(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	owner := b.member(ownerEmail)
	s := b.surfer()
	s.signIn(ownerEmail)
	_, token := s.asksEmail(newEmail)
	must(t, b.shops().Lock(t.Context(), owner.ID, b.clock.Now(), audit.Record{}))
	b.surfer().post("/verify", "token", token, "password", testPassword).wants(t, 409, "24 hours")
	b.clock.advance(merchant.LockDelay - time.Second)
	b.surfer().post("/verify", "token", token, "password", testPassword).wants(t, 409, "24 hours")
	b.clock.advance(time.Second)
	b.surfer().post("/verify", "token", token, "password", testPassword).leads(t, "/dashboard")
}
