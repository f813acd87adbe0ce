package security

import (
	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/panel"
	"github.com/florinpay/florin/web/session"
	"github.com/florinpay/florin/web/shell"
)

const emailPath = session.SecurityPath + "/email"

// emailFields are the inputs of the form that asks for another e-mail address.
func (d *Surface) emailFields(c echo.Context, who session.Principal, f *shell.Form) ([]panel.Field, error) {
	email := session.EmailField()
	email.Form, email.Label, email.Autocomplete = "next", "New e-mail address", "off"
	reauth, err := d.ReauthField(c, who, f)
	reauth.Form, reauth.Hint = "email", ""
	return []panel.Field{f.Field(email), reauth}, err
}

// postEmail mails a link to another address. On a locked account it takes the factor that the user signs in with.
func (d *Surface) postEmail(c echo.Context, who session.Principal) error {
	asked := shell.Subject{Service: "email", Input: "email", Label: "The e-mail address"}
	f, err := session.ReadForm(c)
	if err != nil {
		return err
	}
	if err = d.ByFactor(c, who, f); err == nil {
		err = d.Users.BeginEmailChange(c.Request().Context(), who.User, f.Text("email"), d.Act(c, who))
	}
	if err != nil {
		status := fault.KindOf(err).Code()
		if session.ReauthRefused(f, err) {
			status = session.ReauthStatus(err)
			_, err = identity.NormalizeEmail(f.Text("email"))
			f.Refused(err, asked)
		} else if !f.Refused(err, asked) {
			return err
		}
		forms := emptySecurityForms(c)
		forms.email = f
		return d.securityPage(c, who, status, forms)
	}
	ctx := c.Request().Context()
	said := views.T(ctx, "A link is on its way to {{.Email}}. You sign in with {{.Old}} until it is opened.",
		"Email", f.Text("email"), "Old", who.User.Email)
	if locked, err := d.Locked(c, who); err != nil || locked {
		said += " " + views.T(ctx, "Your account is locked: the link works after 24 hours.")
	}
	return d.Cookies.Redirect(c, session.SecurityPath, said)
}
