package signin

import (
	"cmp"
	"errors"
	"net/http"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/panel"
	"github.com/florinpay/florin/views/signin"
	"github.com/florinpay/florin/web/session"
	"github.com/florinpay/florin/web/shell"
)

func (d *Surface) entry(c echo.Context) signin.EntryProps {
	page := shell.NewPage(c)
	page.Here = here(c)
	p := signin.EntryProps{Page: page, SignUp: d.SignUp, Forgot: d.Mails}
	if d.Users.HasPasskeys() {
		p.PasskeyAt = d.Shell.BaseURL
	}
	if text := d.Cookies.Notice(c); text != "" {
		p.Notice = panel.Notice{Text: text}
	}
	return p
}

// enter writes a page for a user who is not signed in.
func (d *Surface) enter(c echo.Context, status int, page views.Page, view templ.Component) error {
	return shell.Render(c, status, page, view)
}

func passwordField() panel.Field {
	return panel.Field{
		Name: "password", Label: "Password", Type: "password", Autocomplete: "current-password", Required: true,
		Max: "512",
	}
}

// signedInAlready redirects a signed-in user to the dashboard.
func (d *Surface) signedInAlready(c echo.Context) bool {
	_, err := d.Merchants.MembershipBySession(c.Request().Context(), d.Cookies.Token(c.Request()).Reveal())
	return err == nil
}

func (d *Surface) getSignIn(c echo.Context) error {
	if d.signedInAlready(c) {
		return c.Redirect(http.StatusSeeOther, shell.SafeNext(c.QueryParam("next")))
	}
	p := d.entry(c)
	if next := cmp.Or(c.QueryParam("next"), d.KeptPage(c)); next != "" {
		p.Next = shell.SafeNext(next)
	}
	p.Fields = []panel.Field{session.EmailField(), passwordField()}
	return d.enter(c, http.StatusOK, p.Page, signin.SignIn(p))
}

func (d *Surface) postSignIn(c echo.Context) error {
	f, err := session.ReadForm(c)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	if err := d.Shell.Limits.Costly(ctx); err != nil {
		return d.signInAgain(c, f, err)
	}
	who := identity.Credentials{
		Email: f.Text("email"), Password: secret.New(f.Values.Get("password")),
		Address: shell.CallOf(c).Client, UserAgent: shell.CallOf(c).UserAgent,
		Device: d.Cookies.Device(c.Request(), f.Text("email")),
	}
	in, half, err := d.Users.Enter(c.Request().Context(), who)
	if err != nil {
		return d.signInAgain(c, f, err)
	}
	if half != "" {
		err := d.Cookies.Put(
			c.Response(), shell.HalfCookie, shell.HalfTTL,
			map[string]string{"half": string(half), "next": shell.SafeNext(f.Values.Get("next"))},
		)
		if err != nil {
			return err
		}
		return d.askCode(c, http.StatusOK, shell.EmptyForm(c))
	}
	return d.welcome(c, in, shell.SafeNext(f.Values.Get("next")))
}

// welcome starts the browser's session, and ends the one of the same user that the
// browser carried. Somebody else's may have been planted there: it is not touched.
func (d *Surface) welcome(c echo.Context, in identity.SignedIn, next string) error {
	ctx, old := c.Request().Context(), d.Cookies.Token(c.Request()).Reveal()
	if m, err := d.Merchants.MembershipBySession(ctx, old); err == nil && m.User.ID == in.User.ID {
		if err := d.Users.SignOut(ctx, old, audit.Record{}); err != nil {
			return err
		}
	}
	if err := d.Cookies.SignIn(c.Response(), in); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, next)
}

func (d *Surface) signInAgain(c echo.Context, f *shell.Form, err error) error {
	if !f.Refused(err, shell.Subject{Service: "email", Input: "email", Label: "The e-mail address"}) {
		return err
	}
	p := d.entry(c)
	if next := f.Values.Get("next"); next != "" {
		p.Next = shell.SafeNext(next)
	}
	p.Problem, p.Fields = f.Problem, []panel.Field{f.Field(session.EmailField()), f.Field(passwordField())}
	if fault.Is(err, fault.Limited) && d.Mails {
		// Whoever guesses from very many networks uses up what lets a new device in. The link makes it a known one.
		p.Problem = p.T(p.Problem) + " " + p.T("If that is not you, set a new password by mail: it lets you in at once.")
	}
	refusal := d.Shell.Refuse(c, err)
	return d.enter(c, refusal.Code, p.Page, signin.SignIn(p))
}

func (d *Surface) askCode(c echo.Context, status int, f *shell.Form) error {
	p := d.entry(c)
	p.Problem = f.Problem
	p.Fields = []panel.Field{f.Field(panel.Field{
		Name: "code", Label: "Code", Autocomplete: "one-time-code", Mode: "text", Required: true, Max: "40", Mono: true,
	})}
	return d.enter(c, status, p.Page, signin.SignInCode(p))
}

func (d *Surface) postSignInCode(c echo.Context) error {
	f, err := session.ReadForm(c)
	if err != nil {
		return err
	}
	half, next := d.Cookies.Get(c.Request(), shell.HalfCookie, "half"), d.Cookies.Get(c.Request(), shell.HalfCookie, "next")
	if half == "" {
		return d.Cookies.Redirect(c, "/signin", "That took too long. Sign in again.")
	}
	who := identity.Credentials{
		Email: identity.Halfway(half).Email(), Code: f.Values.Get("code"), Address: shell.CallOf(c).Client,
		UserAgent: shell.CallOf(c).UserAgent,
	}
	who.Device = d.Cookies.Device(c.Request(), who.Email)
	in, err := d.Users.EnterWithCode(c.Request().Context(), identity.Halfway(half), who)
	switch {
	case errors.Is(err, identity.ErrBadSession):
		return d.Cookies.Redirect(c, "/signin", "Sign in again.")
	case err != nil:
		f := shell.EmptyForm(c)
		if errors.Is(err, identity.ErrBadCode) {
			f.Bad("code", shell.Sentence(identity.ErrBadCode.Message))
		} else if !f.Refused(err) {
			return err
		}
		return d.askCode(c, d.Shell.Refuse(c, err).Code, f)
	}
	return d.welcome(c, in, shell.SafeNext(next))
}

func (d *Surface) postSignOut(c echo.Context) error {
	ctx, token := c.Request().Context(), d.Cookies.Token(c.Request()).Reveal()
	var r audit.Record
	if m, err := d.Merchants.MembershipBySession(ctx, token); err == nil {
		act := d.Stranger(c)
		act.Who = m.User.Email
		r = act.Record(m.User.ID, audit.ActionSignOut, "", "")
	}
	if err := d.Users.SignOut(ctx, token, r); err != nil {
		return err
	}
	d.Cookies.EndSession(c.Response())
	if c.FormValue("next") == "/join" { // the invitation that the browser carries is for somebody else
		return c.Redirect(http.StatusSeeOther, "/join")
	}
	return d.Cookies.Redirect(c, "/signin", "You are signed out.")
}
