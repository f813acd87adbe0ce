package session

import (
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/panel"
	"github.com/florinpay/florin/web/shell"
)

// SecurityPath is where a user changes what they sign in with.
const SecurityPath = shell.HomePath + "/security"

// Reauthenticate checks what the form re-authenticates with: a password or a code of
// the authenticator in the input "password", or a passkey in the input "passkey". It
// renews the session.
func (g *Guard) Reauthenticate(c echo.Context, who Principal, f *shell.Form) error {
	ctx, act := c.Request().Context(), g.Act(c, who)
	if answer := f.Values.Get("passkey"); answer != "" {
		if err := g.Users.ConfirmByPasskey(ctx, who.User, answer, act); err != nil {
			return err
		}
	} else if err := g.Users.Confirm(ctx, who.User, secret.New(f.Values.Get("password")), act); err != nil {
		return err
	}
	return g.Renew(c, who)
}

// Renew gives the browser a new token of its session after re-authentication, and
// voids the one before: a copy of the cookie ends here.
func (g *Guard) Renew(c echo.Context, who Principal) error {
	renewed, err := g.Users.Renew(c.Request().Context(), who.Token())
	if err != nil {
		return err
	}
	*who.token, *who.confirmed = renewed.Token, g.Shell.Now()
	return g.Cookies.PutSession(c.Response(), renewed.Token, renewed.ExpiresAt)
}

// ReauthRefused puts a refusal of Reauthenticate beside its input. It returns
// false for any other error.
func ReauthRefused(f *shell.Form, err error) bool {
	switch {
	case errors.Is(err, identity.ErrBadPassword):
		f.Bad("password", "The password is wrong. Nothing was changed.")
	case errors.Is(err, errNoReauth):
		f.Bad("password", "Enter your password to go on. Florin then does not ask again for ten minutes. Nothing was changed yet.")
	case errors.Is(err, identity.ErrBadCode):
		f.Bad("password", "The code is wrong or was used already. Nothing was changed.")
	case errors.Is(err, identity.ErrBadPasskey):
		f.Bad("password", "The passkey was not accepted. Nothing was changed.")
	case errors.Is(err, errNeedsFactor):
		f.Bad("password", shell.Refusal(f.Locale, errNeedsFactor, ""))
	case errors.Is(err, identity.ErrCopiedPasskey), fault.Is(err, fault.Limited):
		f.Problem = shell.Refusal(f.Locale, fault.Of(err), "")
	default:
		return false
	}
	return true
}

// ReauthStatus is the status of a page that shows a refused re-authentication. A
// wrong password is no 401 here, because the session is valid.
func ReauthStatus(err error) int {
	code := fault.KindOf(err).Code()
	if code == http.StatusBadRequest || code == http.StatusUnauthorized {
		return http.StatusForbidden
	}
	return code
}

// ReauthField is the input that Reauthenticate reads.
func (g *Guard) ReauthField(c echo.Context, who Principal, f *shell.Form) (panel.Field, error) {
	inForce, _, err := g.Users.Factor(c.Request().Context(), who.User)
	if err != nil {
		return panel.Field{}, err
	}
	passkeys, err := g.Users.PasskeysOf(c.Request().Context(), who.User)
	x := panel.Field{
		Name: "password", Label: "Your password", Type: "password", Autocomplete: "current-password",
		Required: true, Max: "512",
		Hint: "We ask again, so that a person who finds your screen unlocked cannot change it.",
	}
	if inForce {
		x.Label = "Your password, or a code of your authenticator"
	}
	if len(passkeys) > 0 {
		x.PasskeyAt = g.Shell.BaseURL
	}
	return f.Field(x), err
}

// Answer answers the script of passkeys: with the options for
// navigator.credentials, or with the problem.
func (g *Guard) Answer(c echo.Context, options string, err error) error {
	if err == nil {
		return c.JSONBlob(http.StatusOK, []byte(options))
	}
	f := fault.Of(err)
	if f == nil || f.Kind == fault.Internal {
		return err
	}
	said := shell.Refusal(views.LocaleFor(shell.Language(c)), f, "")
	return c.JSON(g.Shell.Refuse(c, err).Code, map[string]string{"problem": said})
}
