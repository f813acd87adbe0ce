package signin

import (
	"errors"
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/views/panel"
	"github.com/florinpay/florin/views/signin"
	"github.com/florinpay/florin/web/session"
	"github.com/florinpay/florin/web/shell"
)

// postJoin makes an account from an invitation to a team, and signs in. It works
// even if sign-up is closed, because an owner of the team confirms the user.
func (d *Surface) postJoin(c echo.Context) error {
	f, err := session.ReadForm(c)
	if err != nil {
		return err
	}
	ctx, token := c.Request().Context(), f.Values.Get("token")
	n, _, _, err := d.Merchants.Invitation(ctx, token)
	if errors.Is(err, identity.ErrBadInvitation) {
		return d.joinPage(c, http.StatusForbidden, token, f)
	}
	if err != nil {
		return err
	}
	in := identity.NewUser{
		Email: n.Email, Password: secret.New(f.Values.Get("password")),
		FirstName: f.Text("firstName"), LastName: f.Text("lastName"), Language: shell.Language(c),
	}
	if err = d.Shell.Limits.Costly(ctx); err == nil {
		_, _, err = d.Merchants.JoinNew(c.Request().Context(), token, in, d.Stranger(c))
	}
	if err != nil {
		if !f.Refused(err, shell.Subject{Service: "password", Input: "password", Label: "The password"},
			shell.Subject{
				Service: "firstName", Input: "firstName", Label: "The first name",
			}, shell.Subject{Service: "lastName", Input: "lastName", Label: "The last name"}) {
			return err
		}
		return d.joinPage(c, d.Shell.Refuse(c, err).Code, token, f)
	}
	session, err := d.Users.SignIn(c.Request().Context(), identity.Credentials{
		Email: in.Email, Password: in.Password, Address: shell.CallOf(c).Client, UserAgent: shell.CallOf(c).UserAgent,
	})
	if err != nil {
		return err
	}
	return d.welcome(c, session, shell.HomePath)
}

func (d *Surface) getJoin(c echo.Context) error {
	token, sent, err := d.Cookies.FromLink(c, "token")
	if sent || err != nil {
		return err
	}
	if d.signedInAlready(c) {
		return c.Redirect(http.StatusSeeOther, "/dashboard/join")
	}
	return d.joinPage(c, http.StatusOK, token, shell.EmptyForm(c))
}

// joinPage shows an invitation to a user who is not signed in.
func (d *Surface) joinPage(c echo.Context, status int, token string, f *shell.Form) error {
	p := signin.JoinProps{EntryProps: d.entry(c)}
	n, merchant, known, err := d.Merchants.Invitation(c.Request().Context(), token)
	if errors.Is(err, identity.ErrBadInvitation) {
		return d.enter(c, http.StatusForbidden, p.Page, signin.Join(p))
	}
	if err != nil {
		return err
	}
	p.Merchant, p.Email, p.Token, p.Problem = merchant.Email, n.Email, token, f.Problem
	p.Role, p.Does = string(n.Role), session.RoleTexts[n.Role]
	if known {
		p.SignInURL = "/signin?next=" + url.QueryEscape("/dashboard/join")
	}
	email := session.EmailField()
	email.ReadOnly, email.Value = true, n.Email
	p.Fields = []panel.Field{
		email, f.Field(session.NewPasswordField("Password")),
		f.Field(panel.Field{Name: "firstName", Label: "First name (optional)", Autocomplete: "given-name", Max: "100"}),
		f.Field(panel.Field{Name: "lastName", Label: "Last name (optional)", Autocomplete: "family-name", Max: "100"}),
	}
	return d.enter(c, status, p.Page, signin.Join(p))
}
