package session

import (
	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/panel"
	"github.com/florinpay/florin/web/shell"
)

// MaxForm is more bytes than any form of the dashboard has.
const MaxForm = 64 << 10

// ReadForm reads the form that was posted.
func ReadForm(c echo.Context) (*shell.Form, error) {
	values, err := shell.ReadForm(c, MaxForm)
	if err != nil {
		return nil, err
	}
	f := shell.NewForm(values)
	f.Posted, f.Locale = c.Request().URL.Path, views.LocaleFor(shell.Language(c))
	return f, nil
}

// EmailField is the input of the e-mail address a user signs in with.
func EmailField() panel.Field {
	return panel.Field{
		Name: "email", Label: "E-mail address", Type: "email", Autocomplete: "username", Required: true, Max: "254",
	}
}

// NewPasswordField is the input of a new password.
func NewPasswordField(label string) panel.Field {
	return panel.Field{
		Name: "password", Label: label, Type: "password", Autocomplete: "new-password", Required: true, Max: "512",
		Hint: "At least 10 characters. A few words you can remember are better than one you cannot.",
	}
}

// RoleTexts describe what each role may do.
var RoleTexts = map[merchant.Role]string{
	merchant.RoleOwner: "May do everything: wallets, credits, the team, and marking payments as completed.",
	merchant.RoleDeveloper: "May make API keys that create and read payments, set the branding, send webhooks again, and run donation campaigns. " +
		"Sees everything, and cannot change wallets, callback and secrets.",
	merchant.RoleSupport: "May create payment links, look for a customer's money, cancel payments, send webhooks again, " +
		"and approve what donors wrote. Cannot mark a payment as completed.",
	merchant.RoleViewer: "May look at everything and change nothing.",
}
