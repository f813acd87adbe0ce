package operation

import (
	"context"

	"github.com/florinpay/florin/internal/account"
	"github.com/florinpay/florin/internal/credit"
)

// Ledger books what operations cost.
type Ledger interface {
	// Book writes entries and returns what the key has left, or fails with
	// credit.ErrNoCredits or ErrNoQueries and writes nothing.
	Book(ctx context.Context, keyID int64, entries []credit.Entry) (credit.Balance, error)
}

// charged runs a reading operation that costs one credit and returns what the
// key has left. An empty key is refused before anything is read; one credit is
// taken once the reading has succeeded, and without it nothing is shown.
func charged[T any](
	ctx context.Context, o *Operations, key account.Key, name string, read func() (T, error),
) (out T, left credit.Balance, err error) {
	if err := o.affords(ctx, key.ID, credit.Credit); err != nil {
		return out, left, err
	}
	found, err := read()
	if err != nil {
		return out, left, err
	}
	now := o.d.Now()
	ref := name + ":" + string(o.d.NewID(now))
	entry := credit.Spend(key.ID, credit.Credit, credit.ReasonOperation, ref, now)
	if left, err = o.d.Ledger.Book(ctx, key.ID, []credit.Entry{entry}); err != nil {
		return out, left, err
	}
	return found, left, nil
}

// affords refuses an operation whose unit is used up.
func (o *Operations) affords(ctx context.Context, keyID int64, unit credit.Unit) error {
	balance, err := o.d.Accounts.Balance(ctx, keyID)
	if err != nil {
		return err
	}
	left := balance.Credits
	if unit == credit.Query {
		left = balance.Queries
	}
	if left <= 0 {
		return credit.Shortage(unit)
	}
	return nil
}
