package webhook

import (
	"context"
	"fmt"
	"net/url"
	"runtime/debug"
	"sync"
	"time"
)

// flight is what one Run or RunOnce has claimed and not finished.
type flight struct {
	d        *Deliverer
	progress chan struct{} // an attempt ended, or moved to the slow lane
	ctx      context.Context
	abandon  context.CancelFunc // breaks off the attempts
	flying   sync.WaitGroup

	mu    sync.Mutex
	lanes *lanes
	more  bool // a receiver that was full no longer is
}

// newFlight returns an empty flight. Its attempts outlive ctx: land ends them.
func (d *Deliverer) newFlight(ctx context.Context) *flight {
	f := &flight{d: d, lanes: newLanes(), progress: make(chan struct{}, 1)}
	f.ctx, f.abandon = context.WithCancel(context.WithoutCancel(ctx))
	return f
}

// claim takes at most limit deliveries from the store and returns how many
// there were.
func (f *flight) claim(ctx context.Context, limit int) (n int, err error) {
	defer contain(&err)
	f.locked(f.lanes.claiming)
	defer f.locked(func() { f.more = f.lanes.claimed() || f.more })
	now := f.d.Now()
	until := now.Add(Lease)
	claimed, err := f.d.Store.Claim(ctx, f.d.Holder, now, until, limit, PerURL)
	if err != nil {
		return 0, fmt.Errorf("claim %d deliveries: %w", limit, err)
	}
	startBy := until.Add(-AttemptTimeout - leaseMargin)
	f.locked(func() {
		for _, d := range claimed {
			if !f.lanes.add(d, startBy, f.d.Now()) {
				f.d.Log.Debug("a webhook delivery waits for its lease to end", "event", d.EventID, "host", host(d.URL))
			}
		}
	})
	return len(claimed), nil
}

func (f *flight) locked(do func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	do()
}

// claimable is how many deliveries there is room for.
func (f *flight) claimable() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.lanes.room()
}

// launch starts what may start and returns how many attempts are in flight.
func (f *flight) launch() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, j := range f.lanes.start(f.d.Now()) {
		f.flying.Add(1)
		go f.deliver(j)
	}
	return f.lanes.flying()
}

// untilWake is how long until a receiver that wants to be left alone may be
// sent to again; ok is false if nothing waits for that.
func (f *flight) untilWake() (wait time.Duration, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.lanes.wakeAt.Sub(f.d.Now()), !f.lanes.wakeAt.IsZero()
}

// takeMore reports, once, whether a receiver that was full no longer is.
func (f *flight) takeMore() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	more := f.more
	f.more = false
	return more
}

// deliver makes one attempt and writes its outcome.
func (f *flight) deliver(j *job) {
	defer f.flying.Done()
	late := time.AfterFunc(slowAfter, func() { f.note(func() { f.lanes.late(j, f.d.Now()) }) })
	res := f.attempt(j)
	late.Stop()
	// An attempt that was broken off by the end of the loop was none: nobody
	// knows what the receiver made of it, so it is due again after its lease.
	if f.ctx.Err() == nil || res.Attempt.Status != 0 {
		if err := f.settle(j, res); err != nil {
			f.d.Log.Error("the outcome of a webhook delivery was not written; it will be sent again", "event", j.EventID, "error", err)
		}
	}
	f.note(func() {
		if f.lanes.done(j, res, f.d.Now()) {
			f.more = true
		}
	})
}

// note changes the lanes and wakes the loop.
func (f *flight) note(change func()) {
	f.locked(change)
	select {
	case f.progress <- struct{}{}:
	default: // the loop has not yet seen the last one
	}
}

// attempt sends the delivery. A panic counts as a failed attempt, or the
// delivery would come back for ever and panic each time.
func (f *flight) attempt(j *job) (res Result) {
	at := f.d.Now()
	defer func() {
		if v := recover(); v != nil {
			f.d.Log.Error("sending a webhook panicked", "event", j.EventID, "error", panicked(v), "stack", string(debug.Stack()))
			res = Result{Attempt: Attempt{
				At: at, URL: j.URL, Latency: max(f.d.Now().Sub(at), 0),
				Error: "the request could not be built because of a fault in Florin; the operator has been told",
			}}
		}
	}()
	return f.d.Sender.Send(f.ctx, j.Delivery)
}

// settle decides and writes the outcome. It tries again for a short while,
// because an outcome that is lost means that the event is sent twice.
func (f *flight) settle(j *job, res Result) (err error) {
	defer contain(&err)
	o := Outcome{DeliveryID: j.ID, Attempt: res.Attempt}
	o.State, o.NextAt = Decide(j.Attempt, res, f.d.Jitter())
	if o.State == Failed {
		f.d.Log.Warn("a webhook was given up", "event", j.EventID, "host", host(j.URL), "attempts", j.Attempt+1, "status", res.Attempt.Status)
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
func (f *flight) write(o Outcome) (err error) {
	defer contain(&err)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(f.ctx), settleTimeout)
	defer cancel()
	return f.d.Store.Settle(ctx, f.d.Holder, o)
}

// land waits for the attempts in flight, then abandons them. It returns when
// all are gone, within grace and settleTimeout.
func (f *flight) land(grace time.Duration) {
	defer f.abandon()
	landed := make(chan struct{})
	go func() {
		f.flying.Wait()
		close(landed)
	}()
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-landed:
	case <-timer.C:
		f.abandon()
		<-landed
	}
}

// host is what the log tells of a URL, whose path and query may be secret.
func host(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return ""
	}
	return u.Host
}
