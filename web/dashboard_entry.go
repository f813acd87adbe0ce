package web

import (
	"errors"
	"net/http"
	"net/url"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/panel"
	"github.com/florinpay/florin/views/signin"
	"github.com/florinpay/florin/web/shell"
)

func (d *desk) entry(c echo.Context) signin.EntryProps {
	page := shell.NewPage(c)
	page.Lang = "en"
	p := signin.EntryProps{Page: page, SignUp: d.o.SignUp, Forgot: d.x.Mail != nil}
	if d.x.Members.HasPasskeys() {
		p.PasskeyAt = d.o.BaseURL
	}
	if text := d.cookies.Notice(c); text != "" {
		p.Notice = panel.Notice{Text: text}
	}
	return p
}

// enter writes a page for somebody who is not signed in.
func (d *desk) enter(c echo.Context, status int, page views.Page, view templ.Component) error {
	return shell.Render(c, status, page, view)
}

func emailField() panel.Field {
	return panel.Field{Name: "email", Label: "E-mail address", Type: "email", Autocomplete: "username", Required: true, Max: "254"}
}

func passwordField() panel.Field {
	return panel.Field{Name: "password", Label: "Password", Type: "password", Autocomplete: "current-password", Required: true, Max: "512"}
}

func newPasswordField(label string) panel.Field {
	return panel.Field{
		Name: "password", Label: label, Type: "password", Autocomplete: "new-password", Required: true, Max: "512",
		Hint: "At least 10 characters. A few words you can remember are better than one you cannot.",
	}
}

// signedInAlready sends somebody home who need not sign in.
func (d *desk) signedInAlready(c echo.Context) bool {
	_, err := d.d.Accounts.MembershipBySession(c.Request().Context(), d.cookies.Token(c.Request()).Reveal())
	return err == nil
}

func (d *desk) getSignIn(c echo.Context) error {
	if d.signedInAlready(c) {
		return c.Redirect(http.StatusSeeOther, shell.SafeNext(c.QueryParam("next")))
	}
	p := d.entry(c)
	if next := c.QueryParam("next"); next != "" {
		p.Next = shell.SafeNext(next)
	}
	p.Fields = []panel.Field{emailField(), passwordField()}
	return d.enter(c, http.StatusOK, p.Page, signin.SignIn(p))
}

func (d *desk) postSignIn(c echo.Context) error {
	values, err := shell.ReadForm(c, maxDeskForm)
	if err != nil {
		return err
	}
	f, ctx := shell.NewForm(values), c.Request().Context()
	if err := d.sh.Limits.Costly(ctx); err != nil {
		return d.signInAgain(c, f, err)
	}
	who := identity.Credentials{
		Email: f.Text("email"), Password: secret.New(values.Get("password")), Address: shell.CallOf(c).Client, UserAgent: shell.CallOf(c).UserAgent,
		Known: d.cookies.Knows(c.Request(), f.Text("email")),
	}
	in, half, err := d.x.Members.Enter(c.Request().Context(), who, d.auditSignIn(c, ""))
	if err != nil {
		d.ifGuessed(c, who, err)
		return d.signInAgain(c, f, err)
	}
	if half != "" {
		err := d.cookies.Put(c.Response(), shell.HalfCookie, shell.HalfTTL, map[string]string{"half": string(half), "next": shell.SafeNext(values.Get("next"))})
		if err != nil {
			return err
		}
		return d.askCode(c, http.StatusOK, shell.NewForm(url.Values{}))
	}
	return d.welcome(c, in, shell.SafeNext(values.Get("next")))
}

// welcome starts the browser's session.
func (d *desk) welcome(c echo.Context, in identity.SignedIn, next string) error {
	if err := d.cookies.SignIn(c.Response(), in); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, next)
}

func (d *desk) signInAgain(c echo.Context, f *shell.Form, err error) error {
	if !f.Refused(err, shell.Subject{Service: "email", Input: "email", Label: "The e-mail address"}) {
		return err
	}
	p := d.entry(c)
	if next := f.Values.Get("next"); next != "" {
		p.Next = shell.SafeNext(next)
	}
	p.Problem, p.Fields = f.Problem, []panel.Field{f.Field(emailField()), f.Field(passwordField())}
	refusal := d.sh.Refuse(c, err)
	return d.enter(c, refusal.Code, p.Page, signin.SignIn(p))
}

