package webhook

import (
	"context"
	"log/slog"
	"time"
)

const (
	// Lease is how long a claimed delivery belongs to its holder at most.
	Lease = time.Minute
	// PresentFor is how long after its last sign of life an instance counts as dead. What it holds is due again then.
	PresentFor = 15 * time.Second
	// leaseMargin is left of a lease after the longest attempt, for writing the
	// outcome and for clocks that differ between instances.
	leaseMargin = 15 * time.Second
	// claimBatch bounds one claim.
	claimBatch = 256
	// claimSpacing is the least time between two claims, so that many small
	// claims do not load the database; an idle deliverer delays an event by no
	// more.
	claimSpacing = 5 * time.Millisecond
	// poll is how often the store is read without a Wake.
	poll = time.Second
	// crowded is the least time between two reads of the next due time.
	// Deliveries that are due but held back by a bound would otherwise cause
	// reads without a pause.
	crowded = 100 * time.Millisecond
	// stopGrace is how long attempts in flight may go on when the loop stops:
	// longer than any attempt takes, so that each has its outcome written.
	stopGrace = AttemptTimeout + time.Second
	// settleTimeout and settleTries bound the writing of an outcome; after
	// that the lease expires and the event is sent once more.
	settleTimeout = 10 * time.Second
	settleTries   = 3
	settlePause   = 200 * time.Millisecond // doubles with each try
)

// StopWithin bounds how long Run goes on after its context has ended: the attempts in flight and the writing of their
// outcomes.
const StopWithin = stopGrace + settleTimeout

// Abandoned returns when the hold of a dead instance ends at the latest for its attempt to have ended by now.
func Abandoned(now time.Time) time.Time { return now.Add(Lease - AttemptTimeout) }

// ClaimedLately returns when the hold of a delivery ends that was claimed a moment ago. A receiver that answers
// promptly has answered what was claimed before; what a slow receiver, or an instance that was killed, still has holds
// up no other of its events.
func ClaimedLately(now time.Time) time.Time { return now.Add(Lease - slowAfter) }

// Send makes a single attempt: Sender.Send over HTTP, a simulation in memory. It must return within AttemptTimeout.
type Send func(ctx context.Context, d Delivery) Result

// Config is what a Deliverer depends on. Everything is required but Turned.
type Config struct {
	Store  Store
	Send   Send
	Holder string           // names this instance among all that share the store
	Now    func() time.Time // safe for concurrent use, as are the others
	Jitter func() float64   // random numbers of at least 0 and less than 1
	Log    *slog.Logger
	// Turned is called whenever it was looked for what is due; nil: nobody asks.
	Turned func()
}

// Deliverer sends the deliveries that are due.
//
// Its invariants: an attempt is made only under a lease that outlasts it, so
// that no two instances send one delivery at once, unless one claimed it and was then out of the database's reach for
// PresentFor; and its knowledge of
// receivers may be lost at any time, since the store knows what is due.
type Deliverer struct {
	Config
	wake chan struct{}
}

// NewDeliverer returns a deliverer, which does nothing until Run or RunOnce.
func NewDeliverer(c Config) *Deliverer {
	return &Deliverer{Config: c, wake: make(chan struct{}, 1)}
}

// Wake makes Run claim at once. It never blocks. Without it, Run finds due
// deliveries within a second.
func (d *Deliverer) Wake() {
	select {
	case d.wake <- struct{}{}:
	default: // one is pending
	}
}

// Run delivers until ctx ends, then lets attempts in flight end. One that takes
// longer than AttemptTimeout is abandoned: its lease makes it due again. Run
// returns nil. It may be run again, and twice at once.
func (d *Deliverer) Run(ctx context.Context) error {
	f := d.newInFlight(ctx)
	defer f.drain(stopGrace)
	l := loop{inFlight: f, read: time.NewTimer(0), rest: time.NewTimer(0)}
	defer l.read.Stop()
	defer l.rest.Stop()
	for ctx.Err() == nil {
		l.step(ctx)
	}
	return nil
}

// RunOnce makes one claim, sends it and waits for the outcomes. It returns how
// many deliveries were claimed.
func (d *Deliverer) RunOnce(ctx context.Context) (int, error) {
	f := d.newInFlight(ctx)
	defer f.drain(stopGrace)
	n, err := f.claim(ctx)
	if err != nil {
		return 0, err
	}
	for ctx.Err() == nil && f.count() > 0 {
		select {
		case <-ctx.Done():
		case <-f.progress:
		}
	}
	return n, nil
}
