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

// resetDone says what a new password by mail has ended. The link proves only that
// the user reads their mail, so every session ends, but passkeys stay: the page
// names each, and signing in leads to the page that removes them.
func (d *Surface) resetDone(c echo.Context, done identity.Reset) error {
	user := done.User
	passkeys, err := d.Users.PasskeysOf(c.Request().Context(), user)
	if err != nil {
		return err
	}
	if done.Dropped {
		return d.Cookies.Redirect(c, "/signin", "Your new password is set. Your address was not verified before, so every session, authenticator, passkey, API key and other member has been removed. Sign in.")
	}
	if len(passkeys) == 0 {
		return d.Cookies.Redirect(c, "/signin", "Your new password is set, and every session has ended. Sign in with it.")
	}
	said := shell.NewPage(c).N("Your new password is set, and every session has ended. {{.N}} passkeys of yours still sign in: "+
		"look at them once you are in, and remove those that are not yours.", len(passkeys))
	return d.Cookies.Redirect(c, "/signin?next="+url.QueryEscape(session.SecurityPath), said)
}

func (d *Surface) getForgot(c echo.Context) error {
	p := d.entry(c)
	p.Fields = []panel.Field{session.EmailField()}
	if !d.Mails {
		p.Problem = "This installation sends no mail. Ask its operator for a link to a new password."
	}
	return d.enter(c, http.StatusOK, p.Page, signin.Forgot(p))
}

// postForgot gives the same response whether or not the account exists and the mail
// could be sent, so that it does not reveal who has an account.
func (d *Surface) postForgot(c echo.Context) error {
	f, err := session.ReadForm(c)
	if err != nil {
		return err
	}
	ctx, p := c.Request().Context(), d.entry(c)
	email, err := identity.NormalizeEmail(f.Text("email"))
	if err == nil {
		err = d.Shell.Limits.Costly(ctx)
	}
	if err != nil {
		if !f.Refused(err, shell.Subject{Service: "email", Input: "email", Label: "The e-mail address"}) {
			return err
		}
		p.Problem, p.Fields = f.Problem, []panel.Field{f.Field(session.EmailField())}
		return d.enter(c, d.Shell.Refuse(c, err).Code, p.Page, signin.Forgot(p))
	}
	if !d.Mails {
		return d.getForgot(c)
	}
	if err := d.Users.BeginReset(ctx, email, shell.CallOf(c).Near); err != nil {
		return err
	}
	p.Sent = true
	return d.enter(c, http.StatusOK, p.Page, signin.Forgot(p))
}

func (d *Surface) getReset(c echo.Context) error {
	token, sent, err := d.Cookies.FromLink(c, "token")
	if sent || err != nil {
		return err
	}
	if err := d.Users.CheckReset(c.Request().Context(), token); err != nil {
		return d.deadReset(c, http.StatusOK, err)
	}
	p := d.entry(c)
	p.Token, p.Fields = token, []panel.Field{session.NewPasswordField("New password")}
	return d.enter(c, http.StatusOK, p.Page, signin.Reset(p))
}

// deadReset says that a link sets no password any more, before one is typed, and asks where to send another.
func (d *Surface) deadReset(c echo.Context, status int, err error) error {
	if !errors.Is(err, identity.ErrBadReset) {
		return err
	}
	p := d.entry(c)
	p.Problem, p.Fields = shell.Sentence(identity.ErrBadReset.Message), []panel.Field{session.EmailField()}
	return d.enter(c, status, p.Page, signin.Forgot(p))
}

func (d *Surface) postReset(c echo.Context) error {
	f, err := session.ReadForm(c)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	var done identity.Reset
	if err = d.Shell.Limits.Costly(ctx); err == nil {
		done, err = d.Users.FinishReset(
			c.Request().Context(), f.Values.Get("token"), secret.New(f.Values.Get("password")), d.Stranger(c),
		)
	}
	if errors.Is(err, identity.ErrBadReset) {
		return d.deadReset(c, http.StatusBadRequest, err)
	}
	if err != nil {
		if !f.Refused(err, shell.Subject{Service: "password", Input: "password", Label: "The password"}) {
			return err
		}
		p := d.entry(c)
		p.Token, p.Problem, p.Fields = f.Values.Get("token"), f.Problem, []panel.Field{f.Field(session.NewPasswordField("New password"))}
		return d.enter(c, d.Shell.Refuse(c, err).Code, p.Page, signin.Reset(p))
	}
	if err := d.Cookies.Know(c.Response(), done.User); err != nil {
		return err
	}
	d.Cookies.EndSession(c.Response())
	return d.resetDone(c, done)
}
