package session

import (
	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/web/shell"
)

// Gate lets a change of where money goes pass (merchant.Directions): the principal
// is an owner and re-authenticates for this very change. ReauthRefused puts its
// refusal beside the input. The caller mails and audits what was changed.
func (g *Guard) Gate(c echo.Context, who Principal, f *shell.Form) error {
	if err := who.Membership.Allow(merchant.ActMoney); err != nil {
		return err
	}
	return g.Reauthenticate(c, who, f)
}
