package web

import (
	"regexp"
	"strings"
	"testing"
)

// An operator lets a user in again: by a link to a new password, without the lost authenticator, and signed out of a
// stolen device. It takes the operator's password, is in the user's audit log, and is mailed to them.
func TestOperator_LockedOut(t *testing.T) {
	t.Parallel()
	b, root := rootDashboard(t)
	u := b.member(ownerEmail)
	page := "/operator/users/" + u.PublicID
	sent := func(text string) string {
		t.Helper()
		for _, m := range b.mail.all() {
			if strings.Contains(m, text) && strings.Contains(m, ownerEmail) {
				return m
			}
		}
		t.Errorf("no mail says %q", text)
		return ""
	}
	t.Run("Refused", func(t *testing.T) {
		for _, act := range []string{"/reset-link", "/reset-factor", "/end-sessions"} {
			root.post(page+act, "password", "wrong").wants(t, 400, "The password is wrong")
			other := b.surfer()
			other.signIn(ownerEmail)
			if r := other.post(page+act, "password", testPassword); r.status != 403 && r.status != 404 {
				t.Errorf("a merchant's %s: %d", act, r.status)
			}
		}
	})
	t.Run("EndSessions", func(t *testing.T) {
		owner := b.surfer()
		owner.signIn(ownerEmail)
		n := len(b.mail.all())
		root.post(page+"/end-sessions", "password", testPassword).leads(t, page)
		owner.get("/dashboard").leads(t, "/signin")
		root.get(page).wants(t, 200, "Ended all sessions of a user", rootEmail)
		b.mailed(n + 1)
		sent("You were signed out")
	})
	t.Run("ResetFactor", func(t *testing.T) {
		owner := b.surfer()
		owner.signIn(ownerEmail)
		n := len(b.mail.all())
		root.post(page+"/reset-factor", "password", testPassword).leads(t, page)
		owner.get("/dashboard").leads(t, "/signin")
		root.get(page).wants(t, 200, "Removed the second factors of a user", "No authenticator is in force")
		b.mailed(n + 1)
		sent("Your authenticator and passkeys were removed")
	})
	t.Run("ResetLink", func(t *testing.T) {
		n := len(b.mail.all())
		root.post(page+"/reset-link", "password", testPassword).leads(t, page)
		b.mailed(n + 1)
		link := regexp.MustCompile(`/reset\?token=\S+`).FindString(sent("Set a new password"))
		if r := root.get(page); strings.Contains(r.body, link) {
			t.Error("a link that was mailed is shown to the operator")
		}
		const next = "a wholly other phrase"
		_, token, _ := strings.Cut(link, "token=")
		if r := b.surfer().post("/reset", "token", token, "password", next); r.status >= 400 {
			t.Fatalf("the link: %d %s", r.status, r.start())
		}
		if r := b.surfer().post("/signin", "email", ownerEmail, "password", next); r.status != 303 {
			t.Errorf("the new password: %d %s", r.status, r.start())
		}
	})
}
