package session

import (
	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/graph/operation"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/merchant"
)

// FirstKeyLabel names the key that every merchant starts with.
const FirstKeyLabel = "Main key"

// FirstKey makes the key that every merchant starts with, so that payments can be taken
// before anyone asks for an API. Its text is shown to nobody: a user who wants it
// replaces it under Developers.
func (g *Guard) FirstKey(c echo.Context, user identity.User, free operation.NewKeys) (merchant.Key, error) {
	act := g.Stranger(c)
	act.Who = user.Email
	key, _, err := g.Merchants.CreateKey(c.Request().Context(), user, merchant.NewKey{
		Label: FirstKeyLabel, Credits: free.Credits, Queries: free.Queries, Limited: true,
	}, act)
	return key, err
}
