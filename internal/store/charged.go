package store

import (
	"context"
	"fmt"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/payment"
)

// ChargedPayments posts the entries and lists payments as Payments does, both in
// one transaction; more is true if the list goes on. The entries come first, so
// that a key without query units reads nothing.
func (s *Store) ChargedPayments(
	ctx context.Context, f payment.Filter, entries []ledger.Entry,
) (list []payment.Payment, more bool, left ledger.Balance, err error) {
	if f.Limit < 1 || f.Limit > payment.MaxPage {
		return nil, false, ledger.Balance{}, fault.New(fault.Invalid, "first must be between 1 and %d", payment.MaxPage)
	}
	page := f.Limit
	f.Limit++ // one more shows whether another page follows
	err = s.db.Write(ctx, func(ctx context.Context, t tx) (err error) {
		if left, err = charge(ctx, t, f.KeyID, entries); err != nil {
			return err
		}
		list, err = s.listPayments(ctx, t, f)
		return err
	})
	if err != nil {
		return nil, false, ledger.Balance{}, fmt.Errorf("list payments of key %d: %w", f.KeyID, err)
	}
	if len(list) > page {
		return list[:page], true, left, nil
	}
	return list, false, left, nil
}

// ChargedPayment posts the entries and reads one payment of the key in one
// transaction, or fails with payment.ErrUnknown.
func (s *Store) ChargedPayment(ctx context.Context, keyID int64, id payment.ID, entries []ledger.Entry) (p payment.Payment, err error) {
	err = s.db.Write(ctx, func(ctx context.Context, t tx) error {
		if _, err := charge(ctx, t, keyID, entries); err != nil {
			return err
		}
		var rows []*paymentRow
		if err := t.NewSelect().Model(&rows).Where("public_id = ? AND key_id = ?", string(id), keyID).Scan(ctx); err != nil {
			return err
		}
		list, err := wholePayments(ctx, t, s.db.Dialect(), rows)
		if err != nil || len(list) == 0 {
			return orElse(err, payment.ErrUnknown)
		}
		p = list[0]
		return nil
	})
	if err != nil {
		return payment.Payment{}, fmt.Errorf("read payment %s: %w", id, err)
	}
	return p, nil
}

// charge posts entries and returns what the key has left.
func charge(ctx context.Context, t tx, keyID int64, entries []ledger.Entry) (ledger.Balance, error) {
	if err := book(ctx, t, entries); err != nil {
		return ledger.Balance{}, err
	}
	var b balanceScan
	if err := t.Run(ctx, b.read(keyID)); err != nil {
		return ledger.Balance{}, err
	}
	return b.balance, b.missing()
}
