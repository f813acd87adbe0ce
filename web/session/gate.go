package session

import (
	"time"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/views/panel"
	"github.com/florinpay/florin/web/shell"
)

// errNeedsFactor refuses a password where the account is locked.
var errNeedsFactor = fault.New(fault.Forbidden, "your account is locked: use a passkey or a code of your authenticator; the password alone is not enough. Nothing was changed")

// errNoReauth refuses a form without a re-authentication. It is no failed try: the form
// did not ask for one.
var errNoReauth = fault.New(fault.Invalid, "enter your password; nothing was changed")

// ReauthTTL is how long a re-authentication opens the gate, in the session it was
// made in.
const ReauthTTL = 10 * time.Minute

// Freshness says which re-authentications open the gate.
type Freshness bool

const (
	// EachTime asks for one with every form: for members, keys and the lock.
	EachTime Freshness = false
	// Recently also takes one of the same session within ReauthTTL.
	Recently Freshness = true
)

// Gate lets a change pass of where money goes, what a shop believes of it, or who may change that: the principal
// is an owner and re-authenticates, on a locked account for this very change and with
// a passkey or a code. What a form shows is checked in any case: a wrong password is
// refused. ReauthRefused puts the refusal beside the input.
func (g *Guard) Gate(c echo.Context, who Principal, f *shell.Form, takes Freshness) error {
	if err := who.Membership.Allow(merchant.ActMoney); err != nil {
		return err
	}
	return g.reauth(c, who, f, takes)
}

// GateShown lets a change of what payers read pass: names, texts, pictures and addresses that could send them
// elsewhere. Who may make it re-authenticates; on a locked account that is an owner.
func (g *Guard) GateShown(c echo.Context, who Principal, f *shell.Form) error {
	locked, err := g.Locked(c, who)
	if err == nil && locked {
		err = who.Membership.Allow(merchant.ActMoney)
	}
	if err != nil {
		return err
	}
	return g.reauth(c, who, f, Recently)
}

func (g *Guard) reauth(c echo.Context, who Principal, f *shell.Form, takes Freshness) error {
	locked, err := g.Locked(c, who)
	if err != nil {
		return err
	}
	shown := f.Values.Get("password") != "" || f.Values.Get("passkey") != ""
	if takes == EachTime || locked || shown {
		return g.Strong(c, who, f)
	}
	if !g.recent(who) {
		return errNoReauth
	}
	return nil
}

// recent reports whether the principal re-authenticated within ReauthTTL.
func (g *Guard) recent(who Principal) bool {
	age := g.Shell.Now().Sub(*who.confirmed)
	return age >= 0 && age < ReauthTTL
}

// Strong re-authenticates the principal, on a locked account with a passkey or a code:
// a password alone does not.
func (g *Guard) Strong(c echo.Context, who Principal, f *shell.Form) error {
	locked, err := g.Locked(c, who)
	if err != nil {
		return err
	}
	return g.reauthenticate(c, who, f, locked)
}

// reauthenticate takes a passkey, a code, or, where no factor is needed, a password.
func (g *Guard) reauthenticate(c echo.Context, who Principal, f *shell.Form, needsFactor bool) error {
	if needsFactor && f.Values.Get("passkey") == "" {
		inForce, _, err := g.Users.Factor(c.Request().Context(), who.User)
		if err != nil {
			return err
		}
		if !inForce || !identity.IsCode(f.Values.Get("password")) {
			return errNeedsFactor
		}
	}
	return g.Reauthenticate(c, who, f)
}

// ByFactor re-authenticates the principal before what they sign in with changes: where an account that they belong
// to is locked, by the passkey or authenticator that they have. With the password and a cookie alone, a thief would
// turn it off and go on from there. Who has neither sets the first one up with the password.
func (g *Guard) ByFactor(c echo.Context, who Principal, f *shell.Form) error {
	ctx := c.Request().Context()
	memberships, err := g.Merchants.Memberships(ctx, who.User)
	if err != nil {
		return err
	}
	locked := false
	for _, m := range memberships {
		on, err := g.Merchants.Locked(ctx, m.Merchant.ID)
		if err != nil {
			return err
		}
		locked = locked || on
	}
	strong, err := g.HasStrong(c, who)
	if err != nil {
		return err
	}
	return g.reauthenticate(c, who, f, locked && strong)
}

// HasStrong reports whether the principal has a passkey or an authenticator.
func (g *Guard) HasStrong(c echo.Context, who Principal) (bool, error) {
	inForce, _, err := g.Users.Factor(c.Request().Context(), who.User)
	if err != nil || inForce {
		return inForce, err
	}
	passkeys, err := g.Users.PasskeysOf(c.Request().Context(), who.User)
	return len(passkeys) > 0, err
}

// Locked reports whether the principal's merchant account is locked.
func (g *Guard) Locked(c echo.Context, who Principal) (bool, error) {
	return g.Merchants.Locked(c.Request().Context(), who.Membership.Merchant.ID)
}

// GateField is the input that Gate reads where it takes Recently: left out while the
// gate is open.
func (g *Guard) GateField(c echo.Context, who Principal, f *shell.Form) (panel.Field, error) {
	locked, err := g.Locked(c, who)
	if err != nil {
		return panel.Field{}, err
	}
	x, err := g.StrongField(c, who, f)
	x.Confirmed = !locked && x.Problem == "" && g.recent(who)
	return x, err
}

// GateFieldIfAsked is GateField for a page with several forms: it is left out until the
// form was refused for want of a re-authentication, so that the page asks once.
func (g *Guard) GateFieldIfAsked(c echo.Context, who Principal, f *shell.Form) (panel.Field, error) {
	x, err := g.GateField(c, who, f)
	x.Confirmed = x.Confirmed || x.Problem == ""
	return x, err
}

// StrongField is the input that Strong reads, and Gate with EachTime. On a locked account it takes
// no password, and asks a user who has neither a passkey nor an authenticator to set one
// up.
func (g *Guard) StrongField(c echo.Context, who Principal, f *shell.Form) (panel.Field, error) {
	x, err := g.ReauthField(c, who, f)
	if err != nil {
		return x, err
	}
	locked, err := g.Locked(c, who)
	if err != nil || !locked {
		return x, err
	}
	inForce, _, err := g.Users.Factor(c.Request().Context(), who.User)
	x.Hint = "Your account is locked: the password alone is not enough."
	switch {
	case inForce:
		x.Label, x.Type, x.Autocomplete, x.Mode = "A code of your authenticator", "text", "one-time-code", "numeric"
	case x.PasskeyAt != "":
		x.Label, x.NoInput = "Your passkey", true
	default:
		x.Label, x.NoInput, x.SetUp = "A passkey or an authenticator", true, SecurityPath
		x.Hint = ""
	}
	return x, err
}

// WaitsNotice is what a user reads after a change that waits was asked for.
const WaitsNotice = "Your account is locked: the change is made in 24 hours, unless an owner stops it. All owners were mailed."

// Wait stores a change that the gate let pass and that waits, because the account is
// locked, and mails every owner a link that stops it. subject names what is changed.
func (g *Guard) Wait(c echo.Context, who Principal, w merchant.Waiting, to merchant.NewSettings, subject string) error {
	w.MerchantID = who.Membership.Merchant.ID
	return g.Merchants.Wait(c.Request().Context(), w, to, subject, g.Act(c, who))
}
