package endpoint

import (
	"slices"
	"time"
)

// Latency is how long an endpoint took lately: a moving average, in which the newest value weighs a quarter.
type Latency struct {
	average time.Duration
	at      time.Time
}

// latencyAge is how long it counts: then an endpoint that was slow is tried again.
const latencyAge = 10 * time.Minute

// Observe adds a request. One that failed, or was given up, took at least so long.
func (l *Latency) Observe(took time.Duration, failed bool, now time.Time) {
	if failed && (took <= l.average || took < slowAtLeast) {
		return
	}
	if l.average == 0 {
		l.average = took
	}
	l.average, l.at = l.average+(took-l.average)/4, now
}

// Average returns the moving average, 0 if nothing was measured.
func (l *Latency) Average() time.Duration { return l.average }

// Lately returns the moving average, 0 if nothing was measured lately.
func (l *Latency) Lately(now time.Time) time.Duration {
	if now.Sub(l.at) > latencyAge {
		return 0
	}
	return l.average
}

// Standing is what the order of endpoints goes by.
type Standing struct {
	Head    uint64        // the newest block that it has reported
	Latency time.Duration // 0: not measured lately
}

const (
	// lagTolerance is how many blocks an endpoint may be behind the best one without being asked last: one or two polls
	// of the fastest chain.
	lagTolerance = 10
	// An endpoint is slow that takes slowTimes as long as the quickest one, and slowAtLeast more.
	slowTimes   = 3
	slowAtLeast = 200 * time.Millisecond
)

// Lags reports whether the first one is far behind the second one.
func (s Standing) Lags(best Standing) bool { return s.Head+lagTolerance < best.Head }

// Ready lists the endpoints that are not cooling down, in the order in which to ask them.
func Ready[E interface {
	comparable
	Standing() (s Standing, cooling bool)
}](endpoints []E) []E {
	return InTurn(endpoints, 1)
}

// otherTurn is how often one asks another endpoint first that keeps up and answers quickly.
const otherTurn = 3

// InTurn is Ready for the nth of many equal questions. What the first endpoint leaves out, another one shows soon.
func InTurn[E interface {
	comparable
	Standing() (s Standing, cooling bool)
}](endpoints []E, n uint64) []E {
	var ready []E
	standings := make(map[E]Standing, len(endpoints))
	for _, e := range endpoints {
		if s, cooling := e.Standing(); !cooling {
			standings[e], ready = s, append(ready, e)
		}
	}
	prompt := Order(ready, standings)
	if n%otherTurn == 0 && prompt > 1 {
		i := 1 + int(n/otherTurn%uint64(prompt-1)) //nolint:gosec // below prompt
		first := ready[i]
		copy(ready[1:], ready[:i])
		ready[0] = first
	}
	return ready
}

// Order sorts the endpoints: those that keep up with the chain and answer quickly, then the slow ones, which would hold
// up every question, then those that lag, each in the operator's order. It returns how many are of the first kind.
func Order[E comparable](endpoints []E, standings map[E]Standing) (prompt int) {
	var best Standing
	for _, s := range standings {
		best.Head = max(best.Head, s.Head)
		if s.Latency > 0 && (best.Latency == 0 || s.Latency < best.Latency) {
			best.Latency = s.Latency
		}
	}
	rank := func(e E) int {
		switch s := standings[e]; {
		case s.Lags(best):
			return 2
		case s.Latency > slowTimes*best.Latency+slowAtLeast:
			return 1
		}
		return 0
	}
	slices.SortStableFunc(endpoints, func(a, b E) int { return rank(a) - rank(b) })
	for prompt < len(endpoints) && rank(endpoints[prompt]) == 0 {
		prompt++
	}
	return prompt
}
