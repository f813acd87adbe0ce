package settlement_test

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/settlement"
)

// errKilled is the error of every step after the process was killed.
var errKilled = errors.New("the process was killed")

// mortal counts the steps of a process that have an effect outside it, and kills it before or after one of them. From
// then on its steps have no effect.
type mortal struct {
	left   int // steps before the kill
	after  bool
	killed bool
	steps  int
	swept  bool // it ended a sweep
}

// step runs do, unless the process is dead or is killed at this step.
func (m *mortal) step(do func() error) error {
	if m.killed {
		return errKilled
	}
	m.steps++
	if m.left--; m.left >= 0 {
		return do()
	}
	m.killed = true
	if m.after {
		_ = do() // the step takes effect, but its result is lost
	}
	return errKilled
}

// mortalStore is the store of a process that will be killed.
type mortalStore struct {
	settlement.Store
	m *mortal
}

func (s mortalStore) PlanSweep(ctx context.Context, w settlement.Sweep) error {
	return s.m.step(func() error { return s.Store.PlanSweep(ctx, w) })
}

func (s mortalStore) AddAttempt(ctx context.Context, id settlement.ID, a chain.Attempt) error {
	return s.m.step(func() error { return s.Store.AddAttempt(ctx, id, a) })
}

func (s mortalStore) MarkSent(ctx context.Context, id settlement.ID, n int, at time.Time) error {
	return s.m.step(func() error { return s.Store.MarkSent(ctx, id, n, at) })
}

func (s mortalStore) EndSweep(ctx context.Context, w settlement.Sweep, now time.Time) error {
	return s.m.step(func() error {
		s.m.swept = true
		return s.Store.EndSweep(ctx, w, now)
	})
}

func (s mortalStore) Lease(ctx context.Context, name, holder string, now, until time.Time) (has bool, err error) {
	err = s.m.step(func() error {
		has, err = s.Store.Lease(ctx, name, holder, now, until)
		return err
	})
	return has, err
}

// mortalSender is the sender of a process that will be killed.
type mortalSender struct {
	chain.SweepSender
	m *mortal
	w *world
}

func (s mortalSender) Sign(
	ctx context.Context, items []chain.SweepItem, previous []chain.Attempt, now time.Time, others ...chain.Attempt,
) (a chain.Attempt, err error) {
	err = s.m.step(func() error {
		a, err = s.SweepSender.Sign(ctx, items, previous, now, others...)
		return err
	})
	return a, err
}

// Broadcast fails the test if the bytes are not stored: a crash would lose them.
func (s mortalSender) Broadcast(ctx context.Context, a chain.Attempt) error {
	stored := slices.ContainsFunc(s.w.allInFlight(), func(w settlement.Sweep) bool {
		last, ok := w.Last()
		return ok && last.Tx == a.Tx && bytes.Equal(last.Raw, a.Raw)
	})
	if !s.m.killed && !stored {
		s.w.t.Errorf("%s is sent before it is stored", a.Tx)
	}
	return s.m.step(func() error { return s.SweepSender.Broadcast(ctx, a) })
}

func (s mortalSender) Track(
	ctx context.Context, items []chain.SweepItem, attempts []chain.Attempt,
) (outcome chain.SweepOutcome, err error) {
	err = s.m.step(func() error {
		outcome, err = s.SweepSender.Track(ctx, items, attempts)
		return err
	})
	return outcome, err
}

// TestSweeper_KilledAtEveryStep kills the process before and after each step of a sweep, from the lease to its end, and
// lets another process continue: nothing is swept twice or lost, and no nonce is skipped.
func TestSweeper_KilledAtEveryStep(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, url string) {
		w := newWorld(t, chain.Polygon, url)
		for _, after := range []bool{false, true} {
			for steps := 0; ; steps++ {
				if done := w.killedAfter(t, &mortal{left: steps, after: after}); done {
					if steps < 9 {
						t.Errorf("only %d steps of a sweep were counted", steps)
					}
					break
				}
			}
		}
	})
}

// killedAfter makes payments, sweeps them with a process that is killed, continues with another one and checks balances
// and records. It reports whether the first process survived the whole sweep.
func (w *world) killedAfter(t *testing.T, m *mortal) bool {
	t.Helper()
	var paid []payment.Payment
	before, nonce := w.balance(merchantWallet), w.nonce()
	for range 3 {
		p := w.started(5*money.USD, merchantWallet)
		w.pay(p, 5*money.USD)
		paid = append(paid, p)
	}
	w.finalize()
	w.watch()

	w.clock.Pass(time.Minute) // any earlier lease expires
	doomed := w.newSweeper(mortalSender{w.sender, m, w}, mortalStore{w.store.Settlement(), m}, "doomed")
	for range 4 {
		_ = doomed.RunOnce(t.Context())
		w.finalize()
	}
	if !m.killed && !m.swept {
		t.Fatal("a process that was not killed swept nothing")
	}
	w.clock.Pass(time.Minute) // its lease expires
	w.settle(w.newSweeper(w.sender, w.store.Settlement(), "heir"))

	for _, p := range paid {
		w.wantSwept(p, true)
	}
	before.Add(before, w.units(15*money.USD))
	if got := w.balance(merchantWallet); got.Cmp(before) != 0 {
		t.Fatalf("killed at step %d (after it: %t): the settlement wallet holds %s, want %s", m.steps, m.after, got, before)
	}
	if got := w.nonce(); got != nonce+1 {
		t.Errorf("killed at step %d (after it: %t): %d transactions for one sweep", m.steps, m.after, got-nonce)
	}
	return !m.killed
}
