package security

import (
	"errors"
	"net/http"
	"strings"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/panel"
	"github.com/florinpay/florin/views/security"
	"github.com/florinpay/florin/web/session"
	"github.com/florinpay/florin/web/shell"
	"github.com/labstack/echo/v4"
)

func (d *Surface) factorRefused(c echo.Context, who session.Principal, err error) error {
	f := shell.EmptyForm(c)
	if !f.Refused(err) {
		return err
	}
	forms := emptySecurityForms(c)
	forms.factor = f
	return d.securityPage(c, who, fault.KindOf(err).Code(), forms)
}

// postFactor begins to set up an authenticator.
func (d *Surface) postFactor(c echo.Context, who session.Principal) error {
	if _, err := d.Users.BeginFactor(c.Request().Context(), who.User, who.Token()); err != nil {
		return d.factorRefused(c, who, err)
	}
	return c.Redirect(http.StatusSeeOther, session.SecurityPath+"/factor")
}

func (d *Surface) getFactor(c echo.Context, who session.Principal) error {
	return d.factorPage(c, who, http.StatusOK, shell.EmptyForm(c))
}

func (d *Surface) factorPage(c echo.Context, who session.Principal, status int, f *shell.Form) error {
	e, err := d.Users.PendingFactor(c.Request().Context(), who.User, who.Token())
	if errors.Is(err, identity.ErrNoFactor) {
		return d.Cookies.Redirect(c, session.SecurityPath, "Start again here: a newer code was shown in another window.")
	}
	if err != nil {
		return err
	}
	// Not from the cache of QR codes: this one holds a secret.
	qr, err := views.NewQR(e.URI.Reveal())
	if err != nil {
		return err
	}
	p := security.FactorProps{
		Frame: d.Frame(c, who, "Set up an authenticator", session.SecurityPath), Secret: e.Secret.Reveal(), QR: qr,
	}
	p.Code = f.Field(
		panel.Field{
			Name: "code", Label: "Six digits", Autocomplete: "one-time-code", Mode: "numeric", Required: true,
			Max: "10", Mono: true,
		},
	)
	p.Problem = f.Problem
	if p.Password, err = d.ReauthField(c, who, f); err != nil {
		return err
	}
	return d.Show(c, status, p.Frame, security.Factor(p))
}

// postConfirmFactor turns the second factor on and shows the recovery codes, once.
// It asks for re-authentication: a code of the factor re-authenticates from then
// on, and a session alone must not obtain one.
func (d *Surface) postConfirmFactor(c echo.Context, who session.Principal, f *shell.Form) error {
	if err := d.Shell.Limits.Costly(c.Request().Context()); err != nil {
		return err
	}
	const digits = 6
	if code := strings.Join(strings.Fields(f.Values.Get("code")), ""); len(code) != digits ||
		strings.Trim(code, "0123456789") != "" {
		f.Bad("code", "Enter the six digits that the app shows.")
	}
	status := http.StatusBadRequest
	if err := d.ByFactor(c, who, f); err != nil {
		if !session.ReauthRefused(f, err) {
			return err
		}
		status = session.ReauthStatus(err)
	}
	if !f.OK() {
		return d.factorPage(c, who, status, f)
	}
	codes, err := d.Users.ConfirmFactor(c.Request().Context(), who.User, f.Values.Get("code"), d.Act(c, who))
	if errors.Is(err, identity.ErrBadCode) {
		f := shell.EmptyForm(c)
		f.Bad("code", "The code is wrong. Check the clock of your device, and try the next one.")
		return d.factorPage(c, who, http.StatusBadRequest, f)
	}
	if err != nil {
		return d.factorRefused(c, who, err)
	}
	p := security.CodesProps{Frame: d.Frame(c, who, "Recovery codes", session.SecurityPath)}
	for _, code := range codes {
		p.Codes = append(p.Codes, code.Reveal())
	}
	return d.Show(c, http.StatusOK, p.Frame, security.Codes(p))
}

func (d *Surface) postRemoveFactor(c echo.Context, who session.Principal, f *shell.Form) error {
	if err := d.ByFactor(c, who, f); err != nil {
		if !session.ReauthRefused(f, err) {
			return err
		}
		forms := emptySecurityForms(c)
		forms.factor = f
		return d.securityPage(c, who, session.ReauthStatus(err), forms)
	}
	if err := d.Users.RemoveFactor(c.Request().Context(), who.User, d.Act(c, who)); err != nil {
		return d.factorRefused(c, who, err)
	}
	return d.Cookies.Redirect(c, session.SecurityPath, "The second factor is off. Every other session has ended.")
}
