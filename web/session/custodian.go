package session

import (
	"context"
	"errors"

	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/views/panel"
)

// CustodianOf returns the custodian of a key; false if it has none yet.
func (g *Guard) CustodianOf(ctx context.Context, key merchant.Key) (merchant.Custodian, bool, error) {
	custodian, err := g.Merchants.Custodian(ctx, key.ID)
	if errors.Is(err, merchant.ErrNoCustodian) {
		return merchant.Custodian{}, false, nil
	}
	return custodian, err == nil, err
}

// Ready reports whether customers can pay what is made for the chosen key: it has wallets. A merchant with several keys
// chooses among them in the form, which is then refused for a key without.
func (g *Guard) Ready(ctx context.Context, key merchant.Key, choice panel.KeyChoice) (bool, error) {
	if len(choice.Keys) > 1 {
		return true, nil
	}
	_, has, err := g.CustodianOf(ctx, key)
	return has, err
}
