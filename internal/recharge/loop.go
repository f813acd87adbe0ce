package recharge

import (
	"context"
	"errors"
	"time"

	"github.com/florinpay/florin/internal/chain"
)

const (
	// Every is how often recharges that are due are to be tracked: those that no caller waits for, and those that a
	// crash left.
	Every = 2 * time.Second
	// Within bounds one round, and maxRound how many recharges it takes.
	Within   = time.Minute
	maxRound = 50
	// resendAfter is when bytes that no endpoint has are broadcast again.
	resendAfter = 10 * time.Second
	// postponeWithin bounds the time to store that a recharge could not be tracked.
	postponeWithin = 5 * time.Second
)

// WarnUntracked warns of open recharges whose network is no longer configured: the merchant has paid, and they cannot
// be tracked. They stay on the operator's page until the network is configured again.
func (s *Service) WarnUntracked(ctx context.Context) error {
	if s.network != nil {
		return nil
	}
	n, err := s.store.OpenRecharges(ctx)
	if n > 0 {
		s.log.Warn("open recharges cannot be tracked: set up BEP20 with USDT again until they are settled", "recharges", n)
	}
	return err
}

// RunOnce tracks every recharge that is due once. One that cannot be tracked, or not even read, holds up no other.
func (s *Service) RunOnce(ctx context.Context) error {
	if s.network == nil {
		return nil
	}
	due, err := s.store.DueRecharges(ctx, s.now(), maxRound)
	failed := []error{err}
	for _, r := range due {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if _, err := s.settle(ctx, r); err != nil {
			s.log.Warn("a recharge waits", "recharge", string(r.ID), "tx", string(r.Bytes.Tx), "error", err)
			failed = append(failed, s.postpone(ctx, r))
		}
	}
	return errors.Join(failed...)
}

// postpone makes a recharge due again later, also if it has taken all the time of the round.
func (s *Service) postpone(ctx context.Context, r Recharge) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), postponeWithin)
	defer cancel()
	_, err := s.store.UpdateRecharge(ctx, r.ID, func(r Recharge) Change {
		if !r.State.Over() {
			r.LookAt = s.now().Add(max(resendAfter, pause(s.now().Sub(r.CreatedAt))))
		}
		return Change{Recharge: r}
	})
	return err
}

// track is settle for a waiting caller: a failure is logged, and the caller or
// the loop tries again.
func (s *Service) track(ctx context.Context, r Recharge) Recharge {
	after, err := s.settle(ctx, r)
	if err != nil {
		if ctx.Err() == nil {
			s.log.Warn("a recharge waits", "recharge", string(r.ID), "tx", string(r.Bytes.Tx), "error", err)
		}
		return r
	}
	return after
}

// settle reads the outcome from the network and stores the decision; bytes that no
// endpoint has are broadcast again.
func (s *Service) settle(ctx context.Context, r Recharge) (Recharge, error) {
	if s.network == nil {
		return r, ErrNotOffered
	}
	out, err := s.network.Chain.Track(ctx, r.Transfer.From, r.Bytes)
	if err != nil {
		return r, err
	}
	confirmed, err := s.confirmed(ctx, r, out)
	if err != nil {
		return r, err
	}
	before := r.State
	r, err = s.store.UpdateRecharge(ctx, r.ID, func(r Recharge) Change { return r.Observe(out, confirmed, s.now()) })
	if err != nil {
		return r, err
	}
	if r.State != before {
		s.log.Info(
			"a recharge ended", "recharge", string(r.ID), "state", string(r.State), "tx", string(r.Bytes.Tx), "units",
			r.Units,
		)
	}
	if r.State == Signed && out.Status == chain.TxUnknown && s.now().Sub(r.SentAt) >= resendAfter {
		r = s.send(ctx, r)
	}
	return r, nil
}

// confirmed checks the payment in the outcome with a second endpoint.
func (s *Service) confirmed(ctx context.Context, r Recharge, v chain.TransferOutcome) (bool, error) {
	paid, ok := r.Payment(v)
	if !ok || r.State.Over() {
		return false, nil
	}
	verdict, err := chain.JudgeAll(ctx, s.network.Chain, []chain.Transfer{paid}, v.Final)
	return verdict == chain.Stands, err
}

// send broadcasts the bytes and records that. The answer decides nothing: the
// outcome is read from the chain.
func (s *Service) send(ctx context.Context, r Recharge) Recharge {
	if err := s.network.Chain.Broadcast(ctx, r.Bytes); err != nil {
		s.log.Warn(
			"a recharge could not be broadcast", "recharge", string(r.ID), "tx", string(r.Bytes.Tx), "error", err,
		)
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
			s.log.Warn("a broadcast could not be recorded", "recharge", string(r.ID), "error", err)
		}
		return r
	}
	return after
}
