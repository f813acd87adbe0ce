package session

import "github.com/labstack/echo/v4"

// MailTo sends a mail in the background.
func (g *Guard) MailTo(c echo.Context, to, subject, text string) {
	g.Mail.Send(c.Request().Context(), to, subject, text)
}

// MailOwners sends a mail to every owner of the merchant, in the background.
func (g *Guard) MailOwners(c echo.Context, who Principal, subject, text string) {
	g.Mail.SendOwners(c.Request().Context(), who.Membership.Merchant.ID, subject, text)
}
