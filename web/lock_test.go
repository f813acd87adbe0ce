package web

import (
	"fmt"
	"html"
	"log/slog"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/pquerna/otp/totp"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/testkit/browser"
)

// locked is a merchant whose owner has an authenticator and locked the account.
type locked struct {
	directed

	s     *surfer
	code  func() string
	txnid string // of a payment that the walk of every form completes
}

func newLocked(t *testing.T) locked {
	t.Helper()
	return newDirected(t).lock()
}

func (d directed) lock() locked {
	t := d.t
	t.Helper()
	u, err := d.accounts.UserByEmail(t.Context(), ownerEmail)
	must(t, err)
	d.colleague(u, "second@shop.example", merchant.RoleOwner)
	l := locked{directed: d, s: d.surfer()}
	l.s.signIn(ownerEmail)
	l.s.post("/dashboard/settings/payouts/lock", "key", d.m.key.PublicID, "password", testPassword).wants(t, 409,
		"set one up under Security")
	in, err := d.accounts.SignIn(
		t.Context(), identity.Credentials{Email: ownerEmail, Password: secret.New(testPassword)},
	)
	must(t, err)
	e, err := d.accounts.BeginFactor(t.Context(), u, in.Token)
	must(t, err)
	l.code = func() string {
		d.clock.advance(time.Minute) // each code counts once
		text, err := totp.GenerateCode(e.Secret.Reveal(), d.clock.Now())
		must(t, err)
		return text
	}
	_, err = d.accounts.ConfirmFactor(t.Context(), u, l.code(), audit.Act{Session: in.Token})
	must(t, err)
	l.s = d.surfer()
	r := l.s.post("/signin", "email", ownerEmail, "password", testPassword)
	if r.status != 200 && r.status != 303 {
		t.Fatalf("sign in: %d %s", r.status, r.start())
	}
	l.s.post("/signin/code", "code", l.code())
	l.s.post("/dashboard/settings/payouts/lock", "key", d.m.key.PublicID, "password", l.code()).leads(t,
		"/dashboard/settings/payouts?key="+d.m.key.PublicID)
	d.mailed(2)
	return l
}

// redirect asks for other wallets and re-authenticates with what is given.
func (l locked) redirect(reauth string) reply {
	return l.s.post(payoutsPath, "key", l.m.key.PublicID, "name", "Nordlicht", "wallet.POLYGON", thief,
		"wallet.BASE", merchantWallet, "wallet.BEP20", merchantWallet,
		"password", reauth)
}

// apply runs the loop twice at once, as one holder: only the transaction of each
// change keeps the two apart.
func (l locked) apply() {
	l.t.Helper()
	a := merchant.NewApplier(l.accounts.merchants, l.store.Lease, "one", slog.Default())
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() {
			if err := a.RunOnce(l.t.Context()); err != nil {
				l.t.Error(err)
			}
		})
	}
	all.Wait()
}

func (l locked) wallet() string {
	l.t.Helper()
	c, err := l.accounts.Custodian(l.t.Context(), l.m.key.ID)
	must(l.t, err)
	return string(c.Wallets["POLYGON"])
}

var stopLink = regexp.MustCompile(`/stop\?token=(flw_\w+)`)

// On a locked account the API changes no custodian, a password is not enough, and a
// change waits 24 hours in which the link of a mail stops it.
func TestLock_Stopped(t *testing.T) {
	t.Parallel()
	l := newLocked(t)
	l.t = t
	for _, call := range []string{"updateCustodianDetails", "createCustodianAccount"} {
		l.refused(call, l.code403(call), "locked", "dashboard")
	}
	l.redirect(testPassword).wants(t, 403, "password alone is not enough")
	before := len(l.mail.all())
	l.redirect(l.code()).leads(t, "/dashboard/settings/payouts?key="+l.m.key.PublicID)
	l.redirect(l.code()).wants(t, 409, "waits already")
	mails := strings.Join(l.mailed(before + 2)[before:], "\n")
	for _, want := range []string{
		ownerEmail + "\n", "second@shop.example\n", "Polygon: " + merchantWallet + " → " + thief,
		testBaseURL + "/stop?token=",
	} {
		if !strings.Contains(mails, want) {
			t.Errorf("the mails lack %q: %s", want, mails)
		}
	}
	l.s.get("/dashboard").wants(t, 200, `data-testid="waiting"`, "<b>"+thief[38:]+"</b>", "Stop this change")
	l.holds("a change that waits")
	token := stopLink.FindStringSubmatch(mails)[1]
	stranger := l.surfer()
	for range 2 { // a mail server reads the link, too
		stranger.get("/stop?token="+token).wants(t, 200, "<b>"+thief[38:]+"</b>", "Stop the change")
	}
	if w, err := l.accounts.Waiting(t.Context(), l.m.key.UserID); err != nil || len(w) != 1 {
		t.Fatalf("reading the link left %d changes, %v", len(w), err)
	}
	if r := stranger.do("POST", "/stop", nil, "Sec-Fetch-Site", "cross-site"); r.status != 403 {
		t.Errorf("another site's form: %d", r.status)
	}
	stranger.post("/stop", "token", token).wants(t, 200, "The change is stopped")
	stranger.post("/stop", "token", token).wants(t, 404, "Nothing to stop")
	stranger.get("/stop?token=flw_x").wants(t, 404, "Nothing to stop")
	l.clock.advance(merchant.LockDelay + time.Minute)
	l.apply()
	l.holds("a change that was stopped")
}