func (d *desk) askCode(c echo.Context, status int, f *shell.Form) error {
	p := d.entry(c)
	p.Problem = f.Problem
	p.Fields = []panel.Field{f.Field(panel.Field{
		Name: "code", Label: "Code", Autocomplete: "one-time-code", Mode: "text", Required: true, Max: "40", Mono: true,
	})}
	return d.enter(c, status, p.Page, signin.SignInCode(p))
}

func (d *desk) postSignInCode(c echo.Context) error {
	values, err := shell.ReadForm(c, maxDeskForm)
	if err != nil {
		return err
	}
	half, next := d.cookies.Get(c.Request(), shell.HalfCookie, "half"), d.cookies.Get(c.Request(), shell.HalfCookie, "next")
	if half == "" {
		return d.cookies.Redirect(c, "/signin", "That took a little long. Sign in again.")
	}
	who := identity.Credentials{Email: identity.Halfway(half).Email(), Code: values.Get("code"), Address: shell.CallOf(c).Client, UserAgent: shell.CallOf(c).UserAgent}
	who.Known = d.cookies.Knows(c.Request(), who.Email)
	in, err := d.x.Members.EnterWithCode(c.Request().Context(), identity.Halfway(half), who, d.auditSignIn(c, "with a code"))
	d.ifGuessed(c, who, err)
	switch {
	case errors.Is(err, identity.ErrBadSession):
		return d.cookies.Redirect(c, "/signin", "Sign in again.")
	case err != nil:
		f := shell.NewForm(url.Values{})
		if errors.Is(err, identity.ErrBadCode) {
			f.Bad("code", shell.Sentence(identity.ErrBadCode.Message))
		} else if !f.Refused(err) {
			return err
		}
		return d.askCode(c, d.sh.Refuse(c, err).Code, f)
	}
	return d.welcome(c, in, shell.SafeNext(next))
}

// ifGuessed has the user told if a sign-in was refused because too many failed.
func (d *desk) ifGuessed(c echo.Context, who identity.Credentials, err error) {
	if fault.Is(err, fault.Limited) {
		d.letters.guessed(c.Request().Context(), who)
	}
}

func (d *desk) postSignOut(c echo.Context) error {
	ctx, token := c.Request().Context(), d.cookies.Token(c.Request()).Reveal()
	var trail []audit.Entry
	if seat, err := d.d.Accounts.MembershipBySession(ctx, token); err == nil {
		trail = append(trail, d.auditOwn(c, seat.User, audit.ActionSignOut, "", ""))
	}
	if err := d.d.Accounts.SignOut(ctx, token, trail...); err != nil {
		return err
	}
	d.cookies.Drop(c.Response(), shell.SessionCookie)
	return d.cookies.Redirect(c, "/signin", "You are signed out.")
}

func (d *desk) getSignUp(c echo.Context) error {
	p := d.entry(c)
	p.Invite = c.QueryParam("invite")
	if !d.mayAsk(p.Invite) {
		return d.enter(c, http.StatusOK, p.Page, signin.Closed(p.Page, d.x.Invite))
	}
	return d.signUpPage(c, http.StatusOK, p, shell.NewForm(url.Values{}))
}

// mayAsk reports whether somebody with this invitation may fill in the form.
func (d *desk) mayAsk(invite string) bool { return d.o.SignUp || d.x.Invite && invite != "" }

func (d *desk) signUpPage(c echo.Context, status int, p signin.EntryProps, f *shell.Form) error {
	p.Problem = f.Problem
	p.Fields = []panel.Field{
		f.Field(emailField()), f.Field(newPasswordField("Password")),
		f.Field(panel.Field{Name: "firstName", Label: "First name (optional)", Autocomplete: "given-name", Max: "100"}),
		f.Field(panel.Field{Name: "lastName", Label: "Last name (optional)", Autocomplete: "family-name", Max: "100"}),
	}
	return d.enter(c, status, p.Page, signin.SignUp(p))
}

