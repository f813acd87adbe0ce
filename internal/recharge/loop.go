package recharge

import (
	"context"
	"errors"
	"time"

	"github.com/florinpay/florin/internal/chain"
)

const (
	// loopEvery is how often recharges on their way are looked for.
	loopEvery = 2 * time.Second
	// roundLimit bounds one round, and maxRound how many recharges it takes.
	roundLimit = time.Minute
	maxRound   = 50
	// resendAfter is after how long bytes nobody has are broadcast again.
	resendAfter = 10 * time.Second
)

// Run looks after recharges until ctx ends: those whose caller has gone, and
// those that a crash left behind.
func (s *Service) Run(ctx context.Context) error {
	if s.lane == nil {
		return s.orphans(ctx)
	}
	tick := time.NewTicker(loopEvery)
	defer tick.Stop()
	for {
		if err := s.RunOnce(ctx); err != nil && ctx.Err() == nil {
			s.log.Warn("recharges wait", "error", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// orphans tells of recharges that are on their way while their network is
// configured away: the merchant has paid, and nobody looks. Nothing else can be
// done for them here, and they stay on the operator's page until it is.
func (s *Service) orphans(ctx context.Context) error {
	n, err := s.store.OpenRecharges(ctx)
	switch {
	case err != nil && ctx.Err() == nil:
		s.log.Warn("recharges on their way could not be counted", "error", err)
	case n > 0:
		s.log.Warn("recharges are on their way that nobody can look after: set up BEP20 with USDT again until they are settled", "recharges", n)
	}
	return nil
}

// RunOnce looks once at every recharge that is due.
func (s *Service) RunOnce(ctx context.Context) error {
	if s.lane == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, roundLimit)
	defer cancel()
	due, err := s.store.DueRecharges(ctx, s.now(), maxRound)
	if err != nil {
		return err
	}
	for _, r := range due {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if _, err := s.settle(ctx, r); err != nil {
			s.log.Warn("a recharge waits", "recharge", string(r.ID), "tx", string(r.Bytes.Tx), "error", err)
			// One that cannot be looked at must not keep others from their turn.
			if err := s.postpone(ctx, r); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *Service) postpone(ctx context.Context, r Recharge) error {
	_, err := s.store.UpdateRecharge(ctx, r.ID, func(r Recharge) Change {
		if !r.State.Over() {
			r.LookAt = s.now().Add(max(resendAfter, pause(s.now().Sub(r.CreatedAt))))
		}
		return Change{Recharge: r}
	})
	return err
}

// look is settle for somebody who waits: what fails is tried again, by them or
// by the loop.
func (s *Service) look(ctx context.Context, r Recharge) Recharge {
	after, err := s.settle(ctx, r)
	if err != nil {
		if ctx.Err() == nil {
			s.log.Warn("a recharge waits", "recharge", string(r.ID), "tx", string(r.Bytes.Tx), "error", err)
		}
		return r
	}
	return after
}

// settle looks at the network and stores what follows; bytes that nobody has
// are broadcast.
func (s *Service) settle(ctx context.Context, r Recharge) (Recharge, error) {
	if s.lane == nil {
		return r, ErrNotOffered
	}
	seen, err := s.lane.Chain.Track(ctx, r.Transfer.From, r.Bytes)
	if err != nil {
		return r, err
	}
	confirmed, err := s.confirmed(ctx, r, seen)
	if err != nil {
		return r, err
	}
	before := r.State
	r, err = s.store.UpdateRecharge(ctx, r.ID, func(r Recharge) Change { return r.Observe(seen, confirmed, s.now()) })
	if err != nil {
		return r, err
	}
	if r.State != before {
		s.log.Info("a recharge ended", "recharge", string(r.ID), "state", string(r.State), "tx", string(r.Bytes.Tx), "units", r.Units)
	}
	if r.State == Signed && seen.Status == chain.TxUnknown && s.now().Sub(r.SentAt) >= resendAfter {
		r = s.send(ctx, r)
	}
	return r, nil
}

// confirmed asks a second endpoint for a payment that is seen.
func (s *Service) confirmed(ctx context.Context, r Recharge, v chain.TransferOutcome) (bool, error) {
	paid, ok := r.Payment(v)
	if !ok || r.State.Over() {
		return false, nil
	}
	verdict, err := s.lane.Chain.Confirm(ctx, []chain.Transfer{paid}, v.Final)
	return verdict == chain.Stands, err
}

// send broadcasts the bytes and notes it. What the network says to that
// decides nothing: what becomes of them is read from the chain.
func (s *Service) send(ctx context.Context, r Recharge) Recharge {
	if err := s.lane.Chain.Broadcast(ctx, r.Bytes); err != nil {
		s.log.Warn("a recharge could not be broadcast", "recharge", string(r.ID), "tx", string(r.Bytes.Tx), "error", err)
		return r
	}
	after, err := s.store.UpdateRecharge(ctx, r.ID, func(r Recharge) Change {
		if r.State == Signed {
			r.SentAt = s.now()
		}
		return Change{Recharge: r}
	})
	if err != nil {
		if !errors.Is(err, context.Canceled) {
			s.log.Warn("a broadcast could not be noted", "recharge", string(r.ID), "error", err)
		}
		return r
	}
	return after
}