func (l locked) code403(call string) string {
	return l.directed.code(call + `(input: {apiKey: "` + l.m.text + `", wallets: {polygon: "` + thief + `"}})`)
}

// A change that nobody stops is made once, after 24 hours and not before, and so is
// one of a campaign's key; taking the lock off takes as long.
func TestLock_Made(t *testing.T) {
	t.Parallel()
	l := newLocked(t)
	l.t = t
	l.redirect(l.code()).leads(t, "/dashboard/settings/payouts?key="+l.m.key.PublicID)
	owner, err := l.accounts.UserByEmail(t.Context(), ownerEmail)
	must(t, err)
	other, _, err := l.accounts.CreateKey(t.Context(), owner, merchant.NewKey{Label: "Other"}, audit.Act{})
	must(t, err)
	l.s.post(campaignsPath+"/"+l.given.Slug+"/edit", "key", other.PublicID, "title", "New title", "password",
		l.code()).leads(t, campaignsPath+"/"+l.given.Slug)
	l.s.post("/dashboard/settings/payouts/unlock", "key", l.m.key.PublicID, "password", l.code()).leads(t,
		"/dashboard/settings/payouts?key="+l.m.key.PublicID)
	l.clock.advance(merchant.LockDelay - time.Hour)
	l.apply()
	l.holds("23 hours")
	l.refused("the API after 23 hours", l.code403("updateCustodianDetails"), "locked")
	l.clock.advance(time.Hour)
	l.apply()
	l.apply()
	c, _, err := l.campaigns.Get(t.Context(), l.given.Slug)
	must(t, err)
	if l.wallet() != thief || c.KeyID != other.ID || c.Title != "New title" {
		t.Errorf("after 24 hours the wallet is %s, and the campaign %+v", l.wallet(), c)
	}
	if on, err := l.accounts.Locked(t.Context(), owner.ID); err != nil || on {
		t.Errorf("after 24 hours the lock is on: %t, %v", on, err)
	}
	entries, err := l.store.Merchant().AuditLog(t.Context(), owner.ID, owner.ID, 0, 100)
	must(t, err)
	var all strings.Builder
	for _, e := range entries {
		fmt.Fprintf(&all, "%s %s: %s\n", e.Actor, e.Action, inEnglish(e.Detail))
	}
	log := all.String()
	for want, times := range map[string]int{
		"changed settlement wallets: Polygon: " + merchantWallet + " → " + thief: 1, "unlocked where money goes": 1,
		"asked for a change that waits 24 hours": 3, "changed a campaign: API key: Shop of": 1,
	} {
		if n := strings.Count(log, want); n != times {
			t.Errorf("the log says %q %d times, want %d: %s", want, n, times, log)
		}
	}
	if w, err := l.accounts.Waiting(t.Context(), owner.ID); err != nil || len(w) != 0 {
		t.Errorf("%d changes wait still, %v", len(w), err)
	}
}

// A change that cannot be made any more ends, and the others are made.
func TestLock_Failed(t *testing.T) {
	t.Parallel()
	l := newLocked(t)
	l.t = t
	l.redirect(l.code()).leads(t, "/dashboard/settings/payouts?key="+l.m.key.PublicID)
	l.s.post("/dashboard/settings/payouts/unlock", "key", l.m.key.PublicID, "password", l.code()).leads(t,
		"/dashboard/settings/payouts?key="+l.m.key.PublicID)
	must(t, l.accounts.RevokeKey(t.Context(), l.m.key, false, audit.Act{}))
	l.clock.advance(merchant.LockDelay)
	l.apply()
	if on, err := l.accounts.Locked(t.Context(), l.m.key.UserID); err != nil || on {
		t.Errorf("a failed change holds the next: %t, %v", on, err)
	}
	if l.wallet() != merchantWallet {
		t.Error("the custodian of a revoked key was changed")
	}
	if page := html.UnescapeString(l.s.get("/dashboard/security").body); !strings.Contains(strings.ToLower(page), "had a change that waited fail") {
		t.Error("the audit log lacks the change that failed")
	}
}

