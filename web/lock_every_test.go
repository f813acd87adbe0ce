package web

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/web/shell"
)

// What a POST of the dashboard does on a locked account: "waits" for 24 hours, is
// "refused", or is made "at once". Those at once move no money, and only refuse more than before.
var underLock = map[string]string{
	"/dashboard/settings/payouts":         "waits",
	"/dashboard/settings/webhooks":        "waits",
	"/dashboard/settings/payouts/options": "waits", "/dashboard/settings/webhooks/secret": "waits",
	"/dashboard/settings/payouts/unlock": "waits", "/dashboard/keys/:key/permissions": "waits",
	"/dashboard/campaigns/:campaign/edit": "waits", "/dashboard/team/members/:member/role": "waits",
	"/dashboard/team/members/:member/remove": "waits", "/dashboard/team/invite": "refused",
	"/dashboard/start": "refused", "/dashboard/start/dollar": "at once",

	"/dashboard/settings/webhooks/rotate": "waits", "/dashboard/settings/webhooks/retire": "at once",
	"/dashboard/settings/payouts/lock": "at once", "/dashboard/changes/:change/stop": "at once",
	"/dashboard/keys": "at once", "/dashboard/keys/:key/label": "at once", "/dashboard/keys/:key/rotate": "waits",
	"/dashboard/keys/:key/revoke": "at once", "/dashboard/credits": "at once",
	"/dashboard/payments/:txnid/cancel": "at once", "/dashboard/payments/:txnid/complete": "waits",
	"/dashboard/payments/:txnid/accept": "at once", "/dashboard/payments/:txnid/find": "at once",
	// The owner's own wallet sends a refund, whoever requests it.
	"/dashboard/payments/:txnid/refunds": "at once", "/dashboard/payments/:txnid/refunds/:id/:act": "at once",
	"/dashboard/refunds/:network/relay": "at once", "/dashboard/refunds/:network/ask": "at once",
	"/dashboard/refunds/:network/safe":   "at once",
	"/dashboard/payments/:txnid/resolve": "at once", "/dashboard/create": "at once",
	"/dashboard/attention": "at once", "/dashboard/links": "at once",
	"/dashboard/links/:link/edit": "at once", "/dashboard/links/:link/pause": "at once",
	"/dashboard/links/:link/resume": "at once", "/dashboard/campaigns": "at once",
	"/dashboard/campaigns/:campaign/pause": "at once", "/dashboard/campaigns/:campaign/resume": "at once",
	"/dashboard/campaigns/:campaign/end": "at once", "/dashboard/campaigns/:campaign/review": "at once",
	"/dashboard/settings/news": "at once", "/dashboard/settings/news/chat": "at once", // news redirect no money
	"/dashboard/settings/settlement": "at once", "/dashboard/settings/settlement/now": "at once",
	"/dashboard/settings/checkout": "waits", "/dashboard/settings/checkout/logo": "waits",
	"/dashboard/settings/checkout/logo/remove": "at once", "/dashboard/webhooks/ping": "at once",
	"/dashboard/webhooks/stop":   "at once",
	"/dashboard/webhooks/resend": "at once", "/dashboard/webhooks/:id/resend": "at once",
	"/dashboard/team/invitations/:invitation/resend": "at once",
	"/dashboard/team/invitations/:invitation/revoke": "at once", "/dashboard/team/leave": "at once",
	"/dashboard/steps": "at once",
	"/dashboard/join":  "at once", "/dashboard/merchant": "at once", "/dashboard/confirm": "at once",
	"/dashboard/security/email":    "at once", // the link in the mail waits (TestEmail_Locked)
	"/dashboard/security/language": "at once",
	"/dashboard/security/password": "at once", "/dashboard/security/verify": "at once",
	"/dashboard/security/factor": "at once", "/dashboard/security/factor/confirm": "at once",
	"/dashboard/security/factor/remove": "at once", "/dashboard/security/passkeys": "at once",
	"/dashboard/security/passkeys/ask": "at once", "/dashboard/security/passkeys/:passkey/name": "at once",
	"/dashboard/security/passkeys/:passkey/remove": "at once", "/dashboard/security/sessions/end": "at once",
	"/dashboard/security/sessions/:session/end": "at once",
}

// ending are the routes that end what the walk needs; nothing that waits hides there.
var ending = []string{
	"/revoke", "/leave", "/cancel", "/security/password", "/merchant", "/factor/remove", "/factor", "/sessions/end",
	":session/end", "/stop",
}

