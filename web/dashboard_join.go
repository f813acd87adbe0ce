package web

import (
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/account"
	"github.com/florinpay/florin/internal/secret"
)

// postJoin makes an account by an invitation into a team, and signs in. Whether
// signing up is open does not matter: an owner answers for the newcomer.
func (d *desk) postJoin(c echo.Context) error {
	values, err := deskForm(c)
	if err != nil {
		return err
	}
	f, ctx, token := newForm(values), c.Request().Context(), values.Get("token")
	n, merchant, _, err := d.x.Members.Invitation(ctx, token)
	if errors.Is(err, account.ErrBadInvitation) {
		return d.joinPage(c, http.StatusForbidden, token, f)
	}
	if err != nil {
		return err
	}
	in := account.NewUser{
		Email: n.Email, Password: secret.New(values.Get("password")), FirstName: f.text("firstName"), LastName: f.text("lastName"),
	}
	act := account.WithLines(ctx, d.line(c, 0, "", account.ActionSignUp, "", ""), d.line(c, merchant.ID, "", account.ActionTeamJoin, "", "as "+string(n.Role)))
	if err = d.limits.Costly(ctx); err == nil {
		_, _, err = d.x.Members.JoinNew(act, token, in)
	}
	if err != nil {
		if !f.refused(err, subject{"password", "password", "The password"},
			subject{"firstName", "firstName", "The first name"}, subject{"lastName", "lastName", "The last name"}) {
			return err
		}
		return d.joinPage(c, d.ops.Refuse(ctx, err).Code, token, f)
	}
	session, err := d.d.Accounts.SignIn(d.notingSignIn(c, ""), account.Credentials{
		Email: in.Email, Password: in.Password, Address: callOf(c).Client, UserAgent: callOf(c).UserAgent,
	})
	if err != nil {
		return err
	}
	return d.welcome(c, session, homePath)
}
