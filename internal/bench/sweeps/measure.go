package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/florinpay/florin/internal/chain/evm/sender"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/settlement"
)

// figures are what one measurement found.
type figures struct {
	paid, swept float64 // a second, after it was warm
	inFlight    int     // sweeps, at most
	each        float64 // balances of a sweep
	rest        time.Duration
}

// counting counts what sweeps have moved.
type counting struct {
	settlement.Store

	mu                 sync.Mutex
	flying, most       int
	swept, sweeps, bad int
}

// PlanSweep counts the sweep as in flight.
func (c *counting) PlanSweep(ctx context.Context, w settlement.Sweep) error {
	err := c.Store.PlanSweep(ctx, w)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err == nil {
		c.flying++
		c.most = max(c.most, c.flying)
	}
	return err
}

// EndSweep counts what it moved.
func (c *counting) EndSweep(ctx context.Context, w settlement.Sweep, now time.Time) error {
	err := c.Store.EndSweep(ctx, w, now)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err == nil {
		c.flying--
		c.sweeps++
		c.swept += len(w.Moved)
	}
	if w.State == settlement.Failed {
		c.bad++
	}
	return err
}

func (c *counting) moved() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.swept
}

// measure lets payments come and be swept, with at most so many sweeps in flight; 0: as many as the program has.
func measure(ctx context.Context, s settings, inFlight int) (f figures, err error) {
	w, err := newWorld(ctx, s.rate*int(s.payFor/time.Second))
	if err != nil {
		return f, err
	}
	defer func() { err = errors.Join(err, w.close()) }()
	policy := settlement.DefaultPolicy()
	policy.Age, policy.Wait, policy.InFlight = time.Second, time.Second, inFlight
	policy.Gas, policy.GasEach = sender.BatchGas, sender.BatchGasEach
	counted := &counting{Store: w.store.Settlement()}
	sweeper := settlement.New(
		sender.NewSweeps(w.reader, sender.Config{Signer: w.gas, MaxPrice: money.UnitsFromUint64(1e12)}),
		counted, policy,
		"bench", time.Now, newSweepID, silent(),
	)
	running, stop := context.WithCancel(ctx)
	var loops sync.WaitGroup
	loops.Go(func() { _ = w.watcher.Run(running) })
	loops.Go(func() {
		tick := time.NewTicker(settlement.Every)
		defer tick.Stop()
		for running.Err() == nil {
			_ = sweeper.Turn(running)
			<-tick.C
		}
	})
	defer func() {
		stop()
		loops.Wait()
	}()
	if err := w.pay(ctx, s, &f, counted); err != nil {
		return f, err
	}
	ended := time.Now()
	for all := len(w.addresses); counted.moved() < all; time.Sleep(100 * time.Millisecond) {
		if ctx.Err() != nil || inFlight == 0 && time.Since(ended) > longestEnd {
			return f, fmt.Errorf("%d of %d are swept: %w", counted.moved(), all, errors.Join(ctx.Err(), errLate))
		}
		if inFlight > 0 {
			break // the rest would take very long
		}
	}
	f.rest, f.inFlight, f.each = time.Since(ended), counted.most, float64(counted.swept)/float64(max(counted.sweeps, 1))
	if counted.bad > 0 {
		err = fmt.Errorf("%d sweeps failed", counted.bad)
	}
	return f, err
}

var errLate = errors.New("not in time")

// pay pays at the rate until all have paid, and counts from when it is warm.
func (w *world) pay(ctx context.Context, s settings, f *figures, c *counting) error {
	units := amount.Units(w.asset.Decimals).Big()
	began := time.Now()
	var from time.Time
	var paidBefore, sweptBefore int
	for i, to := range w.addresses {
		if wait := time.Until(began.Add(time.Duration(i) * time.Second / time.Duration(s.rate))); wait > 0 {
			time.Sleep(wait)
		}
		if from.IsZero() && time.Since(began) >= warm {
			from, paidBefore, sweptBefore = time.Now(), i, c.moved()
		}
		if _, err := w.chain.Mint(ctx, common.HexToAddress(string(w.asset.Contract)), to, units); err != nil {
			return err
		}
	}
	took := time.Since(from).Seconds()
	f.paid = float64(len(w.addresses)-paidBefore) / took
	f.swept = float64(c.moved()-sweptBefore) / took
	return nil
}