// TestLock_Removal: an owner who is to go cannot stop it, neither in the dashboard nor by a mail, whose link goes
// to the others alone; and what they have asked for themselves goes with them.
func TestLock_Removal(t *testing.T) {
	t.Parallel()
	l := newLocked(t)
	l.t = t
	second, err := l.accounts.UserByEmail(t.Context(), "second@shop.example")
	must(t, err)
	owner, err := l.accounts.UserByEmail(t.Context(), ownerEmail)
	must(t, err)
	must(t, l.accounts.merchants.Wait(t.Context(), merchant.Waiting{
		MerchantID: owner.ID, KeyID: l.m.key.ID, Kind: merchant.WaitingCustodian,
		Changes: []string{"POLYGON " + merchantWallet + " → " + thief},
	}, merchant.NewSettings{Custodian: merchant.CustodianInput{}}, "Shop",
		audit.Act{Who: second.Email, At: l.clock.Now()}))
	before := len(l.mail.all())
	l.s.post("/dashboard/team/members/"+second.PublicID+"/remove", "password", l.code()).leads(t, "/dashboard/team")
	for _, m := range l.mailed(before + 2)[before:] {
		if toSecond := strings.HasPrefix(m, second.Email+"\n"); toSecond == strings.Contains(m, "/stop?token=") {
			t.Errorf("to %s: %s", second.Email, m)
		}
	}
	list, err := l.accounts.Waiting(t.Context(), owner.ID)
	must(t, err)
	removal := list[len(list)-1]
	goes := l.surfer()
	goes.signIn(second.Email)
	goes.post("/dashboard/changes/"+removal.ID+"/stop").wants(t, 403, "about you")
	l.clock.advance(merchant.LockDelay)
	l.apply()
	members, err := l.shops().Members(t.Context(), owner.ID)
	must(t, err)
	if len(members) != 1 || l.wallet() != merchantWallet {
		t.Errorf("the members are %+v, and the wallet is %s", members, l.wallet())
	}
}

// TestLock_Factors: with a cookie and the password alone, neither is the authenticator of a member of a locked
// account turned off, nor a passkey added.
func TestLock_Factors(t *testing.T) {
	t.Parallel()
	l := newLocked(t)
	l.t = t
	const remove = "/dashboard/security/factor/remove"
	l.s.post(remove, "password", testPassword).wants(t, 403, "password alone is not enough")
	if r := l.s.post("/dashboard/security/passkeys/ask", "password", testPassword); r.status == 200 {
		t.Errorf("a passkey is offered for the password alone: %s", r.start())
	}
	l.s.post(remove, "password", l.code()).leads(t, "/dashboard/security")
	u, err := l.accounts.UserByEmail(t.Context(), ownerEmail)
	must(t, err)
	if on, _, err := l.accounts.Factor(t.Context(), u); err != nil || on {
		t.Errorf("the authenticator is on: %t, %v", on, err)
	}
}

// A change that waits, on every page that shows it, and the page that its mail leads to, in a browser.
func TestLock_Pages(t *testing.T) {
	t.Parallel()
	b, origin := serveDashboard(t)
	l := b.directed().lock()
	before := len(l.mail.all())
	l.redirect(l.code()).leads(t, "/dashboard/settings/payouts?key="+l.m.key.PublicID)
	token := stopLink.FindStringSubmatch(strings.Join(l.mailed(before + 2)[before:], "\n"))[1]
	for _, lang := range []string{"en", "ar", "zh"} { // in groups of four, whatever stands beside an address
		l.s.get("/dashboard?lang="+lang).wants(t, 200, "<b>"+merchantWallet[38:]+"</b>", "<b>"+thief[38:]+"</b>")
	}
	ctx := browser.New(t, browser.AllowError(`status of 404`))
	enterDashboard(ctx, t, origin, "second@shop.example")
	for page, path := range map[string]string{
		"waiting": "/dashboard",
		"locked":  "/dashboard/settings/payouts?key=" + l.m.key.PublicID, "keys": "/dashboard/keys",
		"stop": "/stop?token=" + token,
	} {
		browser.Run(ctx, t, chromedp.Navigate(origin+path), chromedp.WaitVisible("main h1"))
		if page != "keys" {
			browser.Run(ctx, t, chromedp.WaitVisible("//*[@data-testid='changes']//*[contains(., '"+thief+"')]", chromedp.BySearch))
		}
		lookAt(ctx, t, page)
	}
	browser.Run(ctx, t, chromedp.Navigate(origin+"/stop?token="+token), chromedp.WaitVisible("main h1"),
		chromedp.Click("main form button"), chromedp.WaitVisible("//h1[contains(., 'stopped')]", chromedp.BySearch))
	lookAt(ctx, t, "stopped")
	l.holds("a change that was stopped in a browser")
	browser.FirstParty(ctx, t, origin)
}
