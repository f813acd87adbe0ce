package settlement

import (
	"context"
	"errors"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/money"
)

// Status is the state of a network's sweeping.
type Status struct {
	Runway  Runway
	Waiting string    // why sweeps wait, for every user; empty when they do not
	Detail  string    // the same for the operator
	At      time.Time // of the runway; zero before it was measured
	// Cost is what a sweep cost when money last waited; zero before. Spent is what the network's sweeps of the last
	// week cost, and Singles what they would have cost with a transaction for every balance.
	Cost    Cost
	Spent   Spending
	Singles money.Units
}

const (
	// measureEvery is how often the gas wallet is read while it needs coins, or after a sweep, which changes what it
	// holds.
	measureEvery = 30 * time.Second
	// measureCalm is the same while nothing is swept and the wallet has enough.
	measureCalm = 15 * time.Minute
)

// Status returns the state of sweeping as of the last round.
func (s *Sweeper) Status() Status {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.status
}

// report publishes the state of sweeping after a round.
func (s *Sweeper) report(ctx context.Context, failed error) {
	st := s.Status()
	st.Waiting, st.Detail = "", ""
	if failed != nil {
		st.Waiting, st.Detail = "sweeps wait; the log says why", failed.Error()
	}
	if f := fault.Of(failed); f != nil {
		st.Waiting = f.Message
	}
	if now := s.now(); st.At.IsZero() || now.Sub(st.At) >= s.measurePause(st.Runway.Level, failed) {
		if spent, r, err := s.measure(ctx, now); err == nil {
			s.warn(st.Runway.Level, r)
			s.ended = false
			st.Runway, st.At, st.Spent, st.Singles = r, now, spent, spent.OneByOne(s.Prices.Gas)
		}
	}
	st.Cost = USDCost(s.quote.cost, s.Prices.Coin, s.Network())
	if errors.Is(failed, chain.ErrNoGas) {
		st.Runway.Level = LevelAlarm
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.status = st
}

// measurePause is how long the gas wallet is not read again.
func (s *Sweeper) measurePause(l Level, failed error) time.Duration {
	if failed != nil || s.ended || l != LevelOK {
		return measureEvery
	}
	return measureCalm
}

func (s *Sweeper) measure(ctx context.Context, now time.Time) (spent Spending, r Runway, err error) {
	ctx, cancel := context.WithTimeout(ctx, Within)
	defer cancel()
	w, err := s.sender.GasWallet(ctx)
	if err != nil {
		return Spending{}, Runway{}, err
	}
	if spent, err = s.store.Spent(ctx, s.sender.Network(), now.Add(-measuredFor)); err != nil {
		return Spending{}, Runway{}, err
	}
	return spent, Forecast(w, spent, now), nil
}

// warn logs a change of the level.
func (s *Sweeper) warn(before Level, r Runway) {
	if r.Level == before || before == "" && r.Level == LevelOK { // at the start nothing is over
		return
	}
	switch r.Level {
	case LevelAlarm:
		s.log.Error("the gas wallet is almost empty; send it native coin", "wallet", r.Wallet.Address, "days", r.Days)
	case LevelWarn:
		s.log.Warn("the gas wallet runs low", "wallet", r.Wallet.Address, "days", r.Days)
	case LevelOK:
		s.log.Info("the gas wallet has enough again", "wallet", r.Wallet.Address, "days", r.Days)
	}
}
