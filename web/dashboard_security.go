package web

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/dashboard"
	"github.com/florinpay/florin/views/panel"
	"github.com/florinpay/florin/web/shell"
)

const securityPath = "/dashboard/security"

// securityForms are the forms of the page.
type securityForms struct{ password, factor, passkey *shell.Form }

func emptySecurityForms() securityForms {
	return securityForms{shell.NewForm(url.Values{}), shell.NewForm(url.Values{}), shell.NewForm(url.Values{})}
}

func (d *desk) getSecurity(c echo.Context, v visitor) error {
	return d.securityPage(c, v, http.StatusOK, emptySecurityForms())
}

func (d *desk) securityPage(c echo.Context, v visitor, status int, f securityForms) error {
	ctx, password := c.Request().Context(), f.password
	p := dashboard.SecurityProps{Frame: d.frame(c, v, "Security", securityPath), Problem: password.Problem, FactorProblem: f.factor.Problem}
	next := newPasswordField("New password")
	next.Name = "next"
	p.Password = []panel.Field{
		password.Field(panel.Field{Name: "old", Label: "Present password", Type: "password", Autocomplete: "current-password", Required: true, Max: "512"}),
		password.Field(next),
	}
	p.RemovePassword = f.factor.Field(panel.Field{Name: "password", Label: "Your password", Type: "password", Autocomplete: "current-password", Required: true, Max: "512"})
	var err error
	if p.InForce, p.CodesLeft, err = d.x.Members.Factor(ctx, v.user); err != nil {
		return err
	}
	if err := d.passkeys(c, v, f.passkey, &p); err != nil {
		return err
	}
	logins, err := d.x.Members.Logins(ctx, v.user)
	if err != nil {
		return err
	}
	here := identity.LoginOf(v.token.Reveal())
	for _, l := range logins {
		p.Logins = append(p.Logins, dashboard.LoginRow{ID: l.ID, Agent: l.UserAgent, CreatedAt: l.CreatedAt, ExpiresAt: l.ExpiresAt, Here: l.ID == here})
	}
	before, _ := strconv.ParseInt(c.QueryParam("before"), 10, 64)
	log, err := d.x.Members.AuditLog(ctx, v.seat, before, pageRows+1)
	if err != nil {
		return err
	}
	if len(log) > pageRows {
		log = log[:pageRows]
		p.NextURL = securityPath + "?before=" + strconv.FormatInt(log[pageRows-1].ID, 10)
	}
	for _, a := range log {
		p.Audit = append(p.Audit, auditRow(a))
	}
	return d.show(c, status, p.Frame, dashboard.Security(p))
}

func auditRow(a audit.Entry) panel.AuditRow {
	row := panel.AuditRow{At: a.At, Actor: a.Actor, Action: string(a.Action), Subject: a.Subject, Detail: a.Detail, Where: a.Address}
	if a.Action == audit.ActionSignIn {
		row.Agent = a.Subject
	}
	return row
}

// postPassword changes the password, ends all sessions and starts a fresh one here.
func (d *desk) postPassword(c echo.Context, v visitor) error {
	values, err := shell.ReadForm(c, maxDeskForm)
	if err != nil {
		return err
	}
	f, forms := shell.NewForm(values), emptySecurityForms()
	forms.password = f
	entry := d.auditOwn(c, v.user, audit.ActionPassword, "", "")
	in, err := d.x.Members.ChangePassword(c.Request().Context(), v.user, secret.New(values.Get("old")), secret.New(values.Get("next")), shell.CallOf(c).Client, shell.CallOf(c).UserAgent, entry)
	if errors.Is(err, identity.ErrBadPassword) {
		f.Bad("old", "The password is wrong.")
		return d.securityPage(c, v, http.StatusBadRequest, forms)
	}
	if err != nil {
		if !f.Refused(err, shell.Subject{Service: "password", Input: "next", Label: "The password"}) {
			return err
		}
		return d.securityPage(c, v, fault.KindOf(err).Code(), forms)
	}
	if err := d.cookies.SignIn(c.Response(), in); err != nil {
		return err
	}
	d.mail(c, v.user.Email, "Your password was changed", "Your password for Florin was changed, and every other session was ended.\n\nIf this was not you, set a new one at once:\n"+d.o.BaseURL+"/forgot")
	return d.cookies.Redirect(c, securityPath, "Your password is changed. Every other session has ended.")
}

func (d *desk) factorRefused(c echo.Context, v visitor, err error) error {
	f := shell.NewForm(url.Values{})
	if errors.Is(err, identity.ErrBadPassword) {
		f.Bad("password", "The password is wrong.")
	} else if !f.Refused(err) {
		return err
	}
	forms := emptySecurityForms()
	forms.factor = f
	return d.securityPage(c, v, fault.KindOf(err).Code(), forms)
}

