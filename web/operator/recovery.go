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
	action audit.Action
	do     func(*identity.Service, context.Context, identity.User, ...audit.Entry) error
	said   string // completes a sentence that begins with the address
	// subject and text are the mail to the user.
	subject, text string
}

var (
	resetFactors = recovery{
		action: audit.ActionResetFactors, do: (*identity.Service).RecoverFactors,
		said:    " signs in with the password alone now, and is signed out everywhere.",
		subject: "Your authenticator and passkeys were removed",
		text: "An operator of this installation removed your authenticator, recovery codes and passkeys, and ended all " +
			"your sessions. Set up new ones after you signed in.",
	}
	endSessions = recovery{
		action: audit.ActionEndSessions, do: (*identity.Service).EndSessions,
		said:    " is signed out everywhere.",
		subject: "You were signed out", text: "An operator of this installation ended all your sessions.",
	}
)

const ifNotAsked = "\n\nIf you did not ask for it, ask them at once.\n"

// postRecovery does it, after the operator re-authenticated.
func (d *Surface) postRecovery(r recovery) session.Handler {
	return func(c echo.Context, who session.Principal) error {
		person, f, ok, err := d.userForm(c, who)
		if !ok {
			return err
		}
		ctx, entry := c.Request().Context(), d.Entry(c, person.ID, who.User.Email, r.action, person.Email, "")
		if err := r.do(d.Users, ctx, person.User, entry); err != nil {
			return d.userRefused(c, who, person, f, err)
		}
		d.MailTo(c, person.Email, r.subject, r.text+ifNotAsked+d.Shell.BaseURL+"/dashboard")
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
	entry := d.Entry(c, person.ID, who.User.Email, audit.ActionResetLink, person.Email, "")
	_, token, err := d.Users.BeginReset(c.Request().Context(), person.Email, entry)
	if err != nil {
		return d.userRefused(c, who, person, f, err)
	}
	link := d.Shell.BaseURL + "/reset?token=" + token.Reveal()
	if !d.Mail.Enabled() {
		return d.userPageWith(c, who, http.StatusOK, person, shell.NewForm(url.Values{}), link)
	}
	d.MailTo(c, person.Email, "Set a new password", "An operator of this installation sends you this link, by which you set "+
		"a new password within one hour:\n"+link+ifNotAsked+d.Shell.BaseURL+"/dashboard")
	return d.Cookies.Redirect(c, usersPath+"/"+person.PublicID, "A link to a new password is on its way to "+person.Email+".")
}
