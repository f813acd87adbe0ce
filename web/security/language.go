package security

import (
	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/web/session"
	"github.com/florinpay/florin/web/shell"
)

const languagePath = session.SecurityPath + "/language"

var errNoLanguage = fault.New(fault.Invalid, "choose one of the languages of the list")

// postLanguage stores the language of the user's pages and mails.
func (d *Surface) postLanguage(c echo.Context, who session.Principal, f *shell.Form) error {
	tag := f.Text("language")
	if !views.HasLanguage(tag) {
		return errNoLanguage
	}
	if err := d.Users.SetLanguage(c.Request().Context(), who.User.ID, tag); err != nil {
		return err
	}
	shell.Speak(c, tag)
	return d.Cookies.Redirect(c, session.SecurityPath, views.T(c.Request().Context(), "Your language is saved."))
}
