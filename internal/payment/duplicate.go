package payment

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/florinpay/florin/internal/merchant"
)

// OneOrder reports whether the reference of the payment names an order that is to be paid once. That of a payment link
// is shared by all who use it.
func (p Payment) OneOrder() bool { return p.Kind == KindMerchant && p.Reference != "" && p.LinkID == 0 }

// PaysOrder reports whether the change of a payment is that its order is paid now.
func (c Change) PaysOrder(before Payment) bool {
	return c.Payment.OneOrder() && c.Payment.Status == Completed && before.Status != Completed
}

// Duplicating returns the change with the news that another payment had paid the same order before.
func (c Change) Duplicating(first ID, now time.Time) Change {
	c.Payment.DuplicateOf = first
	c.emit(EventDuplicate, now, nil)
	return c
}

// maxTwins bounds the payments of one order that a page names.
const maxTwins = 5

// PaidTwins returns other payments of the same order that are paid, the newest first; none for a merchant whose
// references repeat by design.
func (s *Service) PaidTwins(ctx context.Context, p Payment) ([]Payment, error) {
	if !p.OneOrder() {
		return nil, nil
	}
	paid, err := s.store.Payments(
		ctx, Filter{KeyID: p.KeyID, Reference: p.Reference, Status: Completed, Limit: maxTwins + 1},
	)
	paid = slices.DeleteFunc(paid, func(x Payment) bool { return x.ID == p.ID || !x.OneOrder() })
	if err != nil || len(paid) == 0 { // as nearly always
		return nil, err
	}
	c, err := s.custodians.Custodian(ctx, p.KeyID)
	if c.Repeats || errors.Is(err, merchant.ErrNoCustodian) {
		return nil, nil
	}
	return paid, err
}
