package operation

import (
	"context"

	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/merchant"
)

// charge returns the entry by which a key pays one credit for an operation.
// Its ref is fresh for every call, so each call that succeeds costs one.
func (o *Operations) charge(key merchant.Key, name string) []ledger.Entry {
	now := o.d.Now()
	ref := name + ":" + string(o.d.NewID(now))
	return o.d.Merchants.Meter().Charge(ledger.Spend(key.ID, ledger.Credit, ledger.ReasonOperation, ref, now))
}

// affords refuses an operation whose unit is used up.
func (o *Operations) affords(ctx context.Context, keyID int64, unit ledger.Unit) error {
	balance, err := o.d.Merchants.Balance(ctx, keyID)
	if err != nil {
		return err
	}
	return o.d.Merchants.Meter().Affords(balance, unit)
}
