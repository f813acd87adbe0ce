package web

import (
	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/views/docs"
	"github.com/florinpay/florin/web/session"
)

// docsAccount returns what fills the samples of the documentation for a signed-in reader. A reader without a session,
// or one who may not see it, reads the samples as strangers do.
func docsAccount(guard *session.Guard) func(echo.Context) docs.Account {
	return func(c echo.Context) docs.Account {
		if token := guard.Cookies.Token(c.Request()); token.Empty() {
			return docs.Account{}
		}
		who, err := guard.Principal(c)
		if err != nil || who.Membership.Allow(merchant.ActRead) != nil {
			return docs.Account{}
		}
		key, ok, err := who.ChosenKey("")
		if err != nil || !ok {
			return docs.Account{}
		}
		a := docs.Account{Email: who.User.Email, KeyName: session.KeyLabel(key)}
		custodian, err := guard.Merchants.Custodian(c.Request().Context(), key.ID)
		if err != nil {
			return a // it has none yet
		}
		for n, wallet := range custodian.Wallets {
			if n.EVM() {
				a.Wallet = string(wallet)
			}
		}
		a.CallbackURL = custodian.CallbackURL
		return a
	}
}
