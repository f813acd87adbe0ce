package sweep

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

// Sweeper sweeps one network. Several instances may run one each: a lease lets
// one work, and the store lets only one sweep be in flight even if two do.
type Sweeper struct {
	sender Sender
	store  Store
	policy Policy
	holder string
	now    func() time.Time
	newID  func(time.Time) ID
	log    *slog.Logger
	nudge  chan struct{}
	// batch is how many pots go into one transaction at present: halved when
	// they did not fit or failed together, and grown again slowly.
	batch int

	mu     sync.RWMutex
	status Status
}

// Status is how a network's sweeping does.
type Status struct {
	Gas     Wallet
	Waiting string // why sweeps wait, for the operator; empty when they do not
	At      time.Time
}

const (
	// sweepEvery is how often a network's sweep is looked after.
	sweepEvery = 2 * time.Second
	// leaseFor is how long a crashed instance keeps others from sweeping.
	leaseFor = 30 * time.Second
	// roundLimit bounds one round.
	roundLimit = time.Minute
	// potsRead bounds how many pots one plan looks at.
	potsRead = 1_000
	// resendAfter is after how long the same bytes are broadcast again.
	resendAfter = 15 * time.Second
	// bumpAfter is after how long an attempt that is not included is replaced
	// by one that pays more.
	bumpAfter = 60 * time.Second
	// maxAttempts bounds the bumps; the price ceiling usually ends them sooner.
	maxAttempts = 20
)

// New returns the sweeper of the sender's network.
func New(sender Sender, s Store, p Policy, holder string, now func() time.Time, newID func(time.Time) ID, log *slog.Logger) *Sweeper {
	return &Sweeper{
		sender: sender, store: s, policy: p, holder: holder, now: now, newID: newID,
		log: log.With("network", sender.Network()), nudge: make(chan struct{}, 1), batch: p.Batch,
	}
}

// Run sweeps until ctx ends.
func (s *Sweeper) Run(ctx context.Context) error {
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	defer s.release(ctx)
	last := ""
	for {
		err := s.RunOnce(ctx)
		if text := fmt.Sprint(err); ctx.Err() == nil && text != last {
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
		case <-s.nudge:
		}
	}
}

// release gives the lease back for whoever comes next.
func (s *Sweeper) release(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	now := s.now()
	if _, err := s.store.Lease(ctx, s.leaseName(), s.holder, now, now); err != nil {
		s.log.Warn("lease not given back; it runs out by itself", "error", err)
	}
}

func (s *Sweeper) leaseName() string { return "sweep:" + string(s.sender.Network()) }

// Nudge makes the next round come sooner.
func (s *Sweeper) Nudge() {
	select {
	case s.nudge <- struct{}{}:
	default:
	}
}

// Status tells how sweeping does, as of the last round.
func (s *Sweeper) Status() Status {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.status
}

func (s *Sweeper) report(ctx context.Context, err error) {
	gas, gasErr := s.sender.Gas(ctx)
	if gasErr != nil {
		return
	}
	st := Status{Gas: gas, At: s.now()}
	if err != nil {
		st.Waiting = err.Error()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.status = st
}

// RunOnce brings the sweep in flight one step further, or plans the next one.
func (s *Sweeper) RunOnce(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, roundLimit)
	defer cancel()
	now := s.now()
	leads, err := s.store.Lease(ctx, s.leaseName(), s.holder, now, now.Add(leaseFor))
	if err != nil || !leads {
		return err
	}
	current, ok, err := s.store.InFlight(ctx, s.sender.Network())
	if err != nil {
		return err
	}
	if !ok {
		current, ok, err = s.plan(ctx)
		if err != nil || !ok {
			return err
		}
	}
	return s.drive(ctx, current)
}

func (s *Sweeper) plan(ctx context.Context) (Sweep, bool, error) {
	n := s.sender.Network()
	pots, err := s.store.Pots(ctx, n, potsRead)
	if err != nil {
		return Sweep{}, false, err
	}
	now := s.now()
	policy := s.policy
	policy.Batch = s.batch
	batch := Plan(pots, policy, now)
	if len(batch) == 0 {
		return Sweep{}, false, nil
	}
	w := Sweep{ID: s.newID(now), Network: n, State: Planned, CreatedAt: now, Items: items(batch)}
	if err := s.store.PlanSweep(ctx, w); err != nil {
		return Sweep{}, false, err
	}
	s.log.Info("sweep planned", "sweep", w.ID, "pots", len(w.Items))
	return w, true, nil
}

