package webhook

import (
	"net/http"
	"time"
)

const (
	// firstHold is the pause after an answer that throttles; it doubles with each
	// further one, up to longestHold. A Retry-After counts up to maxHold. Nothing
	// is sent to the receiver meanwhile.
	firstHold   = time.Second
	longestHold = time.Minute
	maxHold     = time.Hour
)

// receiver is the load and the speed of one receiver.
type receiver struct {
	inFlight    int
	mayHaveMore bool      // more of its deliveries were due when the last claim was made
	prompt      bool      // it has answered within slowAfter since it was last slow
	slowUntil   time.Time // it counts as slow until then
	notBefore   time.Time // it is paused until then
	strikes     int       // answers in a row that throttle
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
	return [classCount]int{promptClass: PerURL, trialClass: perURLUnknown, slowClass: perURLSlow}[r.class(now)]
}

func (r *receiver) slow(now time.Time) {
	r.prompt, r.slowUntil = false, now.Add(slowFor)
}

// observe starts or prolongs a pause when the answer throttles, and ends it with
// the first success.
func (r *receiver) observe(res Result, now time.Time) {
	status := res.Attempt.Status
	asks := res.RetryAfter > 0 && !success(status) && status != http.StatusGone
	if !throttles(status) && !asks {
		if success(status) {
			r.strikes = 0
			r.notBefore = time.Time{}
		}
		return
	}
	if now.Before(r.notBefore) && !asks {
		return // attempts that were in flight together are one strike
	}
	hold := min(firstHold<<min(r.strikes, 6), longestHold)
	if !now.Before(r.notBefore) {
		r.strikes++
	}
	until := now.Add(max(hold, min(res.RetryAfter, maxHold)))
	if until.After(r.notBefore) {
		r.notBefore = until
	}
}
