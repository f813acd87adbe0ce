package webhook

import (
	"net/http"
	"time"
)

const (
	// firstHold is the pause after an answer that throttles; it doubles with each
	// further one, up to longestHold. A Retry-After counts instead, up to maxHold.
	// Nothing is sent to the receiver meanwhile.
	firstHold   = time.Second
	longestHold = time.Minute
	maxHold     = time.Hour

	// getsThrough is how long after an accepted event a busy answer means that there was too much at once, and not that
	// the receiver is down.
	getsThrough = 30 * time.Second
	// busyHold is the pause after a busy answer to one of several attempts: fewer of them follow.
	busyHold = 250 * time.Millisecond
)

// receiver is the load and the speed of one receiver.
type receiver struct {
	inFlight    int
	mayHaveMore bool      // more of its deliveries were due when the last claim was made
	prompt      bool      // it has answered within slowAfter since it was last slow
	slowUntil   time.Time // it counts as slow until then
	notBefore   time.Time // it is paused until then
	asked       time.Time // the end of the pause that it requested itself
	strikes     int       // answers in a row that throttle

	accepted time.Time // when it last accepted an event
	// window is how many may be in flight after a busy answer (additive increase, multiplicative decrease, as TCP has
	// it); 0: as many as its class allows.
	window int
	grows  int       // events accepted since the window last grew; as many as it has let it grow by one
	cut    time.Time // when the window was last lowered
}

// class returns the priority class of the receiver's next attempt.
func (r *receiver) class(now time.Time) class {
	switch {
	case now.Before(r.slowUntil) || r.strikes > 0:
		return slowClass
	case r.prompt:
		return promptClass
	}
	return trialClass
}

// bound is how many deliveries may be in flight to the receiver.
func (r *receiver) bound(now time.Time) int {
	n := [classCount]int{promptClass: PerURL, trialClass: perURLUnknown, slowClass: perURLSlow}[r.class(now)]
	if r.window > 0 {
		n = min(n, r.window)
	}
	return n
}

// acceptsOthers reports whether the receiver accepted an event of late.
func (r *receiver) acceptsOthers(now time.Time) bool { return now.Sub(r.accepted) <= getsThrough }

func (r *receiver) slow(now time.Time) {
	r.prompt, r.slowUntil = false, now.Add(slowFor)
}

// observe takes what the answer to an attempt that began then says of the receiver: how many it can take at once, and
// whether nothing is to be sent for a while.
func (r *receiver) observe(began time.Time, res Result, now time.Time) {
	status := res.Attempt.Status
	if success(status) {
		r.accepted, r.strikes, r.notBefore = now, 0, r.asked
		if r.grows++; r.window > 0 && r.grows >= r.window {
			r.window, r.grows = r.window+1, 0
		}
		if r.window >= PerURL {
			r.window = 0
		}
		return
	}
	asked := res.RetryAfter
	if status == http.StatusGone {
		asked = 0
	}
	isBusy, many, others := busy(res), r.window != 1, r.acceptsOthers(now)
	if isBusy && began.After(r.cut) { // what was in flight together lowers it once
		r.window, r.grows, r.cut = r.lowered(), 0, now
	}
	switch {
	case asked > 0:
		most := maxHold
		if others { // one answer of many does not close the way for an hour
			most = longestHold
		}
		r.asked = now.Add(min(asked, most))
		r.pause(r.asked)
	case isBusy && others && many:
		r.pause(now.Add(busyHold))
	case throttles(status), isBusy && others:
		r.strike(now)
	}
}

// lowered is half of what is in flight or may be.
func (r *receiver) lowered() int {
	most := r.inFlight
	if r.window > 0 {
		most = min(most, r.window)
	}
	return max(1, most/2)
}

// strike begins a pause that is longer each time. Attempts that were in flight together are one strike.
func (r *receiver) strike(now time.Time) {
	if now.Before(r.notBefore) {
		return
	}
	r.pause(now.Add(min(firstHold<<min(r.strikes, 6), longestHold)))
	r.strikes++
}

func (r *receiver) pause(until time.Time) {
	if until.After(r.notBefore) {
		r.notBefore = until
	}
}
