package session

import (
	"context"
	"errors"

	"github.com/florinpay/florin/internal/merchant"
)

// CustodianOf returns the custodian of a key; false if it has none yet.
func (g *Guard) CustodianOf(ctx context.Context, key merchant.Key) (merchant.Custodian, bool, error) {
	custodian, err := g.Merchants.Custodian(ctx, key.ID)
	if errors.Is(err, merchant.ErrNoCustodian) {
		return merchant.Custodian{}, false, nil
	}
	return custodian, err == nil, err
}
