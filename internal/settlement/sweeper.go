package settlement

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/florinpay/florin/internal/chain"
)

// Sweeper sweeps one network. Several instances may run one each: a lease lets
// one work, and the store gives each address and nonce to one sweep even if two do.
type Sweeper struct {
	sender chain.SweepSender
	store  Store
	policy Policy
	holder string
	now    func() time.Time
	newID  func(time.Time) ID
	log    *slog.Logger
	// batch is how many balances go into one transaction at present: halved when
	// they did not fit or failed as a whole, and grown again slowly, up to fits:
	// as many as would fit by the gas that the last large one took.
	batch, fits int
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
	// Reread has the addresses of a payment read again, because a sweep moved more from one than is recorded. It may be
	// nil and must be set before Run is called.
	Reread func(ctx context.Context, paymentID string) error
	// Prices is what sweeping costs. It must be set before Run is called; without it only the operator's limit decides
	// what is dust.
	Prices Prices
	quote  quote
	// looked is when each sweep in flight was driven last.
	looked map[ID]time.Time

	ended    bool   // a sweep, since the gas wallet was measured
	waitedOn string // the reason that OnWait received last

	mu     sync.RWMutex
	status Status
}

const (
	// Every is how often a network's sweep is driven.
	Every = 2 * time.Second
	// leaseFor is how long a crashed instance keeps others from sweeping.
	leaseFor = 30 * time.Second
	// Within bounds one round.
	Within = time.Minute
	// depositsRead bounds how many deposits one plan reads.
	depositsRead = 2_000
	// patience is when signing is tried again after the price or the gas wallet
	// did not allow it.
	patience = 15 * time.Second
	// MaxInFlight is how many sweeps of a network are in flight at most: as many as
	// nodes keep of one account. If each is a full batch that becomes final in 15 s
	// and is checked every lookEvery, they move over 200 balances a second by
	// calculation; BenchmarkSweeps measures how many it is.
	MaxInFlight = 24
	// lookEvery is how often a sweep is driven while an older one is in flight: it
	// cannot be included before that one where nonces order them.
	lookEvery = 6 * time.Second
)

// New returns the sweeper of the sender's network.
func New(
	sender chain.SweepSender, s Store, p Policy, holder string, now func() time.Time, newID func(time.Time) ID,
	log *slog.Logger,
) *Sweeper {
	return &Sweeper{
		sender: sender, store: s, policy: p, holder: holder, now: now, newID: newID,
		log: log.With("network", sender.Network()), batch: p.fits(1, p.GasEach), fits: p.fits(1, p.GasEach),
	}
}

// Network returns the network it sweeps.
func (s *Sweeper) Network() chain.Network { return s.sender.Network() }

// Turn is RunOnce, and reports what sweeps wait for.
func (s *Sweeper) Turn(ctx context.Context) error {
	err := s.RunOnce(ctx)
	s.report(ctx, err)
	return err
}

// Release gives the lease back, so that the next holder need not wait.
func (s *Sweeper) Release(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	now := s.now()
	if _, err := s.store.Lease(ctx, s.leaseName(), s.holder, now, now); err != nil {
		s.log.Warn("lease not given back; it runs out by itself", "error", err)
	}
}

func (s *Sweeper) leaseName() string { return "sweep:" + string(s.sender.Network()) }

// RunOnce brings each sweep in flight one step further, and plans the next ones.
func (s *Sweeper) RunOnce(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, Within)
	defer cancel()
	list, leads, err := s.lead(ctx)
	if err != nil || !leads {
		return err
	}
	list, failed := s.driveAll(ctx, list)
	s.closeEmptied(ctx, list)
	return errors.Join(failed, s.planAll(ctx, list))
}

// lead takes the lease and reads the sweeps in flight.
func (s *Sweeper) lead(ctx context.Context) (list []Sweep, leads bool, err error) {
	if leads, err = s.lease(ctx); err != nil || !leads {
		return nil, leads, err
	}
	list, err = s.store.InFlight(ctx, s.sender.Network())
	return list, true, err
}

// lease takes or renews the lease.
func (s *Sweeper) lease(ctx context.Context) (bool, error) {
	now := s.now()
	return s.store.Lease(ctx, s.leaseName(), s.holder, now, now.Add(leaseFor))
}

// driveAll brings each of the sweeps one step further and returns those that are still in flight. One that fails does
// not hold the others.
func (s *Sweeper) driveAll(ctx context.Context, list []Sweep) ([]Sweep, error) {
	var failed []error
	looked := make(map[ID]time.Time, len(list))
	oldest := true
	for i := range list {
		w, now := &list[i], s.now()
		looked[w.ID] = s.looked[w.ID]
		if !oldest && len(w.Attempts) > 0 && now.Sub(looked[w.ID]) < lookEvery {
			continue
		}
		looked[w.ID] = now
		if err := s.drive(ctx, w, attemptsOf(list, w.ID)); err != nil {
			failed = append(failed, err)
		}
		oldest = oldest && !w.State.InFlight()
	}
	s.looked = looked
	return slices.DeleteFunc(list, func(w Sweep) bool { return !w.State.InFlight() }), errors.Join(failed...)
}

// planAll plans sweeps and signs each, while there is money for another one. flying are the sweeps in flight.
func (s *Sweeper) planAll(ctx context.Context, flying []Sweep) error {
	for len(flying) < s.policy.inFlight() && !slices.ContainsFunc(flying, unsigned) {
		if len(flying) > 0 {
			if leads, err := s.lease(ctx); err != nil || !leads {
				return err
			}
		}
		w, ok, err := s.plan(ctx)
		if err != nil || !ok {
			return err
		}
		if err := s.drive(ctx, &w, attemptsOf(flying, w.ID)); err != nil {
			return err
		}
		if !w.State.InFlight() {
			return nil // it can never be signed: the next round plans a smaller one
		}
		flying = append(flying, w)
		if s.batch < s.fits {
			return nil // batches were too large: one a round, until they have grown again
		}
	}
	return nil
}

func unsigned(w Sweep) bool { return len(w.Attempts) == 0 }

// attemptsOf returns the attempts of the sweeps in flight but one.
func attemptsOf(list []Sweep, but ID) (all []chain.Attempt) {
	for _, w := range list {
		if w.ID != but && w.State.InFlight() {
			all = append(all, w.Attempts...)
		}
	}
	return all
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
			return Sweep{}, false, nil // another instance planned it at the same time
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
			Settlement: b.Settlement, Asset: b.Asset, Expected: b.Due, Accounts: b.Accounts,
		}
	}
	return list
}
