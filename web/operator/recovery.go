package operator

import (
	"context"
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/web/session"
	"github.com/florinpay/florin/web/shell"
)

// recovery is what an operator does for a user who is locked out.
type recovery struct {
	do   func(*identity.Service, context.Context, identity.User, audit.Act) error
	said string // completes a sentence that begins with the address
}

var (
	resetFactors = recovery{
		do:   (*identity.Service).RecoverFactors,
		said: " signs in with the password alone now, and is signed out everywhere.",
	}
	endSessions = recovery{do: (*identity.Service).EndSessions, said: " is signed out everywhere."}
)

// postRecovery does it, after the operator re-authenticated.
func (d *Surface) postRecovery(r recovery) session.Handler {
	return func(c echo.Context, who session.Principal) error {
		person, f, ok, err := d.userForm(c, who)
		if !ok {
			return err
		}
		if err := r.do(d.Users, c.Request().Context(), person.User, d.Act(c, who)); err != nil {
			return d.userRefused(c, who, person, f, err)
		}
		return d.Cookies.Redirect(c, usersPath+"/"+person.PublicID, person.Email+r.said)
	}
}

// postResetLink makes a link by which a user sets a new password. The link is mailed to the user; where no mail is
// sent, it is shown in the response itself, once, for the operator to pass on.
func (d *Surface) postResetLink(c echo.Context, who session.Principal) error {
	person, f, ok, err := d.userForm(c, who)
	if !ok {
		return err
	}
	token, err := d.Users.MailResetLink(c.Request().Context(), person.User, d.Act(c, who))
	if err != nil {
		return d.userRefused(c, who, person, f, err)
	}
	if !d.Mails {
		link := d.Shell.BaseURL + "/reset?token=" + token.Reveal()
		return d.userPageWith(c, who, http.StatusOK, person, shell.NewForm(url.Values{}), link)
	}
	return d.Cookies.Redirect(c, usersPath+"/"+person.PublicID, "A link to a new password is on its way to "+person.Email+".")
}
