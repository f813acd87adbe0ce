package payment

import (
	"context"
	"time"
)

// Ask records that the payer asks the merchant to accept what has come as the
// whole, and alerts the merchant at once. A payment is asked for once: after that
// nothing changes. It fails with ErrNoMoney below leastExcess.
func (p Payment) Ask(now time.Time) (Change, error) {
	switch {
	case p.Status == Completed:
		return Change{}, ErrCompleted
	case p.Kind == KindTopUp:
		return Change{}, ErrNotByHand
	case p.HasAsked():
		return Change{Payment: p}, nil
	case !p.Askable():
		return Change{}, ErrNoMoney
	}
	c := Change{Payment: p}
	c.Payment.Asked = p.Seq + 1
	c.emit(EventAsked, now, note{})
	if reasons := c.Payment.Attention(); len(reasons) > 0 {
		c.emit(reasonEvents[reasons[0]], now, nil)
	}
	return c, nil
}

// Askable reports whether the payer may ask the merchant to accept what has come.
func (p Payment) Askable() bool {
	return p.Acceptable() && p.arrived(true).Micros() >= leastExcess
}

// HasAsked reports whether the payer asked the merchant to accept what has come.
func (p Payment) HasAsked() bool { return p.Asked > 0 }

// Ask asks the merchant, in the payer's name, to accept what has come. Knowing the
// ID is enough.
func (s *Service) Ask(ctx context.Context, id string) (Payment, error) {
	p, err := s.Get(ctx, id)
	if err != nil {
		return Payment{}, err
	}
	return s.store.UpdatePayment(ctx, p.ID, func(p Payment) (Change, error) { return p.Ask(s.now()) })
}
