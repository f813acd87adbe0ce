package signin

import (
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/views/panel"
	"github.com/florinpay/florin/views/signin"
	"github.com/florinpay/florin/web/session"
	"github.com/florinpay/florin/web/shell"
)

// getVerify shows the form behind the link that verifies an address. Opening the
// link changes nothing: programs that scan mails open it, too.
func (d *Surface) getVerify(c echo.Context) error {
	token, sent, err := d.Cookies.FromLink(c, "token")
	if sent || err != nil {
		return err
	}
	return d.verifyPage(c, http.StatusOK, token, shell.EmptyForm(c))
}

func (d *Surface) verifyPage(c echo.Context, status int, token string, f *shell.Form) error {
	p := d.entry(c)
	address, err := d.Users.PendingSignUp(c.Request().Context(), token)
	if errors.Is(err, identity.ErrBadVerification) {
		p.Problem = shell.Sentence(identity.ErrBadVerification.Message)
		return d.enter(c, http.StatusBadRequest, p.Page, signin.Verify(p))
	}
	if err != nil {
		return err
	}
	email := session.EmailField()
	email.ReadOnly, email.Value = true, address
	p.Token, p.Problem, p.Fields = token, f.Problem, []panel.Field{email, f.Field(passwordField())}
	return d.enter(c, status, p.Page, signin.Verify(p))
}

// postVerify creates the user, or verifies the address of one, and signs in.
func (d *Surface) postVerify(c echo.Context) error {
	f, err := session.ReadForm(c)
	if err != nil {
		return err
	}
	ctx, token, password := c.Request().Context(), f.Values.Get("token"), secret.New(f.Values.Get("password"))
	var user identity.User
	if err = d.Shell.Limits.Costly(ctx); err == nil {
		user, err = d.Users.FinishSignUp(ctx, token, password, d.Stranger(c))
	}
	switch {
	case errors.Is(err, identity.ErrBadPassword):
		f.Bad("password", "That is not the password you chose.")
		return d.verifyPage(c, http.StatusBadRequest, token, f)
	case err != nil:
		if !f.Refused(err) {
			return err
		}
		return d.verifyPage(c, d.Shell.Refuse(c, err).Code, token, f)
	}
	in, half, err := d.Users.Enter(ctx, identity.Credentials{
		Email: user.Email, Password: password, Address: shell.CallOf(c).Client, UserAgent: shell.CallOf(c).UserAgent,
	})
	if err != nil {
		return err
	}
	if half != "" {
		return d.Cookies.Redirect(c, "/signin", "Your e-mail address is verified. Sign in.")
	}
	return d.begin(c, in)
}
