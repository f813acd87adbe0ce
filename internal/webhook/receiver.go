package webhook

import (
	"net/http"
	"time"
)

const (
	// firstHold doubles with every answer that says "too much", up to
	// longestHold; a Retry-After counts up to maxHold. Meanwhile nothing is
	// sent to that receiver.
	firstHold   = time.Second
	longestHold = time.Minute
	maxHold     = time.Hour
)

// receiver is what is known of a URL.
type receiver struct {
	inFlight  int
	waiting   []*job
	queued    bool      // it is among those ready or resting
	prompt    bool      // it has answered within slowAfter since it was last slow
	slowUntil time.Time // it kept us waiting not long ago
	notBefore time.Time // it asked to be left alone until then
	strikes   int       // answers in a row that said "too much"
}

// lane is where the receiver's next attempt belongs.
func (r *receiver) lane(now time.Time) lane {
	switch {
	case now.Before(r.slowUntil) || r.strikes > 0:
		return slowLane
	case r.prompt:
		return fastLane
	}
	return trialLane
}

// bound is how many deliveries may be in flight to the receiver.
func (r *receiver) bound(now time.Time) int {
	return [laneCount]int{fastLane: PerURL, trialLane: perURLUnknown, slowLane: perURLSlow}[r.lane(now)]
}

func (r *receiver) keptWaiting(now time.Time) {
	r.prompt, r.slowUntil = false, now.Add(slowFor)
}

// heed leaves a receiver alone for a while that says it is too much, and ends
// that with the first answer that does not.
func (r *receiver) heed(res Result, now time.Time) {
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
		return // several were in flight: one strike
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
