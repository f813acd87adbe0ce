package operation

import (
	"context"
	"strings"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/payment"
)

// asNow returns the answer to a request that made a payment. One that is replayed says how the payment stands now, and
// warns where it has ended: a shop that sends a customer there again would lose the sale.
func asNow[T any, R result[T]](
	ctx context.Context, o *Operations, first R, txnid string, answer func(payment.Payment) R,
) (R, error) {
	if !CallOf(ctx).Replayed {
		return first, nil
	}
	p, err := o.d.Payments.Get(ctx, txnid)
	if fault.Is(err, fault.NotFound) {
		return first, nil // payments are kept for longer than answers, unless they are erased
	}
	if err != nil {
		return nil, err
	}
	out := answer(p)
	*out.Envelope().Warnings = *first.Envelope().Warnings
	status := p.Status
	if status == payment.Pending && !o.d.Now().Before(p.ExpiresAt) {
		status = payment.Expired
	}
	if status.Final() {
		Warn(ctx, fault.Warn("Idempotency-Key", "it was sent before, and that payment is %s: a new key makes a new payment",
			strings.ToLower(string(status))))
	}
	return out, nil
}
