package web

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/identity"
)

// resetDone tells the user what a new password by mail has ended, and what it
// has not. It proves that they read their mail, so every session is over; it
// does not prove that they lost their passkeys, which sign in by themselves. So
// those stay, each is named, and signing in leads to where they are removed.
func (d *desk) resetDone(c echo.Context, user identity.User) error {
	passkeys, err := d.x.Members.PasskeysOf(c.Request().Context(), user)
	if err != nil {
		return err
	}
	factor, _, err := d.x.Members.Factor(c.Request().Context(), user)
	if err != nil {
		return err
	}
	d.mail(c, user.Email, "Your password was reset", d.resetLetter(passkeys, factor))
	if len(passkeys) == 0 {
		return d.cookies.Redirect(c, "/signin", "Your new password is set, and every session has ended. Sign in with it.")
	}
	said := "Your new password is set, and every session has ended. A passkey of yours still signs in: look at it once you are in, and remove it if it is not yours."
	if n := len(passkeys); n > 1 {
		said = "Your new password is set, and every session has ended. " + strconv.Itoa(n) +
			" passkeys of yours still sign in: look at them once you are in, and remove those that are not yours."
	}
	return d.cookies.Redirect(c, "/signin?next="+url.QueryEscape(securityPath), said)
}

func (d *desk) resetLetter(passkeys []identity.Passkey, factor bool) string {
	var b strings.Builder
	b.WriteString("A new password was set for your account in Florin by a link that was mailed to you. Every session was ended.\n\n")
	if len(passkeys) > 0 {
		b.WriteString("These passkeys still sign in as you. Remove those you do not know:\n")
		for _, p := range passkeys {
			b.WriteString("- “" + p.Name + "”, added on " + p.CreatedAt.Format(dayFormat))
			if !p.UsedAt.IsZero() {
				b.WriteString(", used last on " + p.UsedAt.Format(dayFormat))
			}
			b.WriteString("\n")
		}
		b.WriteString("\n")
	}
	if factor {
		b.WriteString("Your authenticator is still asked for.\n\n")
	}
	b.WriteString("Your passkeys, your authenticator and who did what are here:\n" + d.o.BaseURL + securityPath +
		"\n\nIf this was not you, somebody reads your mail: secure it first, then set a new password:\n" + d.o.BaseURL + "/forgot")
	return b.String()
}
