package session

import (
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/merchant"
)

// MailTo sends a mail in the background.
func (g *Guard) MailTo(c echo.Context, to, subject, text string) {
	g.Mail.Send(c.Request().Context(), to, subject, text)
}

// MailOwners sends a mail to every owner of the merchant, in the background.
func (g *Guard) MailOwners(c echo.Context, who Principal, subject, text string) {
	g.Mail.SendOwners(c.Request().Context(), who.Membership.Merchant.ID, subject, text)
}

// MailChanges mails every owner what the principal changed for a key, one line each,
// with old and new. Without changes no mail is sent.
func (g *Guard) MailChanges(c echo.Context, who Principal, key merchant.Key, subject string, changes []string) {
	if len(changes) > 0 {
		g.MailOwners(c, who, subject, who.User.Email+" changed in Florin, for the API key “"+KeyLabel(key)+"”:\n\n"+
			strings.Join(changes, "\n"))
	}
}
