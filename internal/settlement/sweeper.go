package settlement

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/florinpay/florin/internal/chain"
)

// Sweeper sweeps one network. Several instances may run one each: a lease lets
// one work, and the store lets only one sweep be in flight even if two do.
type Sweeper struct {
	sender chain.SweepSender
	store  Store
	policy Policy
	holder string
	now    func() time.Time
	newID  func(time.Time) ID
	log    *slog.Logger
	// batch is how many balances go into one transaction at present: halved when
	// they did not fit or failed as a whole, and grown again slowly.
	batch int
	// retryAt is when signing is tried again after retryFor: the gas wallet or
	// the price of gas did not allow it.
	retryAt  time.Time
	retryFor error
	// OnWait receives what a Rescue waits for, when that changes. It may be nil
	// and must be set before Rescue is called.
	OnWait func(reason string)
	// CloseEmptied is called with what confirmed sweeps have moved, on a network where accounts cost rent. It may
	// be nil and must be set before Run is called.
	CloseEmptied CloseFunc
	closing      closing
	// FindSweeps finds sweeps that the database lost, on a network where a sweep of an emptied address cannot show that
	// its money is at the settlement wallet. It may be nil and must be set before Run is called.
	FindSweeps FindFunc
	// Prices is what sweeping costs. It must be set before Run is called; without it only the operator's limit decides
	// what is dust.
	Prices Prices
	quote  quote

	ended    bool   // a sweep, since the gas wallet was measured
	waitedOn string // the reason that OnWait received last

	mu     sync.RWMutex
	status Status
}

const (
	// sweepEvery is how often a network's sweep is driven.
	sweepEvery = 2 * time.Second
	// leaseFor is how long a crashed instance keeps others from sweeping.
	leaseFor = 30 * time.Second
	// roundLimit bounds one round.
	roundLimit = time.Minute
	// depositsRead bounds how many deposits one plan reads.
	depositsRead = 2_000
	// patience is when signing is tried again after the price or the gas wallet
	// did not allow it.
	patience = 15 * time.Second
)

// New returns the sweeper of the sender's network.
func New(
	sender chain.SweepSender, s Store, p Policy, holder string, now func() time.Time, newID func(time.Time) ID,
	log *slog.Logger,
) *Sweeper {
	return &Sweeper{
		sender: sender, store: s, policy: p, holder: holder, now: now, newID: newID,
		log: log.With("network", sender.Network()), batch: p.Batch,
	}
}

// Network returns the network it sweeps.
func (s *Sweeper) Network() chain.Network { return s.sender.Network() }

// Run sweeps until ctx ends. A failed round is logged and repeated.
func (s *Sweeper) Run(ctx context.Context) error {
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	defer s.release(ctx)
	last := ""
	for {
		err := s.RunOnce(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if text := fmt.Sprint(err); text != last {
			last = text
			if err != nil {
				s.log.Warn("sweeps wait", "error", err)
			}
		}
		s.report(ctx, err)
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// release gives the lease back, so that the next holder need not wait.
func (s *Sweeper) release(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	now := s.now()
	if _, err := s.store.Lease(ctx, s.leaseName(), s.holder, now, now); err != nil {
		s.log.Warn("lease not given back; it runs out by itself", "error", err)
	}
}

func (s *Sweeper) leaseName() string { return "sweep:" + string(s.sender.Network()) }

// RunOnce brings the sweep in flight one step further, or plans the next one.
func (s *Sweeper) RunOnce(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, roundLimit)
	defer cancel()
	current, leads, ok, err := s.lead(ctx)
	if err != nil || !leads {
		return err
	}
	if !ok {
		s.closeEmptied(ctx)
		current, ok, err = s.plan(ctx)
		if err != nil || !ok {
			return err
		}
	}
	return s.drive(ctx, current)
}

// lead takes the lease and reads the sweep in flight; ok is false if there is
// none.
func (s *Sweeper) lead(ctx context.Context) (current Sweep, leads, ok bool, err error) {
	now := s.now()
	if leads, err = s.store.Lease(ctx, s.leaseName(), s.holder, now, now.Add(leaseFor)); err != nil || !leads {
		return Sweep{}, leads, false, err
	}
	current, ok, err = s.store.InFlight(ctx, s.sender.Network())
	return current, true, ok, err
}

func (s *Sweeper) plan(ctx context.Context) (Sweep, bool, error) {
	n, now := s.sender.Network(), s.now()
	if err := s.store.SettleCovered(ctx, n, now); err != nil {
		return Sweep{}, false, err
	}
	policy := s.policy
	policy.Batch, policy.Cost = s.batch, USDCost(s.quote.cost, s.Prices.Coin, n)
	balances, err := s.store.DepositBalances(ctx, n, Query{
		Now: now, Aged: now.Add(-policy.Age), Least: policy.Least, Dust: policy.SingleDust(), Limit: depositsRead,
	})
	if err != nil {
		return Sweep{}, false, err
	}
	batch := s.planned(ctx, balances, policy)
	if len(batch) == 0 {
		return Sweep{}, false, nil
	}
	if found, err := s.recordLost(ctx, batch); err != nil || found {
		return Sweep{}, false, err
	}
	w := Sweep{ID: s.newID(now), Network: n, State: Planned, CreatedAt: now, Items: items(batch)}
	if err := s.store.PlanSweep(ctx, w); err != nil {
		if errors.Is(err, ErrBusy) {
			return Sweep{}, false, nil // another instance planned one at the same time
		}
		return Sweep{}, false, err
	}
	s.log.Info("sweep planned", "sweep", w.ID, "balances", len(w.Items))
	return w, true, nil
}

func items(balances []DepositBalance) []chain.SweepItem {
	list := make([]chain.SweepItem, len(balances))
	for i, b := range balances {
		list[i] = chain.SweepItem{
			PaymentID: b.PaymentID, Scheme: b.Scheme, Address: b.Address,
			Settlement: b.Settlement, Asset: b.Asset, Expected: b.Due,
		}
	}
	return list
}
