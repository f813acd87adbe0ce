package web

import (
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/views/panel"
	"github.com/florinpay/florin/web/shell"
)

// confirm asks the visitor to show once more who they are: in the input
// "password" by their password or a code of their authenticator, or in the input
// "passkey" by what their browser answered.
func (d *desk) confirm(c echo.Context, v visitor, f *shell.Form) error {
	if answer := f.Values.Get("passkey"); answer != "" {
		err := d.x.Members.ConfirmByPasskey(c.Request().Context(), v.user, v.token, answer, shell.CallOf(c).Client)
		d.ifCopied(c, v.user, err)
		return err
	}
	return d.x.Members.Confirm(c.Request().Context(), v.user, secret.New(f.Values.Get("password")), shell.CallOf(c).Client)
}

// badProof puts a refusal of confirm beside the input; false for anything else.
func (d *desk) badProof(f *shell.Form, err error) bool {
	switch {
	case errors.Is(err, identity.ErrBadPassword):
		f.Bad("password", "The password is wrong. Nothing was changed.")
	case errors.Is(err, identity.ErrBadCode):
		f.Bad("password", "The code is wrong or was used already. Nothing was changed.")
	case errors.Is(err, identity.ErrBadPasskey):
		f.Bad("password", "The passkey was not accepted. Nothing was changed.")
	case errors.Is(err, identity.ErrCopiedPasskey), fault.Is(err, fault.Limited):
		f.Problem = shell.Sentence(fault.Of(err).Message)
	default:
		return false
	}
	return true
}

// proofStatus is the status of a page that says which proof was refused. A wrong
// password is no 401 here: the session is fine.
func proofStatus(err error) int {
	code := fault.KindOf(err).Code()
	if code == http.StatusBadRequest || code == http.StatusUnauthorized {
		return http.StatusForbidden
	}
	return code
}

// proofField is the input that confirm reads.
func (d *desk) proofField(c echo.Context, v visitor, f *shell.Form) (panel.Field, error) {
	inForce, _, err := d.x.Members.Factor(c.Request().Context(), v.user)
	if err != nil {
		return panel.Field{}, err
	}
	passkeys, err := d.x.Members.PasskeysOf(c.Request().Context(), v.user)
	x := panel.Field{
		Name: "password", Label: "Your password", Type: "password", Autocomplete: "current-password", Required: true, Max: "512",
		Hint: "Asked again, so that nobody who finds your screen open can change it.",
	}
	if inForce {
		x.Label = "Your password, or a code of your authenticator"
	}
	if len(passkeys) > 0 {
		x.PasskeyAt = d.o.BaseURL
	}
	return f.Field(x), err
}
