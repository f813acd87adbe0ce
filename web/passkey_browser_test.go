package web

import (
	"context"
	"maps"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/webauthn"
	"github.com/chromedp/chromedp"

	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/store/storetest"
	"github.com/florinpay/florin/internal/testkit"
	"github.com/florinpay/florin/internal/testkit/browser"
)

// withAuthenticator gives the page a device with a fingerprint reader.
func withAuthenticator(ctx context.Context, t *testing.T) webauthn.AuthenticatorID {
	t.Helper()
	var id webauthn.AuthenticatorID
	browser.Run(ctx, t, webauthn.Enable(), chromedp.ActionFunc(func(ctx context.Context) (err error) {
		id, err = webauthn.AddVirtualAuthenticator(&webauthn.VirtualAuthenticatorOptions{
			Protocol: webauthn.AuthenticatorProtocolCtap2, Transport: webauthn.AuthenticatorTransportInternal,
			HasResidentKey: true, HasUserVerification: true, IsUserVerified: true, AutomaticPresenceSimulation: true,
		}).Do(ctx)
		return err
	}))
	return id
}

// verifies sets whether the finger on the device is the owner's.
func verifies(id webauthn.AuthenticatorID, yes bool) chromedp.Action {
	return chromedp.ActionFunc(func(ctx context.Context) error { return webauthn.SetUserVerified(id, yes).Do(ctx) })
}

// A passkey in a browser is added, signs in, re-authenticates, and is refused
// once it is removed.
func TestPasskey_Browser(t *testing.T) {
	t.Parallel()
	b, origin := serveDashboardAs(t, "localhost")
	u := b.member(ownerEmail)
	b.shop(u)
	ctx := browser.New(t, browser.AllowError(`status of 40[01]`), browser.AllowError(`status of 403`))
	id := withAuthenticator(ctx, t)
	const signIn = "[data-testid=passkey]"

	enterDashboard(ctx, t, origin, ownerEmail)
	browser.Run(ctx, t, chromedp.Navigate(origin+securityPath), chromedp.WaitVisible("[data-testid=add-passkey]"))
	lookAt(ctx, t, "security-no-passkey")
	// A wrong password is reported beside the form, and the input stays.
	var problem, name string
	browser.Run(ctx, t, chromedp.SendKeys("#f-name", "Phone"), chromedp.SendKeys(
		"#f-dashboard-security-passkeys-password", "wrong password",
	),
		chromedp.Click("[data-testid=add-passkey]"),
		chromedp.WaitVisible("form[data-passkey-at] > .problem:not(:empty)"), chromedp.Text("form[data-passkey-at] > .problem", &problem), chromedp.Value("#f-name", &name))
	if problem != "The password is wrong." || name != "Phone" {
		t.Errorf("it says %q about %q", problem, name)
	}
	browser.Run(ctx, t, chromedp.SetValue("#f-dashboard-security-passkeys-password", testPassword),
		chromedp.Click("[data-testid=add-passkey]"), chromedp.WaitVisible("[data-testid=passkeys]"))
	lookAt(ctx, t, "security-passkey")

	// Signed out, and in again without typing anything.
	browser.Run(ctx, t, chromedp.EvaluateAsDevTools(`document.querySelector("form[action='/signout']").submit()`, nil), chromedp.WaitVisible(signIn))
	lookAt(ctx, t, "signin-passkey")
	browser.Run(ctx, t, verifies(id, false), chromedp.Click(signIn), chromedp.WaitVisible("form[data-passkey-at] > .problem:not(:empty)"),
		verifies(id, true), chromedp.Navigate(origin+"/signin?next=/dashboard/keys"), chromedp.Click(signIn), chromedp.WaitVisible(".column h1"))
	var at string
	browser.Run(ctx, t, chromedp.Location(&at))
	if at != origin+"/dashboard/keys" {
		t.Errorf("signing in leads to %s", at)
	}

	// It re-authenticates a change of wallets.
	browser.Run(ctx, t, chromedp.Navigate(origin+"/dashboard/settings/payouts"), chromedp.SetValue("[name='wallet.BASE']", "0x00000000000000000000000000000000000000AA"))
	browser.Run(ctx, t, chromedp.Click("[data-testid=save-money]"), chromedp.WaitVisible("[data-testid=money-form] .passkey button"))
	lookAt(ctx, t, "payouts-passkey")
	browser.Run(ctx, t, chromedp.Click("[data-testid=money-form] .passkey button"), chromedp.WaitVisible(".notice"))
	keys, err := storetest.Accounts{Store: b.store.Merchant()}.Keys(t.Context(), u.ID)
	must(t, err)
	c, err := b.accounts.Custodian(t.Context(), keys[0].ID)
	if must(t, err); !strings.EqualFold(string(c.Wallets["BASE"]), "0x00000000000000000000000000000000000000AA") {
		t.Errorf("the wallet on Base is %s", c.Wallets["BASE"])
	}

	// The same device makes no second one for the same account.
	browser.Run(ctx, t, chromedp.Navigate(origin+securityPath), chromedp.WaitVisible("[data-testid=add-passkey]"),
		chromedp.Click("form[data-passkey-at] .passkey button"), chromedp.WaitVisible("form[data-passkey-at] .problem:not(:empty)"),
		chromedp.Text("form[data-passkey-at] .passkey .problem", &problem))
	if !strings.Contains(problem, "already") {
		t.Errorf("a second passkey: %q", problem)
	}

	// A passkey can remove itself, and no longer signs in afterwards.
	t.Run("Remove", func(t *testing.T) {
		browser.Run(ctx, t, chromedp.Click("[data-testid=passkeys] summary"),
			chromedp.Click("[data-testid=passkeys] .passkey button"),
			chromedp.WaitNotPresent("[data-testid=passkeys]"), chromedp.WaitVisible(".notice"))
		browser.Run(ctx, t, chromedp.EvaluateAsDevTools(`document.querySelector("form[action='/signout']").submit()`, nil), chromedp.WaitVisible(signIn),
			chromedp.Click(signIn), chromedp.WaitVisible("[role=alert]:not(:empty)"), chromedp.Text("main", &problem))
		if !strings.Contains(problem, refusedPasskey) {
			t.Errorf("after removal: %q", problem)
		}
	})
	browser.FirstParty(ctx, t, origin)
}

