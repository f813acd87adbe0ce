package web

import (
	"net/url"
	"strings"
	"testing"
	"time"
)

// A hint that applies to every wallet is shown once.
func TestDashboard_Custodian_Hints(t *testing.T) {
	t.Parallel()
	_, s, _ := newShop(t)
	page := s.get("/dashboard/settings/payouts").body
	for _, text := range []string{"unless the exchange takes deposits from contracts", "not that of a token account", "A network without a wallet is not offered"} {
		if n := strings.Count(page, text); n != 1 {
			t.Errorf("%q is said %d times", text, n)
		}
	}
}

func TestDashboard_Options(t *testing.T) {
	t.Parallel()
	b, s, m := newShop(t)
	form := []string{
		"key", m.key.PublicID, "POLYGON.enabled", "yes", "POLYGON.USDC", "yes", "POLYGON.min", "5",
		"BASE.finality", "12s", "short", "0.5", "late", "24",
	}
	s.post("/dashboard/settings/payouts/options", append(form, "POLYGON.max", "2")...).wants(
		t, 403, "must not be below",
	)
	s.post("/dashboard/settings/payouts/options", append(form, "BEP20.min", "x")...).wants(t, 403, "The amount")
	s.post("/dashboard/settings/payouts/options", "key", m.key.PublicID, "short", "11", "late", "800").wants(t, 403,
		"from 0 to 10", "from 0 to 720")
	before, err := b.accounts.Custodian(t.Context(), m.key.ID)
	must(t, err)
	for _, reauth := range [][]string{nil, {"password", "wrong password"}} {
		s.post("/dashboard/settings/payouts/options", append(form, reauth...)...).wants(t, 403, "problem-options-password", `name="BASE.finality" type="text" value="12s"`)
	}
	c, err := b.accounts.Custodian(t.Context(), m.key.ID)
	must(t, err)
	if c.LateFor != before.LateFor || c.ShortBasis != before.ShortBasis || len(c.Networks) != len(before.Networks) ||
		len(b.mail.all()) != 0 {
		t.Errorf("without re-authentication it is stored as %+v, and mailed: %q", c, b.mail.all())
	}
	form = append(form, "password", testPassword)
	for range 2 { // a save that changes nothing sends no mail
		s.post("/dashboard/settings/payouts/options", form...).leads(
			t, "/dashboard/settings/payouts?key="+m.key.PublicID,
		)
	}
	changes := "offered on BNB Smart Chain (BEP20): yes → no|tokens on Polygon: all → USDC|" +
		"smallest amount on Polygon: none → $5.00|final after on Base: the network's own rule → 12s|accepted short by: 0 % → 0.5 %|accepted after expiry for: 0 h → 24 h"
	mails := b.mailed(1)
	s.get("/dashboard/security").wants(t, 200, strings.Split(changes, "|")[1])
	for line := range strings.SplitSeq(changes, "|") {
		if !strings.Contains(mails[0], line+"\n") || !strings.HasPrefix(mails[0], ownerEmail+"\n") {
			t.Errorf("the mail lacks %q: %s", line, mails[0])
		}
	}
	if n := len(b.mail.all()); n != 1 {
		t.Errorf("%d mails were sent, want 1", n)
	}
	c, err = b.accounts.Custodian(t.Context(), m.key.ID)
	must(t, err)
	if c.ShortBasis != 50 || c.LateFor != 24*time.Hour || c.Networks["BEP20"].Enabled ||
		!c.Offers("POLYGON", "USDC") || c.Offers("POLYGON", "USDT") ||
		c.Networks["POLYGON"].MinAmount != 5_000_000 || c.Networks["BASE"].Finality.Depth != 12*time.Second {
		t.Errorf("stored %+v", c)
	}
	if got, err := b.accounts.Balance(t.Context(), m.key.ID); err != nil || got.Credits != 20 {
		t.Errorf("saving options cost credits: %+v, %v", got, err)
	}
	t.Run("SigningSecret", func(t *testing.T) {
		first := c.SigningSecrets[0]
		s.post("/dashboard/settings/webhooks/rotate", "key", m.key.PublicID, "password", testPassword).wants(t, 200,
			"Your signing secret", "Two signing secrets")
		c, err = b.accounts.Custodian(t.Context(), m.key.ID)
		must(t, err)
		if len(c.SigningSecrets) != 2 || !c.SigningSecrets[1].Equal(first) {
			t.Error("the old signing secret is gone at once")
		}
		s.post("/dashboard/settings/webhooks/retire", "key", m.key.PublicID, "password", testPassword).leads(t,
			"/dashboard/settings/webhooks?key="+m.key.PublicID)
		if c, err = b.accounts.Custodian(t.Context(), m.key.ID); err != nil || len(c.SigningSecrets) != 1 ||
			c.SigningSecrets[0].Equal(first) {
			t.Errorf("after retiring: %d secrets, %v", len(c.SigningSecrets), err)
		}
	})
}

func TestDashboard_Preview(t *testing.T) {
	t.Parallel()
	_, s, m := newShop(t)
	r := s.get("/dashboard/settings/checkout/preview?" + url.Values{
		"key": {m.key.PublicID}, "name": {"<script>alert(1)</script>"}, "primaryColor": {"red;}</style><script>"},
		"theme": {"DARK"},
	}.Encode())
	r.wants(t, 200, "&lt;script&gt;alert(1)", `data-theme="dark"`)
	if strings.Contains(r.body, "red;}") {
		t.Error("a colour reaches the style sheet")
	}
	csp := r.header.Get("Content-Security-Policy")
	if !strings.Contains(csp, "frame-ancestors 'self'") || !strings.Contains(csp, "form-action 'none'") ||
		strings.Contains(csp, "script-src") || r.header.Get("X-Frame-Options") != "SAMEORIGIN" {
		t.Errorf("the preview's policy is %q", csp)
	}
	if csp := s.get("/dashboard/settings/checkout").header.Get("Content-Security-Policy"); !strings.Contains(csp,
		"frame-src 'self'") || !strings.Contains(csp, "frame-ancestors 'none'") {
		t.Errorf("the page's policy is %q", csp)
	}
	if csp := s.get("/dashboard").header.Get("Content-Security-Policy"); strings.Contains(csp, "frame-src") {
		t.Errorf("the overview's policy is %q", csp)
	}
}