func (d *desk) postSignUp(c echo.Context) error {
	values, err := shell.ReadForm(c, maxDeskForm)
	if err != nil {
		return err
	}
	f, ctx, invite := shell.NewForm(values), c.Request().Context(), values.Get("invite")
	if !d.mayAsk(invite) {
		return fault.New(fault.Forbidden, "signing up is closed here; ask the operator for an account")
	}
	in := identity.NewUser{
		Email: f.Text("email"), Password: secret.New(values.Get("password")), FirstName: f.Text("firstName"), LastName: f.Text("lastName"),
	}
	if err = d.sh.Limits.Costly(ctx); err == nil {
		err = d.makeUser(c, invite, in)
	}
	if err != nil {
		p := d.entry(c)
		p.Invite = invite
		if !f.Refused(err, shell.Subject{Service: "email", Input: "email", Label: "The e-mail address"}, shell.Subject{Service: "password", Input: "password", Label: "The password"},
			shell.Subject{Service: "firstName", Input: "firstName", Label: "The first name"}, shell.Subject{Service: "lastName", Input: "lastName", Label: "The last name"}) {
			return err
		}
		return d.signUpPage(c, d.sh.Refuse(c, err).Code, p, f)
	}
	session, err := d.d.Accounts.SignIn(c.Request().Context(), identity.Credentials{
		Email: in.Email, Password: in.Password, Address: shell.CallOf(c).Client, UserAgent: shell.CallOf(c).UserAgent,
	}, d.auditSignIn(c, ""))
	if err != nil {
		return err
	}
	return d.welcome(c, session, shell.HomePath)
}

func (d *desk) makeUser(c echo.Context, invite string, in identity.NewUser) error {
	entry := d.auditOwn(c, identity.User{}, audit.ActionSignUp, "", "")
	if d.o.SignUp {
		_, err := d.d.Accounts.CreateUser(c.Request().Context(), in, entry)
		return err
	}
	_, err := d.x.Members.CreateInvited(c.Request().Context(), invite, in, entry)
	return err
}

func (d *desk) getForgot(c echo.Context) error {
	p := d.entry(c)
	p.Fields = []panel.Field{emailField()}
	if d.x.Mail == nil {
		p.Problem = "This installation sends no mail. Ask its operator to set a new password for you."
	}
	return d.enter(c, http.StatusOK, p.Page, signin.Forgot(p))
}

// postForgot answers alike whether there is such an account or not, and takes
// no notice of whether the mail could be sent.
func (d *desk) postForgot(c echo.Context) error {
	values, err := shell.ReadForm(c, maxDeskForm)
	if err != nil {
		return err
	}
	f, ctx, p := shell.NewForm(values), c.Request().Context(), d.entry(c)
	email, err := identity.NormalizeEmail(f.Text("email"))
	if err == nil {
		err = d.sh.Limits.Costly(ctx)
	}
	if err != nil {
		if !f.Refused(err, shell.Subject{Service: "email", Input: "email", Label: "The e-mail address"}) {
			return err
		}
		p.Problem, p.Fields = f.Problem, []panel.Field{f.Field(emailField())}
		return d.enter(c, d.sh.Refuse(c, err).Code, p.Page, signin.Forgot(p))
	}
	if d.x.Mail == nil {
		return d.getForgot(c)
	}
	user, token, err := d.x.Members.BeginReset(ctx, email)
	if err != nil {
		return err
	}
	if !token.Empty() {
		d.mail(c, user.Email, "Set a new password", "Somebody, we hope you, asked for a new password for Florin.\n\n"+
			"Set it here within one hour:\n"+d.o.BaseURL+"/reset?token="+token.Reveal()+"\n\n"+
			"If it was not you, nothing needs to be done: your password stays as it is.")
	}
	p.Sent = true
	return d.enter(c, http.StatusOK, p.Page, signin.Forgot(p))
}

func (d *desk) getReset(c echo.Context) error {
	p := d.entry(c)
	p.Token, p.Fields = c.QueryParam("token"), []panel.Field{newPasswordField("New password")}
	return d.enter(c, http.StatusOK, p.Page, signin.Reset(p))
}

func (d *desk) postReset(c echo.Context) error {
	values, err := shell.ReadForm(c, maxDeskForm)
	if err != nil {
		return err
	}
	f, ctx := shell.NewForm(values), c.Request().Context()
	var user identity.User
	if err = d.sh.Limits.Costly(ctx); err == nil {
		entry := d.auditOwn(c, identity.User{}, audit.ActionReset, "", "")
		user, err = d.x.Members.FinishReset(c.Request().Context(), values.Get("token"), secret.New(values.Get("password")), entry)
	}
	if err != nil {
		if !f.Refused(err, shell.Subject{Service: "password", Input: "password", Label: "The password"}) {
			return err
		}
		p := d.entry(c)
		p.Token, p.Problem, p.Fields = values.Get("token"), f.Problem, []panel.Field{f.Field(newPasswordField("New password"))}
		return d.enter(c, d.sh.Refuse(c, err).Code, p.Page, signin.Reset(p))
	}
	if err := d.cookies.Know(c.Response(), user); err != nil {
		return err
	}
	d.cookies.Drop(c.Response(), shell.SessionCookie)
	return d.resetDone(c, user)
}
