package web

import (
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/web/session"
)

const (
	payoutsPath  = "/dashboard/settings/payouts"
	callbackPage = "/dashboard/settings/webhooks"
)

// One re-authentication opens the gate for ten minutes in its session: changes of where
// money goes ask for no second one. The pages show no input for it until a form needs
// one; then it stands in that form alone.
func TestReauth_Recent(t *testing.T) {
	t.Parallel()
	b, s, m := newShop(t)
	money := []string{"key", m.key.PublicID, "name", "Nordlicht", "wallet.POLYGON", merchantWallet}
	options := []string{
		"key", m.key.PublicID, "short", "1", "late", "0", "POLYGON.enabled", "yes", "POLYGON.USDT", "yes",
		"POLYGON.USDC", "yes",
	}
	forms := map[string][]string{
		payoutsPath: money, payoutsPath + "/options": options,
		callbackPage:             {"key", m.key.PublicID, "callbackUrl", "https://shop.example/hook"},
		callbackPage + "/secret": {"key", m.key.PublicID, "secret", "s3cret"},
		callbackPage + "/rotate": {"key", m.key.PublicID},
	}
	asks := func(r reply) int { return strings.Count(r.body, `name="password"`) }
	pages := func(t *testing.T) {
		t.Helper()
		for page, want := range map[string]int{payoutsPath: 1, callbackPage: 0} { // one is that of the lock
			if n := asks(s.get(page + "?key=" + m.key.PublicID)); n != want {
				t.Errorf("%s asks %d times, want %d", page, n, want)
			}
		}
	}
	t.Run("First", func(t *testing.T) {
		pages(t)
		for path, form := range forms {
			r := s.post(path, form...)
			r.wants(t, 403, "Enter your password to go on", `aria-invalid="true"`)
			want := 1
			if strings.HasPrefix(path, payoutsPath) {
				want++
			}
			if n := asks(r); n != want {
				t.Errorf("%s asks %d times, want %d: %s", path, n, want, plainText(r.body))
			}
		}
		s.post(payoutsPath, append(money, "password", testPassword)...).leads(t, payoutsPath+"?key="+m.key.PublicID)
	})
	t.Run("Holds", func(t *testing.T) {
		b.clock.advance(session.ReauthTTL - time.Second)
		pages(t)
		for path, form := range forms {
			if r := s.post(path, form...); r.status != 303 && !strings.Contains(r.body, "whsec_") {
				t.Errorf("%s is answered %d: %s", path, r.status, plainText(r.body))
			}
		}
	})
	t.Run("WrongPassword", func(t *testing.T) { // what is shown is checked
		s.post(payoutsPath, append(money, "password", "wrong password")...).wants(t, 403, "The password is wrong")
	})
	t.Run("Lapses", func(t *testing.T) {
		b.clock.advance(time.Second)
		for path, form := range forms {
			s.post(path, form...).wants(t, 403, "Enter your password to go on")
		}
	})
}

// A form that asked for no password does not count as a wrong one.
func TestReauth_NotAskedIsNoFailedTry(t *testing.T) {
	t.Parallel()
	_, s, m := newShop(t)
	for range 30 {
		s.post(payoutsPath, "key", m.key.PublicID, "name", "Nordlicht").wants(t, 403, "Enter your password to go on")
	}
	s.post(payoutsPath, "key", m.key.PublicID, "name", "Nordlicht", "password", testPassword).
		leads(t, payoutsPath+"?key="+m.key.PublicID)
}

// confirmed re-authenticates by a change that changes nothing.
func (s *surfer) confirmed(t *testing.T, m seller) {
	t.Helper()
	s.post(payoutsPath, "key", m.key.PublicID, "name", "Nordlicht", "wallet.POLYGON", merchantWallet,
		"password", testPassword).leads(t, "/dashboard/settings/payouts?key="+m.key.PublicID)
}

