package operation

import (
	"context"

	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/payment"
)

// Ledger books what operations cost.
type Ledger interface {
	// ChargedPayments books the entries and lists payments, both in one
	// transaction: nothing is shown that was not paid for, and nothing is paid
	// for that was not read. more is true if the list goes on.
	ChargedPayments(ctx context.Context, f payment.Filter, entries []ledger.Entry) (list []payment.Payment, more bool, left ledger.Balance, err error)
	// ChargedPayment does so with one payment of the key, or fails with
	// payment.ErrUnknown.
	ChargedPayment(ctx context.Context, keyID int64, id payment.ID, entries []ledger.Entry) (payment.Payment, error)
}

// charge returns the entry by which a key pays one credit for an operation.
// Its ref is fresh for every call, so each call that succeeds costs one.
func (o *Operations) charge(key merchant.Key, name string) []ledger.Entry {
	now := o.d.Now()
	ref := name + ":" + string(o.d.NewID(now))
	return []ledger.Entry{ledger.Spend(key.ID, ledger.Credit, ledger.ReasonOperation, ref, now)}
}

// affords refuses an operation whose unit is used up.
func (o *Operations) affords(ctx context.Context, keyID int64, unit ledger.Unit) error {
	balance, err := o.d.Accounts.Balance(ctx, keyID)
	if err != nil {
		return err
	}
	left := balance.Credits
	if unit == ledger.Query {
		left = balance.Queries
	}
	if left <= 0 {
		return ledger.Shortage(unit)
	}
	return nil
}
