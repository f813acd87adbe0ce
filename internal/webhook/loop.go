package webhook

import (
	"context"
	"time"
)

// loop is the state of Run: what it waits for.
type loop struct {
	*inFlight
	due  bool        // something may be claimable
	look *time.Timer // when to ask the store whether something is due
	rest *time.Timer // runs between two claims
	idle bool        // rest has run out
}

// step claims and starts what it can, and waits for the next reason to.
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
	case <-l.look.C:
		l.ask(ctx)
	}
}

// fetch claims what there is room for.
func (l *loop) fetch(ctx context.Context) {
	n, err := l.claim(ctx)
	l.idle = false
	l.rest.Reset(claimSpacing)
	// A full batch means that there is more.
	l.due = err == nil && (l.takeMore() || n == claimBatch)
	switch {
	case err != nil:
		l.complain(ctx, "webhook deliveries cannot be claimed", err)
		l.look.Reset(poll)
	case !l.due:
		l.look.Reset(crowded) // for what is due by then, or held back now by a bound
	}
}

// ask finds out whether to claim.
func (l *loop) ask(ctx context.Context) {
	wait := l.untilDue(ctx)
	l.due = l.due || wait == 0
	l.look.Reset(max(wait, crowded))
}

// untilDue is how long nothing is due, at most poll.
func (l *loop) untilDue(ctx context.Context) time.Duration {
	now := l.d.Now()
	at, ok, err := l.nextDue(ctx, now)
	switch {
	case err != nil:
		l.complain(ctx, "the next webhook delivery cannot be looked up", err)
		return poll
	case !ok:
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
