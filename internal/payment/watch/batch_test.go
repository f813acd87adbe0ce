package watch_test

import (
	"context"
	"errors"
	"testing"

	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/payment/watch"
)

// committing counts the transactions that change payments.
type committing struct {
	watch.Store
	sizes   []int // how many payments each changed
	refused payment.ID
}

func (c *committing) UpdatePayment(
	ctx context.Context, id payment.ID, decide func(payment.Payment) (payment.Change, error),
) (payment.Payment, error) {
	c.sizes = append(c.sizes, 1)
	return c.Store.UpdatePayment(ctx, id, decide)
}

func (c *committing) UpdatePayments(ctx context.Context, all []watch.Update) []error {
	c.sizes = append(c.sizes, len(all))
	for i := range all {
		if all[i].ID == c.refused {
			all[i].Decide = func(payment.Payment) (payment.Change, error) {
				return payment.Change{}, errors.New("refused")
			}
		}
	}
	return c.Store.UpdatePayments(ctx, all)
}

// TestWatcher_BlockAtOnce: what one block completes is committed in one transaction, so that its webhooks leave at
// once. One that is refused is set aside and holds up no other.
func TestWatcher_BlockAtOnce(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	s := &committing{Store: r.store}
	w := r.on(s, r.reader())
	r.must(w.RunOnce(t.Context()))
	paid := make([]payment.Payment, 5)
	for i := range paid {
		paid[i] = r.start()
		r.pay(paid[i])
	}
	r.chain.Mine(1)
	r.must(w.RunOnce(t.Context()))
	r.chain.Mine(rigFinalDepth)
	s.refused, s.sizes = paid[2].ID, nil
	r.must(w.RunOnce(t.Context()))
	if len(s.sizes) != 1 || s.sizes[0] != len(paid) {
		t.Errorf("transactions of %v payments, want one of %d", s.sizes, len(paid))
	}
	for i, p := range paid {
		if i == 2 {
			r.expect(p, payment.Started, 0)
			continue
		}
		r.expect(p, payment.Completed, tenUSDC)
	}
	if n := w.Health().SetAside; n != 1 {
		t.Errorf("%d payments are set aside, want the refused one", n)
	}
}
