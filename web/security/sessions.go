package security

import (
	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/views/security"
	"github.com/florinpay/florin/web/session"
	"github.com/florinpay/florin/web/shell"
)

const sessionsPath = session.SecurityPath + "/sessions"

// sessions fills in the list of sessions.
func (d *Surface) sessions(c echo.Context, who session.Principal, f *shell.Form, p *security.Props) error {
	logins, err := d.Users.Logins(c.Request().Context(), who.User)
	if err != nil {
		return err
	}
	here := identity.LoginOf(who.Token().Reveal())
	for _, l := range logins {
		p.Logins = append(
			p.Logins,
			security.LoginRow{
				ID: l.ID, Agent: l.UserAgent, CreatedAt: l.CreatedAt, ExpiresAt: l.ExpiresAt, Here: l.ID == here,
			},
		)
	}
	p.SessionProblem, p.SessionReauth.Posted = f.Problem, f.Posted
	p.SessionReauth.Field, err = d.ReauthField(c, who, f)
	return err
}

// sessionAct re-authenticates the user before it ends sessions: a stolen one must not
// sign its owner out.
func (d *Surface) sessionAct(c echo.Context, who session.Principal, act func() error) error {
	f, err := session.ReadForm(c)
	if err != nil {
		return err
	}
	if err = d.Reauthenticate(c, who, f); err == nil {
		return act()
	}
	if !session.ReauthRefused(f, err) {
		return err
	}
	forms := emptySecurityForms(c)
	forms.sessions = f
	return d.securityPage(c, who, session.ReauthStatus(err), forms)
}

func (d *Surface) postEndLogin(c echo.Context, who session.Principal) error {
	return d.sessionAct(c, who, func() error {
		if err := d.Users.EndLogin(c.Request().Context(), who.User, c.Param("session"), d.Act(c, who)); err != nil {
			return err
		}
		return d.Cookies.Redirect(c, session.SecurityPath, "That session has ended.")
	})
}

// postEndLogins ends every session of the user but this one.
func (d *Surface) postEndLogins(c echo.Context, who session.Principal) error {
	return d.sessionAct(c, who, func() error {
		if err := d.Users.EndOtherLogins(c.Request().Context(), who.User, d.Act(c, who)); err != nil {
			return err
		}
		return d.Cookies.Redirect(c, session.SecurityPath, "Every other session has ended.")
	})
}
