package app

import (
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/merchant"
)

type (
	users     = identity.Service
	merchants = merchant.Service
)

// accounts joins both services for the surfaces that take them as one value.
type accounts struct {
	*users
	*merchants
}

func (a *App) accounts() accounts { return accounts{a.Users, a.Merchants} }
