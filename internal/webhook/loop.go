package webhook

import (
	"context"
	"time"
)

// loop is the state of Run.
type loop struct {
	*inFlight
	due  bool        // something may be claimable
	read *time.Timer // when to read from the store when something is due
	rest *time.Timer // runs between two claims
	idle bool        // rest has expired
}

// step claims and starts deliveries if some may be claimable, then waits for the
// next event.
func (l *loop) step(ctx context.Context) {
	if l.due && l.idle && l.hasRoom() {
		l.fetch(ctx)
	}
	select {
	case <-ctx.Done():
	case <-l.d.wake:
		l.due = true
	case <-l.progress:
		l.due = l.takeMore() || l.due
	case <-l.rest.C:
		l.idle = true
	case <-l.read.C:
		l.readDue(ctx)
	}
}

// fetch claims as many deliveries as there is room for.
func (l *loop) fetch(ctx context.Context) {
	n, err := l.claim(ctx)
	l.idle = false
	l.rest.Reset(claimSpacing)
	// A full batch means that there is more.
	l.due = err == nil && (l.takeMore() || n == claimBatch)
	switch {
	case err != nil:
		l.complain(ctx, "webhook deliveries cannot be claimed", err)
		l.read.Reset(poll)
	case !l.due:
		l.read.Reset(crowded) // deliveries may be due by then, or held back now by a bound
	}
}

// readDue reads from the store whether a delivery is due.
func (l *loop) readDue(ctx context.Context) {
	wait := l.untilDue(ctx)
	l.due = l.due || wait == 0
	l.read.Reset(max(wait, crowded))
}

// untilDue returns the time until the next delivery is due, at most poll.
func (l *loop) untilDue(ctx context.Context) time.Duration {
	now := l.d.Now()
	at, ok, err := l.nextDue(ctx, now)
	switch {
	case err != nil:
		l.complain(ctx, "the next webhook delivery cannot be looked up", err)
		return poll
	case l.d.Turned != nil:
		l.d.Turned()
	}
	if !ok {
		return poll
	}
	return min(max(at.Sub(now), 0), poll)
}

// complain logs a failure, unless the loop is stopping.
func (l *loop) complain(ctx context.Context, what string, err error) {
	if ctx.Err() == nil {
		l.d.Log.Error(what, "error", err)
	}
}
