package web

import (
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/web/session"
)

// TestReauth_Guessed: a stolen cookie is good for ten wrong passwords. The owner is mailed after five, and the
// right one in between begins anew.
func TestReauth_Guessed(t *testing.T) {
	t.Parallel()
	d := newDirected(t)
	u, err := d.accounts.UserByEmail(t.Context(), ownerEmail)
	must(t, err)
	owner := d.surfer()
	owner.signIn(ownerEmail)
	guess := func(password string) reply {
		return owner.post("/dashboard/team/invite", "email", "thief@example.com", "role", "owner", "password", password)
	}
	for range identity.WrongMailed - 1 {
		guess("not the password").wants(t, 400, "The password is wrong")
	}
	guess(testPassword)
	before := len(d.mail.all())
	for i := range identity.WrongEnds {
		d.clock.advance(session.ReauthTTL) // limits by address are whole again
		guess("not the password").wants(t, 400, "The password is wrong")
		if i == identity.WrongMailed-1 {
			if mails := strings.Join(d.mailed(before + 1)[before:], "\n"); !strings.Contains(mails, "Wrong passwords") {
				t.Errorf("after %d wrong passwords the mails are: %s", i+1, mails)
			}
		}
	}
	guess(testPassword).leads(t, "/signin")
	members, err := d.shops().Members(t.Context(), u.ID)
	must(t, err)
	if len(members) != 1 || members[0].Role != merchant.RoleOwner {
		t.Errorf("the team is %+v", members)
	}
}
