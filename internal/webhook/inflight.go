package webhook

import (
	"context"
	"fmt"
	"net/url"
	"runtime/debug"
	"sync"
	"time"
)

// inFlight holds the deliveries that one Run or RunOnce has claimed and not
// finished.
type inFlight struct {
	d        *Deliverer
	progress chan struct{} // an attempt ended, or moved to the slow class
	ctx      context.Context
	abandon  context.CancelFunc // aborts the attempts
	attempts sync.WaitGroup

	mu   sync.Mutex
	load *load
	more bool // deliveries that were left may be claimable now
}

// newInFlight returns one without attempts. They outlive ctx: drain ends them.
func (d *Deliverer) newInFlight(ctx context.Context) *inFlight {
	f := &inFlight{d: d, load: newLoad(), progress: make(chan struct{}, 1)}
	f.ctx, f.abandon = context.WithCancel(context.WithoutCancel(ctx))
	return f
}

// claim claims as many deliveries as the bounds of the receivers allow and
// starts them. It returns how many it claimed.
func (f *inFlight) claim(ctx context.Context) (n int, err error) {
	defer contain(&err)
	now := f.d.Now()
	due, err := f.d.Store.DueReceivers(ctx, now)
	if err != nil {
		return 0, fmt.Errorf("list receivers of due deliveries: %w", err)
	}
	shares := f.plan(due, now)
	if len(shares) == 0 {
		return 0, nil
	}
	until := now.Add(Lease)
	claimed, err := f.d.Store.Claim(ctx, f.d.Holder, now, until, shares)
	if err != nil {
		return 0, fmt.Errorf("claim deliveries of %d receivers: %w", len(shares), err)
	}
	f.start(claimed, shares, until)
	return len(claimed), nil
}

func (f *inFlight) plan(due []DueReceiver, now time.Time) []Share {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.load.plan(due, claimBatch, now)
}

// start makes an attempt of each delivery, unless the claim took so long that
// the lease might end before the attempt: then they become due again.
func (f *inFlight) start(claimed []Delivery, shares []Share, until time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := f.d.Now()
	if now.After(until.Add(-AttemptTimeout - leaseMargin)) {
		f.d.Log.Warn("claimed webhook deliveries wait for their lease to end: the claim took too long", "deliveries", len(claimed))
		return
	}
	for _, d := range claimed {
		j := f.load.start(d, now)
		f.attempts.Add(1)
		go f.deliver(j)
	}
	f.more = f.load.claimed(shares, claimed, now) || f.more
}

// hasRoom reports whether another attempt may start.
func (f *inFlight) hasRoom() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.load.hasRoom()
}

// count is how many attempts are in flight.
func (f *inFlight) count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.load.attempts()
}

// takeMore reports, once, whether deliveries that were left may be claimable.
func (f *inFlight) takeMore() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	more := f.more
	f.more = false
	return more
}

// deliver makes one attempt and writes its outcome.
func (f *inFlight) deliver(j *job) {
	defer f.attempts.Done()
	late := time.AfterFunc(slowAfter, func() { f.update(func() bool { return f.load.late(j, f.d.Now()) }) })
	res := f.attempt(j)
	late.Stop()
	// An attempt that the stop of the loop aborted does not count: whether the
	// receiver acted on it is unknown, so it is due again after its lease.
	if f.ctx.Err() == nil || res.Attempt.Status != 0 {
		res = f.heard(j, res)
		if err := f.settle(j, res); err != nil {
			f.d.Log.Error("the outcome of a webhook delivery was not written; it will be sent again", "event", j.EventID, "error", err)
		}
	}
	f.update(func() bool { return f.load.done(j, res, f.d.Now()) })
}

func (f *inFlight) heard(j *job, res Result) Result {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.load.heard(j, res, f.d.Now())
}

// update changes the load and wakes the loop.
func (f *inFlight) update(change func() (more bool)) {
	f.mu.Lock()
	f.more = change() || f.more
	f.mu.Unlock()
	select {
	case f.progress <- struct{}{}:
	default: // the loop has not yet read the last one
	}
}

// attempt sends the delivery. A panic counts as a failed attempt: otherwise the
// delivery would be retried for ever and panic each time.
func (f *inFlight) attempt(j *job) (res Result) {
	at := f.d.Now()
	defer func() {
		if v := recover(); v != nil {
			f.d.Log.Error(
				"sending a webhook panicked", "event", j.EventID, "error", panicked(v), "stack", string(debug.Stack()),
			)
			res = Result{Attempt: Attempt{
				At: at, URL: j.URL, Latency: max(f.d.Now().Sub(at), 0),
				Error: "the request could not be built because of a fault in Florin; the operator was notified",
			}}
		}
	}()
	return f.d.Send(f.ctx, j.Delivery)
}

// settle decides and writes the outcome. It retries for a short while, because
// a lost outcome means that the event is sent twice.
func (f *inFlight) settle(j *job, res Result) (err error) {
	defer contain(&err)
	o := Outcome{DeliveryID: j.ID, Attempt: res.Attempt, Spared: res.Unsent || res.Spared > 0}
	o.State, o.NextAt = Decide(j.Attempt, res, f.d.Jitter())
	if o.State == Failed {
		f.d.Log.Warn(
			"a webhook was given up", "event", j.EventID, "host", host(j.URL), "attempts", j.Attempt+1, "status",
			res.Attempt.Status,
		)
	}
	for try := range settleTries {
		if err = f.write(o); err == nil {
			return nil
		}
		select {
		case <-f.ctx.Done():
			return err
		case <-time.After(settlePause << try):
		}
	}
	return err
}

// write stores an outcome, even when the loop is stopping.
func (f *inFlight) write(o Outcome) (err error) {
	defer contain(&err)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(f.ctx), settleTimeout)
	defer cancel()
	return f.d.Store.Settle(ctx, f.d.Holder, o)
}

// drain waits for the attempts in flight, then aborts them. It returns when all
// have ended, within grace and settleTimeout.
func (f *inFlight) drain(grace time.Duration) {
	defer f.abandon()
	ended := make(chan struct{})
	go func() {
		f.attempts.Wait()
		close(ended)
	}()
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-ended:
	case <-timer.C:
		f.abandon()
		<-ended
	}
}

// host is the part of a URL that is logged: its path and query may be secret.
func host(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return ""
	}
	return u.Host
}