// postFactor begins to set up an authenticator.
func (d *desk) postFactor(c echo.Context, v visitor) error {
	if _, err := d.x.Members.BeginFactor(c.Request().Context(), v.user, v.token); err != nil {
		return d.factorRefused(c, v, err)
	}
	return c.Redirect(http.StatusSeeOther, securityPath+"/factor")
}

func (d *desk) getFactor(c echo.Context, v visitor) error {
	return d.factorPage(c, v, http.StatusOK, shell.NewForm(url.Values{}))
}

func (d *desk) factorPage(c echo.Context, v visitor, status int, f *shell.Form) error {
	e, err := d.x.Members.PendingFactor(c.Request().Context(), v.user, v.token)
	if errors.Is(err, identity.ErrNoFactor) {
		return d.cookies.Redirect(c, securityPath, "Begin here: the code of an authenticator is shown only where it was asked for last.")
	}
	if err != nil {
		return err
	}
	// Not by way of the cache of codes: this one is a secret.
	qr, err := views.NewQR(e.URI.Reveal())
	if err != nil {
		return err
	}
	p := dashboard.FactorProps{Frame: d.frame(c, v, "Set up an authenticator", securityPath), Secret: e.Secret.Reveal(), QR: qr}
	p.Code = f.Field(panel.Field{Name: "code", Label: "Six digits", Autocomplete: "one-time-code", Mode: "numeric", Required: true, Max: "10", Mono: true})
	p.Problem = f.Problem
	if p.Password, err = d.proofField(c, v, f); err != nil {
		return err
	}
	return d.show(c, status, p.Frame, dashboard.Factor(p))
}

// postConfirmFactor turns the second factor on and shows the recovery codes, once.
// It asks once more who is there: a code of the factor is a proof from then on,
// and a session alone must not come by one.
func (d *desk) postConfirmFactor(c echo.Context, v visitor) error {
	values, err := shell.ReadForm(c, maxDeskForm)
	if err != nil {
		return err
	}
	if err := d.sh.Limits.Costly(c.Request().Context()); err != nil {
		return err
	}
	f := shell.NewForm(values)
	if err := d.confirm(c, v, f); err != nil {
		if !d.badProof(f, err) {
			return err
		}
		return d.factorPage(c, v, proofStatus(err), f)
	}
	entry := d.auditOwn(c, v.user, audit.ActionFactorOn, "", "")
	codes, err := d.x.Members.ConfirmFactor(c.Request().Context(), v.user, v.token, values.Get("code"), entry)
	if errors.Is(err, identity.ErrBadCode) {
		f := shell.NewForm(url.Values{})
		f.Bad("code", "The code is wrong. Check the clock of your device, and try the next one.")
		return d.factorPage(c, v, http.StatusBadRequest, f)
	}
	if err != nil {
		return d.factorRefused(c, v, err)
	}
	d.mail(c, v.user.Email, "Your second factor was turned on", "Signing in to Florin asks for a code of an authenticator from now on.\n\n"+
		"If this was not you, change your password and turn it off at once:\n"+d.o.BaseURL+securityPath)
	p := dashboard.CodesProps{Frame: d.frame(c, v, "Recovery codes", securityPath)}
	for _, code := range codes {
		p.Codes = append(p.Codes, code.Reveal())
	}
	return d.show(c, http.StatusOK, p.Frame, dashboard.Codes(p))
}

func (d *desk) postRemoveFactor(c echo.Context, v visitor) error {
	values, err := shell.ReadForm(c, maxDeskForm)
	if err != nil {
		return err
	}
	entry := d.auditOwn(c, v.user, audit.ActionFactorOff, "", "")
	err = d.x.Members.RemoveFactor(c.Request().Context(), v.user, v.token, secret.New(values.Get("password")), shell.CallOf(c).Client, entry)
	if err != nil {
		return d.factorRefused(c, v, err)
	}
	d.mail(c, v.user.Email, "Your second factor was turned off", "Signing in to Florin asks for the password alone now, "+
		"and every other session was ended.\n\nIf this was not you, change your password at once:\n"+d.o.BaseURL+securityPath)
	return d.cookies.Redirect(c, securityPath, "The second factor is off. Every other session has ended.")
}

func (d *desk) postEndLogin(c echo.Context, v visitor) error {
	entry := d.auditOwn(c, v.user, audit.ActionRevokeSession, "", "")
	if err := d.x.Members.EndLogin(c.Request().Context(), v.user, c.Param("session"), entry); err != nil {
		return err
	}
	return d.cookies.Redirect(c, securityPath, "That session has ended.")
}
