package main

import (
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
)

func chainNetwork(name string) chain.Network { return chain.Network(name) }

func choice(network, token string) payment.Choice {
	return payment.Choice{Network: chain.Network(network), Token: money.Token(token)}
}
