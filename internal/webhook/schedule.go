package webhook

import (
	"net/http"
	"slices"
	"time"
)

// schedule is how long each attempt waits after the one before it (Standard
// Webhooks 1.0, spec.md section 7): 10 attempts in 75 h 35 min 5 s.
var schedule = [...]time.Duration{
	0, 5 * time.Second, 5 * time.Minute, 30 * time.Minute,
	2 * time.Hour, 5 * time.Hour, 10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
}

// Schedule returns how long each attempt waits after the one before it.
func Schedule() []time.Duration { return slices.Clone(schedule[:]) }

// MaxAttempts is how often an event is sent before its delivery is Failed.
const MaxAttempts = len(schedule)

const (
	// jitterPercent spreads the retries after an outage, in either direction.
	jitterPercent = 10
	// MaxRetryAfter bounds a Retry-After to the longest step of the schedule, so
	// that no receiver can delay a delivery for years.
	MaxRetryAfter = 24 * time.Hour
)

// Result is an attempt with its Retry-After.
type Result struct {
	Attempt Attempt
	// RetryAfter is the pause that the receiver requested, 0 to MaxRetryAfter; 0
	// without one.
	RetryAfter time.Duration
	// Unsent: nothing was sent, because there is no callback URL or the operator's rules refuse it. That is no attempt:
	// the delivery waits for settings that let it out.
	Unsent bool
	// Refused: the connection was refused or closed without an answer.
	Refused bool
	// Spared is set by the Deliverer: the receiver is busy, and accepts others or said how soon. That is no attempt of
	// the schedule: the delivery is due again after so long.
	Spared time.Duration
}

// Parked is when a delivery without a callback URL is due: never, until there is one.
func Parked() time.Time { return time.Date(9999, time.January, 1, 0, 0, 0, 0, time.UTC) }

// refusedDelay is when a delivery is looked at again whose URL the operator's rules refuse.
const refusedDelay = time.Hour

// Decide returns the state of a delivery after an attempt and, when it is
// Waiting, when the next one is due. made counts the attempts before this one,
// jitter is a random number of at least 0 and less than 1.
func Decide(made int, r Result, jitter float64) (State, time.Time) {
	switch {
	case r.Unsent && r.Attempt.URL == "":
		return Waiting, Parked()
	case r.Unsent:
		return Waiting, r.Attempt.At.Add(spread(refusedDelay, jitter))
	case success(r.Attempt.Status):
		return Delivered, time.Time{}
	case r.Spared > 0:
		return Waiting, r.Attempt.At.Add(r.Attempt.Latency).Add(r.Spared + jitterPart(r.Spared, bounded(jitter)))
	case r.Attempt.Status == http.StatusGone:
		return Stopped, time.Time{} // 410: the receiver is gone for good
	case made+1 >= MaxAttempts:
		return Failed, time.Time{}
	}
	wait := spread(schedule[max(made, 0)+1], jitter)
	// An attempt must not come before the pause ends, so the jitter only adds.
	asked := min(max(r.RetryAfter, 0), MaxRetryAfter)
	wait = max(wait, asked+jitterPart(asked, bounded(jitter)))
	return Waiting, r.Attempt.At.Add(r.Attempt.Latency).Add(wait)
}

// success is any 2xx. A redirect is a failure, because it is not followed.
func success(status int) bool { return status >= 200 && status <= 299 }

// throttles reports whether the answer requests less traffic.
func throttles(status int) bool {
	return status == http.StatusTooManyRequests ||
		status >= http.StatusBadGateway && status <= http.StatusGatewayTimeout
}

// busy reports whether the answer says that fewer events at once would have been accepted: nobody worked on this one.
func busy(r Result) bool {
	switch s := r.Attempt.Status; {
	case s == http.StatusTooManyRequests, s == http.StatusServiceUnavailable:
		return true
	case s == http.StatusBadGateway, r.Refused:
		return r.Attempt.Latency < slowAfter
	}
	return false
}

// spread moves the duration by up to jitterPercent, down for a jitter of 0 and
// up for one near 1.
func spread(d time.Duration, jitter float64) time.Duration {
	return d + jitterPart(d, 2*bounded(jitter)-1)
}

// jitterPart returns the fraction `jitter` of jitterPercent of the duration.
func jitterPart(d time.Duration, part float64) time.Duration {
	return time.Duration(float64(d) * jitterPercent / 100 * part)
}

// bounded clips a number to 0 to 1; NaN becomes 0.
func bounded(jitter float64) float64 {
	if !(jitter > 0) {
		return 0
	}
	return min(jitter, 1)
}
