package webhook

import (
	"context"
	"time"
)

// loop is the state of Run: what it waits for.
type loop struct {
	*flight
	due  bool        // something may be claimable
	look *time.Timer // when to ask the store whether something is due
	rest *time.Timer // runs between two claims
	idle bool        // rest has run out
}

// step sends what can be sent, claims if there is reason to, and waits for the
// next reason.
func (l *loop) step(ctx context.Context) {
	l.launch()
	if l.due && l.idle && l.claimable() > 0 {
		l.fetch(ctx)
		l.launch()
	}
	var retry <-chan time.Time
	if wait, ok := l.untilWake(); ok {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		retry = timer.C
	}
	select {
	case <-ctx.Done():
	case <-l.d.nudge:
		l.due = true
	case <-l.progress:
		l.due = l.takeMore() || l.due
	case <-l.rest.C:
		l.idle = true
	case <-l.look.C:
		l.ask(ctx)
	case <-retry:
	}
}

// fetch claims what there is room for.
func (l *loop) fetch(ctx context.Context) {
	limit := min(l.claimable(), claimBatch)
	n, err := l.claim(ctx, limit)
	l.idle = false
	l.rest.Reset(claimSpacing)
	// A full batch means that there is more.
	l.due = err == nil && (l.takeMore() || n == limit)
	switch {
	case err != nil:
		l.complain(ctx, "webhook deliveries cannot be claimed", err)
		l.look.Reset(poll)
	case !l.due:
		l.look.Reset(crowded) // whatever is due by then, or held back now because of PerURL
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

// complain tells the operator, unless it is only that the loop stops.
func (l *loop) complain(ctx context.Context, what string, err error) {
	if ctx.Err() == nil {
		l.d.Log.Error(what, "error", err)
	}
}
