package signin

import (
	"errors"
	"net/http"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/views/panel"
	"github.com/florinpay/florin/views/signin"
	"github.com/florinpay/florin/web/session"
	"github.com/florinpay/florin/web/shell"
	"github.com/labstack/echo/v4"
)

func (d *Surface) getSignUp(c echo.Context) error {
	invite, sent, err := d.Cookies.FromLink(c, "invite")
	if sent || err != nil {
		return err
	}
	p, f, status := d.entry(c), shell.EmptyForm(c), http.StatusOK
	if p.Invite = invite; d.Invite && invite != "" {
		err := d.Users.CheckInvitation(c.Request().Context(), invite)
		if errors.Is(err, identity.ErrBadInvitation) {
			p.Invite, f.Problem, status = "", shell.Sentence(identity.ErrBadInvitation.Message), http.StatusForbidden
		} else if err != nil {
			return err
		}
	}
	if !d.mayAsk(p.Invite) {
		return d.enter(c, status, p.Page, signin.Closed(p.Page, d.Invite, f.Problem))
	}
	return d.signUpPage(c, http.StatusOK, p, f)
}

// mayAsk reports whether a user with this invitation may fill in the form.
func (d *Surface) mayAsk(invite string) bool { return d.SignUp || d.Invite && invite != "" }

func (d *Surface) signUpPage(c echo.Context, status int, p signin.EntryProps, f *shell.Form) error {
	p.Problem, p.Once = f.Problem, true
	p.Fields = []panel.Field{
		f.Field(session.EmailField()), f.Field(session.NewPasswordField("Password")),
		f.Field(panel.Field{Name: "firstName", Label: "First name (optional)", Autocomplete: "given-name", Max: "100"}),
		f.Field(panel.Field{Name: "lastName", Label: "Last name (optional)", Autocomplete: "family-name", Max: "100"}),
	}
	return d.enter(c, status, p.Page, signin.SignUp(p))
}

func (d *Surface) postSignUp(c echo.Context) error {
	f, err := session.ReadForm(c)
	if err != nil {
		return err
	}
	ctx, invite := c.Request().Context(), f.Values.Get("invite")
	if !d.mayAsk(invite) {
		return fault.New(fault.Forbidden, "signing up is closed here; ask the operator for an account")
	}
	in := identity.NewUser{
		Email: f.Text("email"), Password: secret.New(f.Values.Get("password")),
		FirstName: f.Text("firstName"), LastName: f.Text("lastName"), Language: shell.Language(c),
	}
	verify := d.Users.VerifiesEmail() && invite == ""
	if err = d.Shell.Limits.Costly(ctx); err == nil {
		if verify {
			err = d.Users.BeginSignUp(ctx, in)
		} else {
			err = d.makeUser(c, invite, in)
		}
	}
	if err != nil {
		p := d.entry(c)
		p.Invite = invite
		if !f.Refused(err, shell.Subject{
			Service: "email", Input: "email", Label: "The e-mail address",
		}, shell.Subject{Service: "password", Input: "password", Label: "The password"},
			shell.Subject{
				Service: "firstName", Input: "firstName", Label: "The first name",
			}, shell.Subject{Service: "lastName", Input: "lastName", Label: "The last name"}) {
			return err
		}
		return d.signUpPage(c, d.Shell.Refuse(c, err).Code, p, f)
	}
	if verify {
		p := d.entry(c)
		p.Sent = true
		return d.enter(c, http.StatusOK, p.Page, signin.SignUp(p))
	}
	entered, err := d.Users.SignIn(c.Request().Context(), identity.Credentials{
		Email: in.Email, Password: in.Password, Address: shell.CallOf(c).Client, UserAgent: shell.CallOf(c).UserAgent,
	})
	if err != nil {
		return err
	}
	return d.begin(c, entered)
}

// begin starts the first session of a new user. The password was entered a moment ago,
// so it counts as a re-authentication; and the user gets the key that every merchant
// starts with.
func (d *Surface) begin(c echo.Context, in identity.SignedIn) error {
	ctx := c.Request().Context()
	renewed, err := d.Users.Renew(ctx, in.Token)
	if err != nil {
		return err
	}
	in.Token, in.ExpiresAt = renewed.Token, renewed.ExpiresAt
	keys, err := d.Merchants.EveryKey(ctx, in.User.ID)
	if err != nil {
		return err
	}
	if len(keys) == 0 && d.Users.RequireVerified(in.User) == nil {
		if _, err := d.FirstKey(c, in.User, d.NewKeys); err != nil {
			return err
		}
	}
	return d.welcome(c, in, shell.HomePath)
}

func (d *Surface) makeUser(c echo.Context, invite string, in identity.NewUser) error {
	if d.SignUp && invite == "" {
		_, err := d.Users.CreateUser(c.Request().Context(), in, d.Stranger(c))
		return err
	}
	_, err := d.Users.CreateInvited(c.Request().Context(), invite, in, d.Stranger(c))
	return err
}
