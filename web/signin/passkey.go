package signin

import (
	"net/url"

	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/web/session"
	"github.com/florinpay/florin/web/shell"
	"github.com/labstack/echo/v4"
)

// postAskPasskey returns the options of a sign-in with any passkey. The challenge is
// kept in a cookie, so that only this browser can answer it.
func (d *Surface) postAskPasskey(c echo.Context) error {
	ctx := c.Request().Context()
	if err := d.Shell.Limits.Costly(ctx); err != nil {
		return d.Answer(c, "", err)
	}
	options, token, err := d.Users.AskPasskey(ctx)
	if err == nil {
		err = d.Cookies.Put(
			c.Response(), shell.AskedCookie, identity.ChallengeTTL, map[string]string{"token": token.Reveal()},
		)
	}
	return d.Answer(c, options, err)
}

func (d *Surface) postEnterPasskey(c echo.Context) error {
	f, err := session.ReadForm(c)
	if err != nil {
		return err
	}
	token := d.Cookies.Get(c.Request(), shell.AskedCookie, "token")
	d.Cookies.Drop(c.Response(), shell.AskedCookie)
	in, err := d.Users.EnterWithPasskey(c.Request().Context(), token, f.Values.Get("passkey"), identity.Credentials{
		Address: shell.CallOf(c).Client, UserAgent: shell.CallOf(c).UserAgent,
	})
	if err != nil {
		return d.signInAgain(c, shell.NewForm(url.Values{"next": f.Values["next"]}), err)
	}
	return d.welcome(c, in, shell.SafeNext(f.Values.Get("next")))
}
