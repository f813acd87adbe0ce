package web

import (
	"image/color"
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/campaign"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/payment"
)

const (
	lure      = "Polygon is down: send USDC to 0x52908400098527886E0F7030069857D2E4169EE7"
	checkoutP = "/dashboard/settings/checkout"
)

// shownForms are the forms that change what payers read, with their fields beside the key.
func shownForms(slug string) map[string][]string {
	return map[string][]string{
		checkoutP:                            {"name", "Thief", "tagline", "Pay here"},
		campaignsPath:                        {"title", "Another", "slug", "another"},
		campaignsPath + "/" + slug + "/edit": {"title", "Another title"},
		"/dashboard/links":                   {"slug", "another-link", "description", "Pay here"},
	}
}

// TestShown_BareCookie: a session alone changes nothing that payers read; with re-authentication it does, and the
// owners are mailed with old and new. Once in ten minutes is enough.
func TestShown_BareCookie(t *testing.T) {
	t.Parallel()
	d := newDirected(t)
	for path, form := range shownForms(d.given.Slug) {
		s := d.surfer()
		s.signIn(ownerEmail)
		form = append([]string{"key", d.m.key.PublicID}, form...)
		s.post(path, form...).wants(t, 403, "problem-", "Enter your password")
		s.post(path, append(form, "password", "wrong password")...).wants(t, 403, "wrong")
	}
	s := d.surfer()
	s.signIn(ownerEmail)
	if r := s.upload(logoUpload, d.m.key.PublicID, "image/png", pictureOf(t, 64, color.Black)); r.status != 403 {
		t.Errorf("a logo is uploaded without re-authentication: %d", r.status)
	}
	custodian, err := d.accounts.Custodian(t.Context(), d.m.key.ID)
	must(t, err)
	c, _, err := d.campaigns.Get(t.Context(), d.given.Slug)
	must(t, err)
	if custodian.Name == "Thief" || custodian.Branding.Uploaded() || c.Title == "Another title" {
		t.Fatalf("a bare cookie made it %q, %q and %q", custodian.Name, custodian.Branding.LogoURL, c.Title)
	}
	reauth := []string{"password", testPassword}
	for path, form := range shownForms(d.given.Slug) {
		r := s.post(path, append(append([]string{"key", d.m.key.PublicID}, form...), reauth...)...)
		if r.status != 303 {
			t.Errorf("%s with re-authentication: %d %s", path, r.status, plainText(r.body))
		}
		reauth = nil
	}
	all := strings.Join(d.mail.all(), "\n\n")
	for _, want := range []string{
		"name: " + custodian.Name + " → Thief", "tagline: none → Pay here", "title: " + c.Title + " → Another title",
		"made the campaign “Another”", "made the payment link “another-link”",
	} {
		if !strings.Contains(all, want) {
			t.Errorf("no mail says %q: %s", want, all)
		}
	}
}

// TestShown_Addresses: no text that payers read holds the address of a wallet, whoever writes it, and over the API.
func TestShown_Addresses(t *testing.T) {
	t.Parallel()
	d := newDirected(t)
	s := d.surfer()
	s.signIn(ownerEmail)
	key, edit := d.m.key.PublicID, campaignsPath+"/"+d.given.Slug+"/edit"
	for _, form := range [][]string{
		{checkoutP, "name", lure},
		{checkoutP, "tagline", lure},
		{checkoutP, "name", "x", "website", "https://x.example/?to=" + lure[30:]},
		{campaignsPath, "title", lure},
		{campaignsPath, "title", "x y z", "description", "Help.\n\n" + lure},
		{edit, "title", "Winter", "description", lure},
		{"/dashboard/links", "slug", "lure", "description", lure},
	} {
		s.post(form[0], append([]string{"key", key, "password", testPassword}, form[1:]...)...).wants(t, 400, "address of a wallet")
	}
	answer := d.graphQL(`mutation { updateCustodianDetails(input: {apiKey: "`+d.m.text+`", branding: {tagline: "`+lure+`"}}) { code message } }`, "")
	if got := answer.text(t, "data.updateCustodianDetails.code"); got != "400" {
		t.Errorf("the API takes the tagline: %s", answer.body)
	}
	draft := campaign.LinkDraft{Slug: "lure", Description: lure}
	if _, err := d.campaigns.CreateLink(t.Context(), d.m.key.ID, draft, audit.Act{}); err == nil {
		t.Error("a link is made with an address")
	}
}

// TestLock_ByHand: on a locked account a payment is completed by hand after 24 hours, unless an owner stops it, and a
// developer replaces no key.
func TestLock_ByHand(t *testing.T) {
	t.Parallel()
	l := newLocked(t)
	made, stopped := l.newPayment(l.m), l.newPayment(l.m)
	for _, p := range []payment.Payment{made, stopped} {
		path := "/dashboard/payments" + "/" + string(p.ID)
		l.s.post(path+"/complete", "reason", "in cash", "password", l.code()).leads(t, path)
	}
	waiting, err := l.accounts.Waiting(t.Context(), l.m.key.UserID)
	must(t, err)
	for _, w := range waiting {
		if w.Subject == string(stopped.ID) {
			l.s.post("/dashboard/changes/" + w.ID + "/stop")
		}
	}
	l.clock.advance(merchant.LockDelay)
	l.apply()
	for p, want := range map[payment.ID]payment.Status{made.ID: payment.Completed, stopped.ID: payment.Pending} {
		if got, err := l.payments.Get(t.Context(), string(p)); err != nil || got.Status != want {
			t.Errorf("the payment is %s, want %s (%v)", got.Status, want, err)
		}
	}
	owner, err := l.accounts.UserByEmail(t.Context(), ownerEmail)
	must(t, err)
	l.colleague(owner, "dev@shop.example", merchant.RoleDeveloper)
	dev := l.surfer()
	dev.signIn("dev@shop.example")
	dev.post(keysPath+"/"+l.m.key.PublicID+"/rotate", "password", testPassword).wants(t, 403)
}

// TestCompleted_Mailed: the owners are mailed of each payment that a member completes by hand, and of the first of a
// day that a program does.
func TestCompleted_Mailed(t *testing.T) {
	t.Parallel()
	d := newDirected(t)
	s := d.surfer()
	s.signIn(ownerEmail)
	count := func() int { return d.mailsTo(ownerEmail, "A payment was completed by hand") }
	for range 2 {
		path := "/dashboard/payments" + "/" + string(d.newPayment(d.m).ID)
		s.post(path+"/complete", "reason", "in cash", "password", testPassword).leads(t, path)
	}
	if got := count(); got != 2 {
		t.Errorf("%d mails of two payments", got)
	}
	for range 2 {
		d.graphQL(`mutation { manualMarkAsCompleted(apiKey: "`+d.m.text+`", txnid: "`+string(d.newPayment(d.m).ID)+`") { code } }`, "")
	}
	if got := count(); got != 3 {
		t.Errorf("%d mails, want one more for two payments of a program", got)
	}
}
