package session

import (
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/web/shell"
)

// errNeedsFactor refuses a password where the account is locked.
var errNeedsFactor = fault.New(fault.Forbidden, "your account is locked: use a passkey or a code of your authenticator; the password alone is not enough. Nothing was changed")

// Gate lets a change of where money goes pass (merchant.Directions): the principal
// is an owner and re-authenticates for this very change, on a locked account with a
// passkey or a code. ReauthRefused puts its refusal beside the input. The caller
// mails and audits what was changed.
func (g *Guard) Gate(c echo.Context, who Principal, f *shell.Form) error {
	if err := who.Membership.Allow(merchant.ActMoney); err != nil {
		return err
	}
	locked, err := g.Merchants.Locked(c.Request().Context(), who.Membership.Merchant.ID)
	if err != nil {
		return err
	}
	if locked && f.Values.Get("passkey") == "" {
		inForce, _, err := g.Users.Factor(c.Request().Context(), who.User)
		if err != nil {
			return err
		}
		if !inForce || !isCode(f.Values.Get("password")) {
			return errNeedsFactor
		}
	}
	return g.Reauthenticate(c, who, f)
}

// isCode reports whether the text can be a code of an authenticator. No password is
// that short.
func isCode(text string) bool {
	const digits = 6
	text = strings.Join(strings.Fields(text), "")
	return len(text) == digits && strings.Trim(text, "0123456789") == ""
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

// Wait stores a change that the gate let pass and that waits, because the account is
// locked, and mails every owner a link that stops it. subject names what is changed.
func (g *Guard) Wait(
	c echo.Context, who Principal, w merchant.Waiting, in merchant.CustodianInput, subject string,
) error {
	w.MerchantID, w.By = who.Membership.Merchant.ID, who.User.Email
	lines := strings.Join(w.Changes, "\n")
	entry := g.AuditEntry(c, who, audit.ActionChangeWaits, subject, strings.Join(w.Changes, ", "))
	w, token, err := g.Merchants.Wait(c.Request().Context(), w, in, entry)
	if err != nil {
		return err
	}
	g.MailOwners(c, who, "Where your money goes will be changed in 24 hours",
		w.By+" asked Florin to change, for “"+subject+"”:\n\n"+lines+"\n\nIt is made on "+
			w.DueAt.Format("2 January 2006 at 15:04 UTC")+". Stop it here, without signing in:\n"+
			g.Shell.BaseURL+"/stop?token="+token.Reveal())
	return nil
}