func items(pots []Pot) []Item {
	list := make([]Item, len(pots))
	for i, p := range pots {
		list[i] = Item{
			PaymentID: p.PaymentID, Number: p.Number, Address: p.Address,
			Settlement: p.Settlement, Asset: p.Asset, Expected: p.Due(),
		}
	}
	return list
}

// drive does the next step of a sweep in flight. Every step can be repeated: a
// crash after it is as if it had not been reported.
func (s *Sweeper) drive(ctx context.Context, w Sweep) error {
	last, signed := w.Last()
	if !signed {
		return s.sign(ctx, w)
	}
	if last.SentAt.IsZero() {
		return s.send(ctx, w, last)
	}
	seen, err := s.sender.Look(ctx, w.Items, w.Attempts)
	if err != nil {
		return fmt.Errorf("look after sweep %s: %w", w.ID, err)
	}
	switch seen.Seen {
	case Landed:
		return s.end(ctx, w, Confirmed, seen)
	case Reverted:
		return s.end(ctx, w, Failed, seen)
	case Dead:
		return s.end(ctx, w, Superseded, seen)
	case Included:
		return nil
	case Unknown, Pooled:
		return s.push(ctx, w, last)
	}
	return fmt.Errorf("sweep %s: the network reports %q", w.ID, seen.Seen)
}

// sign stores a signed attempt before anybody can see it. A batch too large for
// one transaction, or whose building fails as a whole, is given back.
func (s *Sweeper) sign(ctx context.Context, w Sweep) error {
	a, err := s.sender.Sign(ctx, w.Items, w.Attempts, s.now())
	if errors.Is(err, ErrTooLarge) && len(w.Attempts) == 0 {
		return s.end(ctx, w, Superseded, Sighting{Note: err.Error()})
	}
	if err != nil {
		return fmt.Errorf("sign sweep %s: %w", w.ID, err)
	}
	a.N = len(w.Attempts) + 1
	if err := s.store.AddAttempt(ctx, w.ID, a); err != nil {
		return err
	}
	return s.send(ctx, w, a)
}

func (s *Sweeper) send(ctx context.Context, w Sweep, a Attempt) error {
	if err := s.sender.Broadcast(ctx, a); err != nil {
		return fmt.Errorf("send sweep %s: %w", w.ID, err)
	}
	s.log.Info("sweep sent", "sweep", w.ID, "attempt", a.N, "tx", a.Tx)
	return s.store.MarkSent(ctx, w.ID, a.N, s.now())
}

// push keeps an attempt alive that is not included: the same bytes again, and
// after a while one that pays more.
func (s *Sweeper) push(ctx context.Context, w Sweep, last Attempt) error {
	now := s.now()
	if now.Sub(last.MadeAt) >= bumpAfter && len(w.Attempts) < maxAttempts {
		err := s.sign(ctx, w)
		if !errors.Is(err, ErrTooExpensive) && !errors.Is(err, ErrNoGas) {
			return err
		}
	}
	if now.Sub(last.SentAt) < resendAfter {
		return nil
	}
	return s.send(ctx, w, last)
}

func (s *Sweeper) end(ctx context.Context, w Sweep, state State, seen Sighting) error {
	w.State, w.Tx, w.Block, w.Paid = state, seen.Tx, seen.Block, seen.Paid
	w.Moved, w.Unmoved, w.Note, w.EndedAt = seen.Moved, seen.Unmoved, seen.Note, s.now()
	if err := s.store.EndSweep(ctx, w, s.now()); err != nil {
		return err
	}
	if state == Confirmed {
		s.batch = min(s.batch+s.batch/4+1, s.policy.Batch)
	} else {
		s.batch = max(len(w.Items)/2, 1)
	}
	level := slog.LevelInfo
	if state != Confirmed || len(w.Unmoved) > 0 {
		level = slog.LevelWarn
	}
	s.log.Log(ctx, level, "sweep ended", "sweep", w.ID, "state", state, "tx", w.Tx, "moved", len(w.Moved), "left", len(w.Unmoved), "note", w.Note)
	return nil
}
