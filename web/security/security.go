package security

import (
	"errors"
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/panel"
	"github.com/florinpay/florin/views/security"
	"github.com/florinpay/florin/web/session"
	"github.com/florinpay/florin/web/shell"
)

// securityForms are the forms of the page.
type securityForms struct{ email, password, factor, passkey, sessions *shell.Form }

func emptySecurityForms(c echo.Context) securityForms {
	return securityForms{
		shell.EmptyForm(c), shell.EmptyForm(c), shell.EmptyForm(c), shell.EmptyForm(c), shell.EmptyForm(c),
	}
}

func (d *Surface) getSecurity(c echo.Context, who session.Principal) error {
	return d.securityPage(c, who, http.StatusOK, emptySecurityForms(c))
}

func (d *Surface) securityPage(c echo.Context, who session.Principal, status int, f securityForms) error {
	ctx, password := c.Request().Context(), f.password
	p := security.Props{
		Frame: d.Frame(c, who, "Security", session.SecurityPath), Problem: password.Problem,
		EmailProblem: f.email.Problem, Mails: d.Mails, FactorProblem: f.factor.Problem,
		Unverified: d.Users.RequireVerified(who.User) != nil,
	}
	next := session.NewPasswordField("New password")
	next.Name = "next"
	p.Password = []panel.Field{
		password.Field(
			panel.Field{
				Name: "old", Label: "Current password", Type: "password", Autocomplete: "current-password",
				Required: true, Max: "512",
			},
		),
		password.Field(next),
	}
	var err error
	if p.NewEmail, err = d.emailFields(c, who, f.email); err != nil {
		return err
	}
	if p.RemovePassword, err = d.StrongField(c, who, f.factor); err != nil {
		return err
	}
	if p.InForce, p.CodesLeft, err = d.Users.Factor(ctx, who.User); err != nil {
		return err
	}
	if err := d.passkeys(c, who, f.passkey, &p); err != nil {
		return err
	}
	if err := d.sessions(c, who, f.sessions, &p); err != nil {
		return err
	}
	before, _ := strconv.ParseInt(c.QueryParam("before"), 10, 64)
	log, err := d.Merchants.AuditLog(ctx, who.Membership, before, session.PageRows+1)
	if err != nil {
		return err
	}
	if len(log) > session.PageRows {
		log = log[:session.PageRows]
		p.NextURL = session.SecurityPath + "?before=" + strconv.FormatInt(log[session.PageRows-1].ID, 10)
	}
	for _, a := range log {
		p.Audit = append(p.Audit, session.AuditRow(p.Locale(), a))
	}
	return d.Show(c, status, p.Frame, security.Page(p))
}

// postVerification mails the user a link that verifies their address.
func (d *Surface) postVerification(c echo.Context, who session.Principal) error {
	ctx := c.Request().Context()
	if d.Users.RequireVerified(who.User) == nil {
		return d.Cookies.Redirect(c, session.SecurityPath, "Your e-mail address is verified already.")
	}
	if err := d.Users.BeginVerification(ctx, who.User); err != nil {
		return err
	}
	return d.Cookies.Redirect(c, session.SecurityPath,
		views.T(ctx, "A link is on its way to {{.Email}}.", "Email", who.User.Email))
}

// newPassword is the input that a refusal of a password names.
var newPassword = shell.Subject{Service: "password", Input: "next", Label: "The password"}

// postPassword changes the password, ends all sessions and starts a fresh one here.
func (d *Surface) postPassword(c echo.Context, who session.Principal, f *shell.Form) error {
	forms := emptySecurityForms(c)
	forms.password = f
	in, err := d.Users.ChangePassword(
		c.Request().Context(), who.User, secret.New(f.Values.Get("old")), secret.New(f.Values.Get("next")),
		d.Act(c, who),
	)
	if err != nil {
		status, wrong := fault.KindOf(err).Code(), []shell.Subject{newPassword}
		if errors.Is(err, identity.ErrBadPassword) {
			f.Bad("old", "The password is wrong.")
			status, wrong = http.StatusBadRequest, append(wrong, shell.Subject{Input: "old"})
		}
		if !f.Refused(err, wrong...) {
			return err
		}
		return d.securityPage(c, who, status, forms)
	}
	if err := d.Cookies.SignIn(c.Response(), in); err != nil {
		return err
	}
	return d.Cookies.Redirect(c, session.SecurityPath, "Your password is changed. Every other session has ended.")
}
