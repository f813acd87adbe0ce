package settlement

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
)

// drive does the next step of a sweep in flight. Every step can be repeated: a
// crash after it is as if it had not been reported.
func (s *Sweeper) drive(ctx context.Context, w Sweep) error {
	last, signed := w.Last()
	if !signed {
		return s.sign(ctx, w, true)
	}
	// What is stored may have been sent by an instance that did not live to
	// tell, so the network is asked first.
	seen, err := s.sender.Track(ctx, w.Items, w.Attempts)
	if err != nil {
		return fmt.Errorf("look after sweep %s: %w", w.ID, err)
	}
	switch seen.Status {
	case chain.TxFinal:
		return s.end(ctx, w, Confirmed, seen)
	case chain.TxReverted:
		return s.end(ctx, w, Failed, seen)
	case chain.TxDropped:
		return s.renew(ctx, w, last, seen)
	case chain.TxIncluded:
		return nil
	case chain.TxUnknown, chain.TxPending:
		return s.push(ctx, w, last)
	}
	return fmt.Errorf("sweep %s: the network reports %q", w.ID, seen.Status)
}

// sign stores a signed attempt before anybody can see it, then sends it. A
// batch that can never be signed, as one too large for a transaction, is given
// back if it is free, that is, if nothing of it can land: it would keep the
// network's one place.
func (s *Sweeper) sign(ctx context.Context, w Sweep, free bool) error {
	if s.now().Before(s.patient) {
		return s.waiting
	}
	a, err := s.sender.Sign(ctx, w.Items, w.Attempts, s.now())
	if err != nil && free && ctx.Err() == nil && !passing(err) {
		return s.end(ctx, w, Superseded, chain.SweepOutcome{Note: err.Error()})
	}
	if err != nil {
		err = fmt.Errorf("sign sweep %s: %w", w.ID, err)
		if errors.Is(err, chain.ErrTooExpensive) || errors.Is(err, chain.ErrNoGas) {
			s.patient, s.waiting = s.now().Add(patience), err
		}
		return err
	}
	a.N = len(w.Attempts) + 1
	if err := s.store.AddAttempt(ctx, w.ID, a); err != nil {
		return err
	}
	return s.send(ctx, w, a)
}

// passing reports whether what a sweep could not be signed for goes away by
// itself or by what the operator does: the network, the gas wallet, the price.
func passing(err error) bool {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return true
	}
	kind := fault.KindOf(err)
	return kind == fault.Unavailable || kind == fault.PaymentRequired || kind == fault.Limited || kind == fault.Conflict
}

func (s *Sweeper) send(ctx context.Context, w Sweep, a chain.Attempt) error {
	if err := s.sender.Broadcast(ctx, a); err != nil {
		return fmt.Errorf("send sweep %s: %w", w.ID, err)
	}
	s.log.Info("sweep sent", "sweep", w.ID, "attempt", a.N, "tx", a.Tx)
	return s.store.MarkSent(ctx, w.ID, a.N, s.now())
}

// renew signs a sweep again whose attempts have expired. Where an attempt is
// good until it is replaced, being dead means that something else was.
func (s *Sweeper) renew(ctx context.Context, w Sweep, last chain.Attempt, seen chain.SweepOutcome) error {
	if !last.Expires() || len(w.Attempts) >= maxAttempts {
		return s.end(ctx, w, Superseded, seen)
	}
	return s.sign(ctx, w, true)
}

// push keeps an attempt alive that is not included: the same bytes again, and
// after a while one that pays more, unless both could land.
func (s *Sweeper) push(ctx context.Context, w Sweep, last chain.Attempt) error {
	now := s.now()
	if last.Expires() {
		if now.Sub(last.SentAt) < resendExpiring {
			return nil
		}
		return s.send(ctx, w, last)
	}
	var failed error
	if now.Sub(last.MadeAt) >= bumpAfter && len(w.Attempts) < maxAttempts {
		err := s.sign(ctx, w, false)
		if err == nil || errors.Is(err, ErrBusy) {
			return err
		}
		if !errors.Is(err, chain.ErrTooExpensive) && !errors.Is(err, chain.ErrNoGas) {
			failed = err // which is no reason to let the last attempt be forgotten
		}
	}
	if !last.SentAt.IsZero() && now.Sub(last.SentAt) < resendAfter {
		return failed
	}
	return errors.Join(failed, s.send(ctx, w, last))
}

func (s *Sweeper) end(ctx context.Context, w Sweep, state State, seen chain.SweepOutcome) error {
	w.State, w.Tx, w.Block, w.Paid = state, seen.Tx, seen.Block, seen.Paid
	w.Moved, w.Unmoved, w.Note, w.EndedAt = seen.Moved, seen.Unmoved, seen.Note, s.now()
	if err := s.store.EndSweep(ctx, w, s.now()); err != nil {
		return err
	}
	switch {
	case state == Confirmed:
		s.batch = min(s.batch+s.batch/4+1, s.policy.Batch)
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
