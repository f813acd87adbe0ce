package simulation

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/payment/watch"
	"github.com/florinpay/florin/internal/settlement"
	"github.com/florinpay/florin/internal/store"
	"github.com/florinpay/florin/internal/webhook"
)

// errLost is the answer to a write that was committed: whether it was, the caller cannot know.
var errLost = errors.New("the connection to the database broke")

// errConflict rolls a transaction back; the store runs it again, as after SQLSTATE 40001.
var errConflict = errors.New("another transaction was faster")

// write runs a writing transaction of the instance, whose answer may be lost.
func (in *instance) write(do func() error) error {
	err := do()
	if in.faults.lostAt > 0 {
		if in.faults.lostAt--; in.faults.lostAt == 0 && err == nil {
			return errLost
		}
	}
	return err
}

// conflicts reports whether another transaction overtakes the next one, and lets something else happen then.
func (in *instance) conflicts() bool {
	if in.faults.conflictAt > 0 {
		in.faults.conflictAt--
		return in.faults.conflictAt == 0
	}
	return false
}

// paymentStore is the store of payments, with faults. Every decision is made twice: the first must leave no effect.
type paymentStore struct {
	*store.Store
	in *instance
}

func (s paymentStore) CreatePayment(ctx context.Context, c payment.Change) (p payment.Payment, err error) {
	err = s.in.write(func() error {
		p, err = s.Store.CreatePayment(ctx, c)
		return err
	})
	return p, err
}

func (s paymentStore) UpdatePayment(
	ctx context.Context, id payment.ID, decide func(payment.Payment) (payment.Change, error),
) (p payment.Payment, err error) {
	s.in.w.dirty[id] = true
	twice := func(p payment.Payment) (payment.Change, error) {
		_, _ = decide(p)
		return decide(p)
	}
	if s.in.conflicts() {
		_, err := s.Store.UpdatePayment(ctx, id, func(p payment.Payment) (payment.Change, error) {
			_, _ = decide(p)
			return payment.Change{}, errConflict
		})
		if errors.Is(err, errConflict) {
			s.in.w.interleave(s.in)
		}
	}
	err = s.in.write(func() error {
		p, err = s.Store.UpdatePayment(ctx, id, twice)
		return err
	})
	return p, err
}

// UpdatePayments loses the answer to all changes of a transaction at once.
func (s paymentStore) UpdatePayments(ctx context.Context, all []watch.Update) (errs []error) {
	twice, overtaken := slices.Clone(all), slices.Clone(all)
	for i, u := range all {
		s.in.w.dirty[u.ID] = true
		twice[i].Decide = func(p payment.Payment) (payment.Change, error) {
			_, _ = u.Decide(p)
			return u.Decide(p)
		}
		overtaken[i].Decide = func(p payment.Payment) (payment.Change, error) {
			_, _ = u.Decide(p)
			return payment.Change{}, errConflict
		}
	}
	if len(all) > 0 && s.in.conflicts() && errors.Is(s.Store.UpdatePayments(ctx, overtaken)[0], errConflict) {
		s.in.w.interleave(s.in)
	}
	lost := s.in.write(func() error {
		errs = s.Store.UpdatePayments(ctx, twice)
		return errors.Join(errs...)
	})
	if errors.Is(lost, errLost) {
		for i := range errs {
			errs[i] = errLost
		}
	}
	return errs
}

func (s paymentStore) SaveCursor(ctx context.Context, n chain.Network, c watch.Cursor) error {
	return s.in.write(func() error { return s.Store.SaveCursor(ctx, n, c) })
}

func (s paymentStore) SaveSetAside(ctx context.Context, a watch.SetAside) error {
	s.in.w.tracef("%s is set aside", a.PaymentID)
	return s.in.write(func() error { return s.Store.SaveSetAside(ctx, a) })
}

func (s paymentStore) AdvanceSetAside(ctx context.Context, a watch.SetAside, from uint64) error {
	return s.in.write(func() error { return s.Store.AdvanceSetAside(ctx, a, from) })
}

func (s paymentStore) DeleteSetAside(ctx context.Context, a watch.SetAside) error {
	return s.in.write(func() error { return s.Store.DeleteSetAside(ctx, a) })
}

// sweepStore is the store of a sweeper, with faults. What ends a sweep changes the deposits of any payment.
type sweepStore struct {
	settlement.Store
	in *instance
}

func (s sweepStore) PlanSweep(ctx context.Context, e settlement.Sweep) error {
	s.in.w.sweeping[e.ID] = true
	return s.in.write(func() error { return s.Store.PlanSweep(ctx, e) })
}

func (s sweepStore) AddAttempt(ctx context.Context, id settlement.ID, a chain.Attempt) error {
	return s.in.write(func() error { return s.Store.AddAttempt(ctx, id, a) })
}

func (s sweepStore) MarkSent(ctx context.Context, id settlement.ID, n int, at time.Time) error {
	return s.in.write(func() error { return s.Store.MarkSent(ctx, id, n, at) })
}

func (s sweepStore) EndSweep(ctx context.Context, e settlement.Sweep, now time.Time) error {
	s.in.w.touched()
	return s.in.write(func() error {
		err := s.Store.EndSweep(ctx, e, now)
		if err == nil {
			delete(s.in.w.sweeping, e.ID)
		}
		return err
	})
}

func (s sweepStore) RecordSweep(ctx context.Context, e settlement.Sweep, now time.Time) error {
	s.in.w.touched()
	return s.in.write(func() error { return s.Store.RecordSweep(ctx, e, now) })
}

func (s sweepStore) SettleCovered(ctx context.Context, n chain.Network, now time.Time) error {
	s.in.w.touched()
	return s.in.write(func() error { return s.Store.SettleCovered(ctx, n, now) })
}

// outbox is the store of a deliverer. It claims one delivery at a time, since concurrent ones are answered and stored
// in any order. An outcome that is not stored is stored again at once: the deliverer would sleep first. After a crash
// nobody waits for that.
type outbox struct {
	webhook.Store
	in *instance
}

func (o outbox) Claim(
	ctx context.Context, holder string, now, until time.Time, shares []webhook.Share,
) (list []webhook.Delivery, err error) {
	err = o.in.write(func() error {
		list, err = o.Store.Claim(ctx, holder, now, until, []webhook.Share{{Receiver: shares[0].Receiver, N: 1}})
		return err
	})
	return list, err
}

func (o outbox) Settle(ctx context.Context, holder string, out webhook.Outcome) (err error) {
	for range 3 {
		err = o.in.write(func() error { return o.Store.Settle(ctx, holder, out) })
		if err == nil || o.in.crasher.crashed() {
			return nil
		}
	}
	return err
}
