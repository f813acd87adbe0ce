package endpoint

import (
	"cmp"
	"strings"
	"sync"
	"time"

	"github.com/florinpay/florin/internal/chain"
)

// The cool-down after a failure doubles with every failure in a row: a dead endpoint costs almost nothing, and one that
// failed once is used again within two seconds.
const (
	firstCoolDown = time.Second
	maxCoolDown   = time.Minute
	// identityTTL is how long it counts that an endpoint is on the right chain: providers sometimes move a host.
	identityTTL = 30 * time.Minute
	// quarantine is the longest cool-down of an endpoint of another chain. A balancer may have led one call astray, so
	// it is asked again as soon as any other.
	quarantine = 5 * time.Minute
	// patience is how often in a row an endpoint may lag before it counts as unhealthy: an address can hide several
	// nodes, not all equally far.
	patience = 3
	// standsFor is for how long an endpoint stands still that does not reach its highest block again. It is shorter
	// than chain.AloneAfter, so that one that was far too high for a moment is not taken to be silent, and longer than
	// it takes one that goes back and forth to come back.
	standsFor = chain.AloneAfter / 2
)

// Health is how an endpoint does. It is safe for concurrent use.
type Health struct {
	now func() time.Time

	mu       sync.Mutex
	verified time.Time // until when it counts as being on the right chain
	strayed  bool      // it was found to be on another chain last
	failures int       // in a row
	lags     int       // in a row
	headAt   time.Time // when its newest block was reported
	head     progress  // of its newest block
	final    progress  // of the block that it calls final
	unsaid   string    // why it calls none final; empty: it does
	latency  Latency
	state    chain.EndpointHealth
}

// NewHealth returns the health of an endpoint that nobody has asked yet.
func NewHealth(now func() time.Time) *Health {
	return &Health{now: now, head: progress{moved: now()}, final: progress{moved: now()}}
}

// Failure is why an endpoint could not answer, as far as that decides when it is asked again.
type Failure struct {
	Lags       bool
	Limited    bool // it refused the request because of its rate
	After      time.Duration
	OtherChain bool
}

// Asked counts a request and measures its time.
func (h *Health) Asked(took time.Duration, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.state.Requests++
	h.latency.Observe(took, err != nil, h.now())
}

// Standing is what the order of endpoints goes by, and whether this one cools down.
func (h *Health) Standing() (s Standing, cooling bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := h.now()
	return Standing{Head: h.state.Head, Latency: h.latency.Lately(now)}, h.state.CoolUntil.After(now)
}

// Verified reports whether the endpoint was found to be on the right chain of late.
func (h *Health) Verified() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.now().Before(h.verified)
}

// Verify records that it is.
func (h *Health) Verify() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.verified, h.strayed = h.now().Add(identityTTL), false
}

// Strayed reports whether the endpoint was found to be on another chain, and not on the right one since.
func (h *Health) Strayed() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.strayed
}

// Succeeded records a valid answer.
func (h *Health) Succeeded() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.failures, h.lags, h.state.CoolUntil, h.state.Reason = 0, 0, time.Time{}, ""
}

// Failed records why the endpoint could not answer, and starts its cool-down. One that only lags is not cooled down: it
// will catch up, and can answer other questions meanwhile.
func (h *Health) Failed(err error, f Failure) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if f.Lags {
		if h.lags++; h.lags >= patience {
			h.state.Reason = err.Error()
		}
		return
	}
	h.failures++
	h.state.Errors++
	h.state.Reason, h.state.Limited = err.Error(), f.Limited
	most := maxCoolDown
	if f.OtherChain {
		most, h.verified, h.strayed = quarantine, time.Time{}, true
	}
	wait := max(min(firstCoolDown<<min(h.failures-1, 10), most), f.After)
	h.state.CoolUntil = h.now().Add(wait)
}

// RecordHead records the number of the newest block that the endpoint has.
func (h *Health) RecordHead(number uint64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.headAt, h.state.Head = h.now(), number
	h.head.reach(number, h.headAt)
}

// RecordFinal records the number of a block that the endpoint calls final: that moves, too, where nobody asks for the
// newest block.
func (h *Health) RecordFinal(number uint64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.head.reach(number, h.now())
}

// SaysFinal records the number of the block that the endpoint calls final, or why it calls none so: then it is no voice
// about what is final, and answers everything else.
func (h *Health) SaysFinal(number uint64, unsaid string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.unsaid = unsaid; unsaid == "" {
		h.final.reach(number, h.now())
	}
}

// progress is how an endpoint gets on with blocks of one kind.
type progress struct {
	moved     time.Time // when it last reported a higher block than before
	reached   uint64    // that block
	reachedAt time.Time // when it last reported that block or a higher one
}

// reach records that the endpoint has a block. One that goes back and forth between blocks that it has shown before
// stands still. One that stays below its highest block for long was wrong about it, or the chain fell back: then it
// moves from where it is.
func (p *progress) reach(number uint64, now time.Time) {
	if number > p.reached {
		p.moved = now
	}
	if number >= p.reached || now.Sub(p.reachedAt) > standsFor {
		p.reached, p.reachedAt = number, now
	}
}

// Height returns that number.
func (h *Health) Height() uint64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.state.Head
}

// Reached reports whether the endpoint has the block with the number, or had it a while ago and may only be late.
func (h *Health) Reached(number uint64) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.head.reached >= number
}

// HeadSince reports whether it was reported after the time.
func (h *Health) HeadSince(after time.Time) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.headAt.After(after)
}

// MovedAt returns when it has moved last.
func (h *Health) MovedAt() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.head.moved
}

// FinalMovedAt returns when the block that it calls final has moved last.
func (h *Health) FinalMovedAt() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.final.moved
}

// State returns all of it, with what else is known of the endpoint.
func (h *Health) State(name, voice string, learnt []string) chain.EndpointHealth {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.state
	s.Name, s.Voice, s.Learnt = name, voice, learnt
	s.Reason = cmp.Or(s.Reason, h.unsaid)
	s.Healthy, s.Latency = s.Reason == "", h.latency.Average()
	if !s.CoolUntil.After(h.now()) {
		s.CoolUntil, s.Limited = time.Time{}, false
	}
	return s
}

// CoolingDown says of each endpoint that is cooling down why.
func CoolingDown(all []chain.EndpointHealth) string {
	var reasons []string
	for _, h := range all {
		if !h.CoolUntil.IsZero() {
			reasons = append(reasons, h.Name+" "+h.Reason)
		}
	}
	return strings.Join(reasons, "; ")
}
