package web

import (
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/web/shell"
)

// postJoin makes an account by an invitation into a team, and signs in. Whether
// signing up is open does not matter: an owner answers for the newcomer.
func (d *desk) postJoin(c echo.Context) error {
	values, err := shell.ReadForm(c, maxDeskForm)
	if err != nil {
		return err
	}
	f, ctx, token := shell.NewForm(values), c.Request().Context(), values.Get("token")
	n, merchant, _, err := d.x.Members.Invitation(ctx, token)
	if errors.Is(err, identity.ErrBadInvitation) {
		return d.joinPage(c, http.StatusForbidden, token, f)
	}
	if err != nil {
		return err
	}
	in := identity.NewUser{
		Email: n.Email, Password: secret.New(values.Get("password")), FirstName: f.Text("firstName"), LastName: f.Text("lastName"),
	}
	entries := []audit.Entry{
		d.entryOf(c, 0, "", audit.ActionSignUp, "", ""),
		d.entryOf(c, merchant.ID, "", audit.ActionTeamJoin, "", "as "+string(n.Role)),
	}
	if err = d.sh.Limits.Costly(ctx); err == nil {
		_, _, err = d.x.Members.JoinNew(ctx, token, in, entries...)
	}
	if err != nil {
		if !f.Refused(err, shell.Subject{Service: "password", Input: "password", Label: "The password"},
			shell.Subject{Service: "firstName", Input: "firstName", Label: "The first name"}, shell.Subject{Service: "lastName", Input: "lastName", Label: "The last name"}) {
			return err
		}
		return d.joinPage(c, d.sh.Refuse(c, err).Code, token, f)
	}
	session, err := d.d.Accounts.SignIn(c.Request().Context(), identity.Credentials{
		Email: in.Email, Password: in.Password, Address: shell.CallOf(c).Client, UserAgent: shell.CallOf(c).UserAgent,
	}, d.auditSignIn(c, ""))
	if err != nil {
		return err
	}
	return d.welcome(c, session, shell.HomePath)
}
