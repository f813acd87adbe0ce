package web

import (
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/testkit"
)

// On a locked account an owner without a passkey and an authenticator is asked to set
// one up, and is not asked for a password that would be refused; with a passkey the
// forms ask for it and take it.
func TestLock_Passkey(t *testing.T) {
	t.Parallel()
	l := newLocked(t)
	l.t = t
	owner, err := l.accounts.UserByEmail(t.Context(), ownerEmail)
	must(t, err)
	_, _, err = l.accounts.CreateKey(t.Context(), owner, merchant.NewKey{Label: "Second shop"}, audit.Act{})
	must(t, err)
	s, k := l.surfer(), testkit.NewKey(t)
	s.signIn("second@shop.example")
	pages := []string{
		"/dashboard/settings/payouts?key=" + l.m.key.PublicID, keysPath, teamPath,
		campaignsPath + "/" + l.given.Slug + "/edit",
	}
	for _, page := range pages {
		r := s.get(page)
		r.wants(t, 200, `data-testid="set-up-factor"`, "You have neither yet")
		if strings.Contains(r.body, "Your password") && page != keysPath {
			t.Errorf("%s asks for a password that is refused", page)
		}
	}
	redirect := func(pairs ...string) reply {
		return s.post("/dashboard/settings/payouts", append([]string{
			"key", l.m.key.PublicID, "name", "Nordlicht", "wallet.POLYGON", thief, "wallet.BASE", merchantWallet,
			"wallet.BEP20", merchantWallet,
		}, pairs...)...)
	}
	redirect("password", testPassword).wants(t, 403, "password alone is not enough", "set-up-factor")
	s.addPasskey(k).leads(t, securityPath)
	for _, page := range pages {
		r := s.get(page)
		r.wants(t, 200, "Your passkey", "Use a passkey instead")
		if strings.Contains(r.body, "set-up-factor") {
			t.Errorf("%s asks to set up what is there", page)
		}
	}
	redirect("password", testPassword).wants(t, 403, "password alone is not enough")
	redirect("passkey", device.Answer(t, s.asks(confirmPath), testkit.NewKey(t))).wants(t, 403, "not accepted")
	answer := device.Answer(t, s.asks(confirmPath), k)
	redirect("passkey", answer).leads(t, "/dashboard/settings/payouts?key="+l.m.key.PublicID)
	redirect("passkey", answer).wants(t, 403, "not accepted")
	waiting, err := l.accounts.Waiting(t.Context(), owner.ID)
	must(t, err)
	if len(waiting) != 1 || waiting[0].By != "second@shop.example" {
		t.Errorf("these changes wait: %+v", waiting)
	}
	l.holds("a change confirmed by a passkey")
	l.clock.advance(merchant.LockDelay)
	l.apply()
	if l.wallet() != thief {
		t.Errorf("after 24 hours the wallet is %s", l.wallet())
	}
}

// What only refuses more than before is made at once on a locked account; an owner's
// invitation that was open when the account was locked is worthless.
func TestLock_AtOnce(t *testing.T) {
	t.Parallel()
	d := newDirected(t)
	owner, err := d.accounts.UserByEmail(t.Context(), ownerEmail)
	must(t, err)
	_, token, err := d.accounts.InviteMember(t.Context(), merchant.Membership{User: owner, Merchant: owner},
		"late@shop.example", merchant.RoleOwner, audit.Act{})
	must(t, err)
	l := d.lock()
	l.t = t
	late := d.surfer()
	late.get("/join?token="+token.Reveal()).wants(t, 403)
	options := func(pairs ...string) reply {
		return l.s.post("/dashboard/settings/payouts/options", append([]string{
			"key", l.m.key.PublicID, "password", l.code(), "POLYGON.enabled", "yes", "POLYGON.USDC", "yes",
		}, pairs...)...)
	}
	options("BASE.enabled", "yes", "BASE.USDC", "yes", "short", "0", "late", "0").leads(t,
		"/dashboard/settings/payouts?key="+l.m.key.PublicID)
	c, err := l.accounts.Custodian(t.Context(), l.m.key.ID)
	must(t, err)
	if c.Networks["BEP20"].Enabled || len(c.Networks["POLYGON"].Tokens) != 1 {
		t.Errorf("a network that is switched off waits: %+v", c.Networks)
	}
	options("BASE.enabled", "yes", "BASE.USDC", "yes", "short", "1", "late", "0").leads(t,
		"/dashboard/settings/payouts?key="+l.m.key.PublicID)
	if c, err = l.accounts.Custodian(t.Context(), l.m.key.ID); err != nil || c.ShortBasis != 0 {
		t.Errorf("short payments are accepted at once: %d, %v", c.ShortBasis, err)
	}
	path := keysPath + "/" + l.m.key.PublicID + "/permissions"
	l.s.post(
		path, "chosen", "yes", "permission", "create", "permission", "read", "password", l.code(),
	).leads(t, keysPath)
	keys, err := l.accounts.Keys(t.Context(), owner.ID)
	must(t, err)
	if got := keys[0].Permissions.String(); got != "create,read" {
		t.Errorf("a key that was narrowed may %s", got)
	}
	l.clock.advance(merchant.LockDelay)
	l.apply()
	if c, err = l.accounts.Custodian(t.Context(), l.m.key.ID); err != nil || c.ShortBasis != 100 {
		t.Errorf("after 24 hours payments may be short by %d, %v", c.ShortBasis, err)
	}
}

// Without mail no owner could stop a change, so no account is locked.
func TestLock_NoMail(t *testing.T) {
	t.Parallel()
	b := newDashboard(t, func(d *Deps, _ *Options) { d.Dashboard.Mails = false })
	owner := b.member(ownerEmail)
	m, s := b.shop(owner), b.surfer()
	s.signIn(ownerEmail)
	s.post("/dashboard/settings/payouts/lock", "key", m.key.PublicID, "password", testPassword).wants(t, 409,
		"set FLORIN_SMTP_URL first")
	if locked, err := b.accounts.Locked(t.Context(), owner.ID); err != nil || locked {
		t.Errorf("locked: %t, %v", locked, err)
	}
}
