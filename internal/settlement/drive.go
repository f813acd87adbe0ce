package settlement

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/money"
)

// drive does the next step of a sweep in flight and brings w up to date. Every step
// may be repeated, since its result may be lost in a crash. others are the attempts
// of the other sweeps in flight.
func (s *Sweeper) drive(ctx context.Context, w *Sweep, others []chain.Attempt) error {
	last, signed := w.Last()
	var out chain.SweepOutcome
	if signed {
		// The stored attempts may have been sent by an instance that crashed
		// before it recorded that, so their status is read first.
		var err error
		if out, err = s.sender.Track(ctx, w.Items, w.Attempts); err != nil {
			return fmt.Errorf("track sweep %s: %w", w.ID, err)
		}
	}
	if out.Displaced && out.Status == chain.TxUnknown {
		return nil // no node would take an attempt now
	}
	switch w.next(out.Status, s.now()) {
	case stepSign:
		return s.sign(ctx, w, others, true)
	case stepSend:
		return s.send(ctx, w, last)
	case stepBump:
		return s.bump(ctx, w, others, last)
	case stepConfirm:
		return s.end(ctx, w, Confirmed, out)
	case stepFail:
		return s.end(ctx, w, Failed, out)
	case stepSupersede:
		return s.end(ctx, w, Superseded, out)
	case stepWait:
	}
	return nil
}

// sign stores a signed attempt before it is broadcast, then sends it. A batch
// that can never be signed, such as one too large for a transaction, ends if no
// earlier attempt can be included (free): it would block the network's next sweeps.
func (s *Sweeper) sign(ctx context.Context, w *Sweep, others []chain.Attempt, free bool) error {
	if s.now().Before(s.retryAt) {
		return s.retryFor
	}
	a, err := s.sender.Sign(ctx, w.Items, w.Attempts, s.now(), others...)
	if errors.Is(err, chain.ErrGasPromised) {
		return nil // it is signed when those before it have ended
	}
	if err != nil && free && ctx.Err() == nil && !passing(err) {
		return s.end(ctx, w, Superseded, chain.SweepOutcome{Note: err.Error()})
	}
	if err != nil {
		err = fmt.Errorf("sign sweep %s: %w", w.ID, err)
		if errors.Is(err, chain.ErrTooExpensive) || errors.Is(err, chain.ErrNoGas) {
			s.retryAt, s.retryFor = s.now().Add(patience), err
		}
		return err
	}
	s.size(len(w.Items), a)
	a.N = len(w.Attempts) + 1
	if err := s.store.AddAttempt(ctx, w.ID, a); err != nil {
		return err
	}
	w.State, w.Attempts = Signed, append(w.Attempts, a)
	return s.send(ctx, w, a)
}

// size sets how many balances fit a transaction by the gas of an attempt with n of them. It ignores small attempts: a
// large part of their gas is what a transaction needs without any balance, so that too few balances would seem to fit.
func (s *Sweeper) size(n int, a chain.Attempt) {
	if 2*n < s.fits {
		return
	}
	full := s.batch >= s.fits
	if s.fits = s.policy.fits(n, a.Fee.Gas); full || s.batch > s.fits {
		s.batch = s.fits
	}
}

// passing reports whether the reason why a sweep could not be signed passes by
// itself or by an act of the operator: the network, the gas wallet, the price.
func passing(err error) bool {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return true
	}
	kind := fault.KindOf(err)
	return kind == fault.Unavailable || kind == fault.PaymentRequired || kind == fault.Limited || kind == fault.Conflict
}

func (s *Sweeper) send(ctx context.Context, w *Sweep, a chain.Attempt) error {
	if err := s.sender.Broadcast(ctx, a); err != nil {
		return fmt.Errorf("send sweep %s: %w", w.ID, err)
	}
	s.log.Info("sweep sent", "sweep", w.ID, "attempt", a.N, "tx", a.Tx)
	return s.store.MarkSent(ctx, w.ID, a.N, s.now())
}

// bump signs an attempt that pays more. If it cannot, the last attempt is kept
// alive with the same bytes.
func (s *Sweeper) bump(ctx context.Context, w *Sweep, others []chain.Attempt, last chain.Attempt) error {
	err := s.sign(ctx, w, others, false)
	if err == nil || errors.Is(err, ErrBusy) {
		return err
	}
	if errors.Is(err, chain.ErrTooExpensive) || errors.Is(err, chain.ErrNoGas) {
		err = nil // the last attempt may still be included at its price
	}
	if !resendDue(last, s.now()) {
		return err
	}
	return errors.Join(err, s.send(ctx, w, last))
}

func (s *Sweeper) end(ctx context.Context, flying *Sweep, state State, out chain.SweepOutcome) error {
	w := *flying
	w.State, w.Tx, w.Block, w.Paid = state, out.Tx, out.Block, out.Paid
	w.Moved, w.Unmoved, w.Left = out.Moved, out.Unmoved, out.Left
	w.Note, w.EndedAt = out.Note, s.now()
	s.rereadMissed(ctx, w)
	if err := s.store.EndSweep(ctx, w, s.now()); err != nil {
		return err
	}
	*flying, s.ended = w, true
	switch {
	case state == Confirmed:
		s.closing.add(w)
		s.batch = min(s.batch+s.batch/4+1, s.fits)
	case state == Failed, len(w.Attempts) == 0:
		s.batch = max(len(w.Items)/2, 1)
	}
	level := slog.LevelInfo
	if state != Confirmed || len(w.Unmoved) > 0 {
		level = slog.LevelWarn
	}
	s.log.Log(ctx, level, "sweep ended", "sweep", w.ID, "state", state, "tx", w.Tx,
		"moved", len(w.Moved), "left", len(w.Unmoved), "note", w.Note)
	return nil
}

// missedWorth is what a sweep must have moved beyond the record for the address to be read again at once. The daily
// comparison finds what is less.
const missedWorth = money.USD / 100

// rereadMissed has the addresses read again from which the sweep moved more than its plan had: it takes all that lies
// there, also what no endpoint has shown, and nothing of that shows in the balance any more. Money that was recorded
// since is read again in vain. One payment that cannot be holds up no sweep.
func (s *Sweeper) rereadMissed(ctx context.Context, w Sweep) {
	if s.Reread == nil {
		return
	}
	for _, m := range w.Moved {
		at := slices.IndexFunc(w.Items, func(i chain.SweepItem) bool {
			return i.Address.Address == m.Address && i.Asset.Contract == m.Contract && !i.Rescue
		})
		if at < 0 || w.Items[at].Asset.Worth(m.Units.Sub(w.Items[at].Expected)).Cmp(missedWorth.Atto()) < 0 {
			continue
		}
		if err := s.Reread(ctx, w.Items[at].PaymentID); err != nil {
			s.log.Error("a sweep moved more than is recorded; the daily comparison of balances has the address read again",
				"sweep", w.ID, "txnid", w.Items[at].PaymentID, "error", err)
		}
	}
}
