package store

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/refund"
	"github.com/florinpay/florin/internal/store/db"
)

var _ refund.Store = (*Store)(nil)

// refunds generates the statements of refundRow. The key of a transfer, in an index of the final ones, keeps one from
// settling two refunds.
var refunds = db.NewTable[refundRow]("refunds", `
	fixed:   public_id=ID payment_id=Owner network=Asset.Network contract=Asset.Contract/bytes symbol=Asset.Symbol
	         decimals=Asset.Decimals token=Asset.Token units reason created_at
	changes: status address=Address.Address/bytes raw=Address.Raw proven hash/bytes ordinal address_at asked_at final_at
	         scanned others`).Else(refund.ErrUnknown)

// refundRow is a refund as it is stored.
type refundRow struct {
	refund.Refund

	Owner int64 // the number of the payment
}

var saveRefund = refunds.Upsert("public_id", "")

// refundsWhere reads refunds under a condition, in the order in which they were made.
func refundsWhere(list *[]refund.Refund, where string, args ...any) *db.Stmt {
	return db.Query(func(scan scan) error {
		var row refundRow
		var id string
		err := scan(append(refunds.Dest(&row), &id, &row.KeyID)...)
		row.PaymentID = payment.ID(id)
		*list = append(*list, row.Refund)
		return err
	}, `SELECT `+refunds.Columns("r")+`, p.public_id, p.key_id FROM refunds AS r
		JOIN payments AS p ON p.id = r.payment_id WHERE `+where+` ORDER BY r.id`, args...)
}

// UpdateRefunds locks the payment, calls decide and persists its Change, all in one transaction. No other
// refund may have the same transfer.
func (s *Store) UpdateRefunds(
	ctx context.Context, id payment.ID, decide func(refund.Account) (refund.Change, error),
) (refund.Refund, error) {
	var change refund.Change
	op := &changeOp{id: id, began: time.Now()}
	err := s.db.Hot(ctx, func(ctx context.Context, c conn) error {
		op.decide = func(p payment.Payment) (payment.Change, error) {
			a := refund.Account{Payment: p}
			err := c.Run(ctx, refundsWhere(&a.Refunds, "r.payment_id = ?", p.Number))
			if err == nil {
				change, err = decide(a)
			}
			return change.Payment, err
		}
		if err := s.changeOne(ctx, c, op); err != nil || change.None() {
			return err
		}
		row := refundRow{change.Refund, op.before.Number}
		refunds.AsStored(&row)
		change.Refund = row.Refund
		err := db.RunEach(ctx, c, []*db.Stmt{saveRefund.With(refunds.Values(&row)...)})
		if db.IsDuplicate(err) {
			err = refund.ErrTaken
		}
		return err
	})
	if err = op.superseded(err); err != nil {
		return refund.Refund{}, fmt.Errorf("update refunds of payment %s: %w", id, err)
	}
	s.changed(ctx, op)
	return change.Refund, nil
}

// Refund returns one refund.
func (s *Store) Refund(ctx context.Context, id refund.ID) (refund.Refund, error) {
	list, err := s.readRefunds(ctx, "r.public_id = ?", string(id))
	if err == nil && len(list) == 0 {
		err = refunds.Missing
	}
	if err != nil {
		return refund.Refund{}, db.Wrap(err, "refund %s", id)
	}
	return list[0], nil
}

// RefundsOf lists the refunds of a payment, the oldest first.
func (s *Store) RefundsOf(ctx context.Context, id payment.ID) ([]refund.Refund, error) {
	list, err := s.readRefunds(ctx, "p.public_id = ?", string(id))
	return list, db.Wrap(err, "refunds of payment %s", id)
}

// Payable lists the refunds of payments of the keys on the network that wait for the merchant's transfer.
func (s *Store) Payable(ctx context.Context, keys []int64, n chain.Network) ([]refund.Refund, error) {
	list, err := s.readRefunds(ctx, `r.network = ? AND r.status IN ('ADDRESS_GIVEN', 'SENT')
		AND `+s.db.Dialect().Listed("p.key_id"), string(n), db.Numbers(keys))
	return list, db.Wrap(err, "refunds to be sent on %s", n)
}

// Awaited lists, for each address that a refund waits for money on, all its refunds on the network.
func (s *Store) Awaited(ctx context.Context, n chain.Network) ([]refund.Refund, error) {
	list, err := s.readRefunds(ctx, `r.network = ? AND r.address IN (SELECT address FROM refunds WHERE network = ?
		AND status IN ('ADDRESS_GIVEN', 'SENT'))`, string(n), string(n))
	return list, db.Wrap(err, "refunds on %s", n)
}

func (s *Store) readRefunds(ctx context.Context, where string, args ...any) (list []refund.Refund, err error) {
	err = s.db.Read(ctx, refundsWhere(&list, where, args...))
	return list, err
}

// Read stores that the addresses of the refunds were read up to the block. One whose address has changed meanwhile
// begins anew, so it is left as it is.
func (s *Store) Read(ctx context.Context, read []refund.Refund, block uint64) error {
	at := int64(min(block, math.MaxInt64)) //nolint:gosec // bounded
	err := s.db.Write(ctx, func(ctx context.Context, t tx) error {
		for _, r := range read {
			_, err := t.NewRaw("UPDATE refunds SET scanned = ? WHERE public_id = ? AND address = ? AND scanned < ?",
				at, string(r.ID), db.Packed(r.Address.Address), at).Exec(ctx)
			if err != nil {
				return err
			}
		}
		return nil
	})
	return db.Wrap(err, "up to where the addresses of refunds were read")
}

// IsDeposit reports whether the address is one that payers are shown.
func (s *Store) IsDeposit(ctx context.Context, a chain.Address) (is bool, err error) {
	err = s.db.Read(ctx, db.Query(func(scan scan) error { return scan(&is) },
		"SELECT EXISTS (SELECT 1 FROM routes WHERE address = ?)", db.Packed(a)))
	return is, db.Wrap(err, "is %s a deposit address", a)
}