// directions writes everything that has to wait on a locked account.
func (l locked) directions() string {
	l.t.Helper()
	ctx := l.t.Context()
	var b strings.Builder
	keys, err := l.accounts.Keys(ctx, l.m.key.UserID)
	must(l.t, err)
	for _, k := range keys {
		if k.Label == "Made on the way" {
			continue
		}
		fmt.Fprintf(&b, "key %s may %s from %q, text %x\n", k.Name(), k.Permissions, k.Sources, k.Hash)
		if c, err := l.accounts.Custodian(ctx, k.ID); err == nil {
			fmt.Fprintf(&b, "%v %s %t %v %d %s\n", c.Wallets, c.CallbackURL, c.Secret.Empty(), c.Networks, c.ShortBasis,
				c.LateFor)
			fmt.Fprintf(&b, "shown %s %+v, %d signing secrets\n", c.Name, c.Branding, len(c.SigningSecrets))
		}
	}
	owner, err := l.accounts.UserByEmail(ctx, ownerEmail)
	must(l.t, err)
	members, err := l.accounts.Members(ctx, owner)
	must(l.t, err)
	for _, m := range members {
		fmt.Fprintf(&b, "%s is %s\n", m.User.Email, m.Role)
	}
	invited, err := l.accounts.Invitations(ctx, owner)
	must(l.t, err)
	for _, n := range invited {
		fmt.Fprintf(&b, "%s is invited as %s\n", n.Email, n.Role)
	}
	c, _, err := l.campaigns.Get(ctx, l.given.Slug)
	must(l.t, err)
	on, err := l.accounts.Locked(ctx, owner.ID)
	must(l.t, err)
	fmt.Fprintf(&b, "campaign “%s” of key %d, locked %t\n", c.Title, c.KeyID, on)
	p, err := l.payments.Get(ctx, l.txnid)
	must(l.t, err)
	fmt.Fprintf(&b, "payment %s\n", p.Status)
	return b.String()
}

// An attacker with the session, the password and a code of one owner posts every form
// of the dashboard: nothing of where money goes, of what counts as paid, and of who may
// change them is different before 24 hours.
func TestLock_EveryForm(t *testing.T) {
	t.Parallel()
	l := newLocked(t)
	l.t = t
	l.txnid = string(l.newPayment(l.m).ID)
	owner, err := l.accounts.UserByEmail(t.Context(), ownerEmail)
	must(t, err)
	second, err := l.accounts.UserByEmail(t.Context(), "second@shop.example")
	must(t, err)
	_, viewer := l.colleague(owner, "viewer@shop.example", merchant.RoleViewer)
	other, _, err := l.accounts.CreateKey(t.Context(), owner, merchant.NewKey{
		Label: "Other", Limited: true, By: merchant.RoleDeveloper,
	}, audit.Act{})
	must(t, err)
	before := l.directions()
	routes := l.accountRoutes("POST")
	slices.Sort(routes) // the wallets first: one change of a custodian waits at a time
	for _, route := range routes {
		if !shell.InDashboard(route) || strings.HasPrefix(route, operatorPath) {
			continue
		}
		want, known := underLock[route]
		if !known {
			t.Errorf("%s: does it wait on a locked account?", route)
		}
		if slices.ContainsFunc(ending, func(e string) bool { return strings.HasSuffix(route, e) }) {
			continue
		}
		for _, m := range []identity.User{second, viewer} {
			if m.ID == viewer.ID && strings.HasSuffix(route, "/remove") {
				continue // who is no owner is removed at once
			}
			l.attack(t, route, want, m, other)
		}
		if after := l.directions(); after != before {
			t.Fatalf("%s changed at once:\n%s\nto:\n%s", route, before, after)
		}
	}
	waiting, err := l.accounts.Waiting(t.Context(), owner.ID)
	must(t, err)
	var kinds []string
	for _, w := range waiting {
		kinds = append(kinds, string(w.Kind))
	}
	slices.Sort(kinds)
	if got := strings.Join(kinds, " "); got != "campaign custodian paid removal rights role rotation shown signing unlock" {
		t.Errorf("these changes wait: %s", got)
	}
	l.clock.advance(merchant.LockDelay + time.Minute)
	l.apply()
	after := l.directions()
	for _, made := range []string{thief, "key Other may create,read,cancel,complete,custodian", "locked false", "campaign “x”", "payment COMPLETED", "2 signing secrets"} {
		if !strings.Contains(after, made) {
			t.Errorf("after 24 hours %q is missing: %s", made, after)
		}
	}
	if strings.Contains(after, second.Email) {
		t.Errorf("the owner who was removed is a member: %s", after)
	}
}

// attack posts a form with everything that could redirect money.
func (l locked) attack(t *testing.T, route, want string, m identity.User, other merchant.Key) {
	t.Helper()
	path := strings.NewReplacer(":key", other.PublicID, ":campaign", l.given.Slug, ":link", l.link.Slug, ":id", "1",
		":member", m.PublicID, ":txnid", l.txnid).Replace(route)
	key := l.m.key.PublicID
	if strings.Contains(route, ":campaign") {
		key = other.PublicID
	}
	form := []string{
		"key", key, "name", "Nordlicht", "tagline", "Pay me", "wallet.POLYGON", thief, "wallet.BASE", thief,
		"callbackUrl", "https://evil.example/hook", "secret", "known", "short", "10", "late", "720", "POLYGON.enabled", "yes",
		"POLYGON.finality", "1s", "title", "x", "role", "owner", "email", "thief@evil.example", "chosen", "yes",
		"label", "Made on the way", "reason", "paid in cash", "password", l.code(),
	}
	for _, p := range merchant.EveryPermission() {
		form = append(form, "permission", string(p))
	}
	if strings.HasSuffix(route, "/label") {
		form = []string{"label", other.Label}
	}
	r := l.s.post(path, form...)
	if m.Email == "viewer@shop.example" || want != "refused" {
		return
	}
	if r.status != 409 {
		t.Errorf("%s is answered %d: %s", route, r.status, plainText(r.body))
	}
}