// passkeyAttack is what an attacker has: another user's device, and the responses of
// the owner's browser and device (k).
type passkeyAttack struct {
	b      dashboardBundle
	u      identity.User
	owner  *surfer
	k      *testkit.Key
	stolen *testkit.Key
}

// passkeyAttacks return the answer to a sign-in that must fail.
var passkeyAttacks = map[string]func(t *testing.T, a passkeyAttack, s *surfer) reply{
	"Replayed": func(t *testing.T, a passkeyAttack, s *surfer) reply {
		asked := s.asks(passkeyPath + "/ask")
		before := maps.Clone(s.cookies)
		answer := device.Answer(t, asked, a.k)
		s.enter(answer).leads(t, "/dashboard")
		s.cookies = before
		return s.enter(answer)
	},
	"AnotherSession": func(t *testing.T, a passkeyAttack, s *surfer) reply {
		answer := device.Answer(t, a.b.surfer().asks(passkeyPath+"/ask"), a.k)
		s.asks(passkeyPath + "/ask")
		return s.enter(answer)
	},
	"NotAsked": func(t *testing.T, a passkeyAttack, s *surfer) reply {
		return s.enter(device.Answer(t, a.b.surfer().asks(passkeyPath+"/ask"), a.k))
	},
	"Expired": func(t *testing.T, a passkeyAttack, s *surfer) reply {
		answer := device.Answer(t, s.asks(passkeyPath+"/ask"), a.k)
		kept := maps.Clone(s.cookies)
		a.b.clock.advance(identity.ChallengeTTL)
		s.cookies = kept
		return s.enter(answer)
	},
	"Origin": func(t *testing.T, a passkeyAttack, s *surfer) reply {
		other := device
		other.Origin = "https://pay.example.evil.example"
		return s.enter(other.Answer(t, s.asks(passkeyPath+"/ask"), a.k))
	},
	"PlainOrigin": func(t *testing.T, a passkeyAttack, s *surfer) reply {
		other := device
		other.Origin = "http://pay.example"
		return s.enter(other.Answer(t, s.asks(passkeyPath+"/ask"), a.k))
	},
	"RelyingParty": func(t *testing.T, a passkeyAttack, s *surfer) reply {
		other := device
		other.RPID = "example"
		return s.enter(other.Answer(t, s.asks(passkeyPath+"/ask"), a.k))
	},
	"Unverified": func(t *testing.T, a passkeyAttack, s *surfer) reply {
		found := device
		found.Unverified = true
		return s.enter(found.Answer(t, s.asks(passkeyPath+"/ask"), a.k))
	},
	"ClaimsTheUser": func(t *testing.T, a passkeyAttack, s *surfer) reply {
		claims := *a.stolen
		claims.Handle = []byte(a.u.PublicID)
		return s.enter(device.Answer(t, s.asks(passkeyPath+"/ask"), &claims))
	},
	"ClaimsTheCredential": func(t *testing.T, a passkeyAttack, s *surfer) reply {
		claims := *a.stolen
		claims.ID, claims.Handle, claims.Counter = a.k.ID, a.k.Handle, a.k.Counter
		return s.enter(device.Answer(t, s.asks(passkeyPath+"/ask"), &claims))
	},
	"AnsweredToConfirm": func(t *testing.T, a passkeyAttack, s *surfer) reply {
		s.asks(passkeyPath + "/ask")
		return s.enter(device.Answer(t, a.owner.asks(confirmPath), a.k))
	},
	"Unknown": func(t *testing.T, a passkeyAttack, s *surfer) reply {
		unknown := testkit.NewKey(t)
		unknown.Handle = []byte("01HZZZZZZZZZZZZZZZZZZZZZZZ")
		return s.enter(device.Answer(t, s.asks(passkeyPath+"/ask"), unknown))
	},
	"Nothing": func(_ *testing.T, _ passkeyAttack, s *surfer) reply { s.asks(passkeyPath + "/ask"); return s.enter("") },
	"Garbage": func(_ *testing.T, _ passkeyAttack, s *surfer) reply {
		s.asks(passkeyPath + "/ask")
		return s.enter(`{"id":"AA","type":"public-key"}`)
	},
	"Huge": func(_ *testing.T, _ passkeyAttack, s *surfer) reply {
		s.asks(passkeyPath + "/ask")
		return s.enter(strings.Repeat("x", 20<<10))
	},
}