// What the ten minutes do not reach: other sessions, copies of the cookie from before, a
// session that signed out, the user's own sign-in, other members, and a locked account.
func TestReauth_RecentEnds(t *testing.T) {
	t.Parallel()
	b, s, m := newShop(t)
	wallet := []string{"key", m.key.PublicID, "name", "Nordlicht", "wallet.POLYGON", thief}
	other, copied := b.surfer(), s.stolen()
	other.signIn(ownerEmail)
	s.confirmed(t, m)
	t.Run("OtherSession", func(t *testing.T) { other.post(payoutsPath, wallet...).wants(t, 403) })
	t.Run("CopyFromBefore", func(t *testing.T) { copied.post(payoutsPath, wallet...).wants(t, 403) })
	t.Run("Others", func(t *testing.T) { // each of these asks for its own
		keys := keysPath + "/" + m.key.PublicID
		for _, path := range []string{
			securityPath + "/factor/remove", securityPath + "/sessions/end", securityPath + "/password",
			teamPath + "/invite", keys + "/permissions", keys + "/rotate",
			keys + "/revoke", "/dashboard/settings/payouts/lock",
			"/dashboard/payments/" + string(b.newPayment(m).ID) + "/complete",
		} {
			s.confirmed(t, m)
			r := s.post(path, "key", m.key.PublicID, "next", "another long password", "email", "thief@evil.example",
				"role", "owner", "chosen", "yes", "permission", "custodian", "reason", "cash")
			if r.status != 400 && r.status != 403 {
				t.Errorf("%s is answered %d without a password", path, r.status)
			}
		}
	})
	t.Run("NewKey", func(t *testing.T) { // vouching for a key is a re-authentication of its own
		s.post(keysPath, "label", "Second").wants(t, 200)
		keys, err := b.accounts.Keys(t.Context(), m.key.UserID)
		must(t, err)
		for _, k := range keys {
			if k.Label == "Second" && k.Confirmed {
				t.Error("a key made without a password is confirmed")
			}
		}
	})
	t.Run("SignedInAgain", func(t *testing.T) {
		s.confirmed(t, m)
		s.signIn(ownerEmail)
		s.post(payoutsPath, wallet...).wants(t, 403)
		s.confirmed(t, m)
		s.post("/signout")
		s.signIn(ownerEmail)
		s.post(payoutsPath, wallet...).wants(t, 403)
	})
	t.Run("ClockBack", func(t *testing.T) {
		s.confirmed(t, m)
		b.clock.advance(-time.Second)
		if r := s.post(payoutsPath, wallet...); r.status != 403 {
			t.Errorf("answered %d", r.status)
		}
		b.clock.advance(time.Second)
	})
	if c, err := b.accounts.Custodian(t.Context(), m.key.ID); err != nil || c.Wallets[chain.Polygon] != merchantWallet {
		t.Errorf("the wallet is %s, %v", c.Wallets[chain.Polygon], err)
	}
}

// On a locked account each change needs a code or a passkey of its own, however fresh
// the last one is.
func TestReauth_RecentLocked(t *testing.T) {
	t.Parallel()
	l := newLocked(t)
	l.t = t
	key := l.m.key.PublicID
	l.s.post(payoutsPath, "key", key, "name", "Nordlicht", "wallet.POLYGON", thief, "password", l.code()).
		leads(t, "/dashboard/settings/payouts?key="+key)
	for _, path := range []string{
		payoutsPath, "/dashboard/settings/webhooks/rotate", "/dashboard/settings/payouts/unlock",
	} {
		l.s.post(path, "key", key, "name", "Nordlicht", "wallet.BASE", thief).wants(t, 403)
	}
	l.s.post(keysPath+"/"+key+"/permissions", "chosen", "yes", "permission", "custodian").wants(t, 403)
	l.s.post(keysPath+"/"+key+"/rotate").wants(t, 403)
	if r := l.s.post(keysPath + "/" + key + "/revoke"); r.status < 400 {
		t.Errorf("a key is revoked without re-authentication: %d", r.status)
	}
	waiting, err := l.accounts.Waiting(t.Context(), l.m.key.UserID)
	must(t, err)
	if len(waiting) != 1 || waiting[0].Kind != merchant.WaitingCustodian {
		t.Errorf("these wait: %+v", waiting)
	}
}

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
