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

// PayableChoice is Principal.KeyChoice for what customers pay: it is false too if the only key has no wallets. A
// merchant with several keys chooses among them in the form, which is then refused for a key without.
func (g *Guard) PayableChoice(
	ctx context.Context, who Principal, path, publicID string,
) (ok bool, choice panel.KeyChoice, err error) {
	key, ok, choice, err := who.KeyChoice(path, publicID)
	if err != nil || !ok || len(choice.Keys) > 1 {
		return ok, choice, err
	}
	_, ok, err = g.CustodianOf(ctx, key)
	return ok, choice, err
}
