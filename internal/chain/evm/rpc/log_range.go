package rpc

import (
	"time"
)

// How many blocks one eth_getLogs asks for. Providers allow anything from 5 to
// 10,000 and more, and some limit the answer instead; nothing tells beforehand.
const (
	// maxTopicAddresses is how many recipients one eth_getLogs names. Nodes
	// allow up to 1,000 values in a topic position, some providers fewer.
	maxTopicAddresses = 250

	firstSpan = 1_000
	maxSpan   = 10_000
	// wantedAnswer is the size of answer aimed at, in bytes: beyond it a
	// larger range saves no time and only takes memory.
	wantedAnswer = 4 << 20
	// ceilingTTL is how long a size that was refused is not tried again.
	ceilingTTL = 10 * time.Minute
)

// span finds the number of blocks an endpoint takes: halved when refused,
// grown again when it does, half-way towards a size that was refused lately.
type logRange struct {
	size    uint64
	ceiling uint64 // refused; maxSpan+1 when nothing was
	until   time.Time
}

func newLogRange() logRange { return logRange{size: firstSpan, ceiling: maxSpan + 1} }

// shrink notes that asked blocks were too many. It reports false when there is
// nothing less to ask for.
func (s *logRange) shrink(asked uint64, now time.Time) bool {
	if asked <= 1 {
		return false
	}
	s.ceiling, s.until = min(asked, maxSpan+1), now.Add(ceilingTTL)
	s.size = asked / 2
	return true
}

// grow notes that asked blocks were answered with that many bytes.
func (s *logRange) grow(asked uint64, bytes int, now time.Time) {
	if bytes > wantedAnswer && asked > 1 {
		s.size = min(s.size, asked/2)
		return
	}
	if asked < s.size || bytes > wantedAnswer/2 {
		return
	}
	if now.After(s.until) {
		s.ceiling = maxSpan + 1
	}
	next := min(s.size*2, maxSpan)
	if next >= s.ceiling {
		next = s.size + (s.ceiling-s.size)/2
	}
	s.size = next
}

// sizes returns how many blocks and addresses the endpoint takes at once.
func (e *Endpoint) LogLimits() (blocks uint64, addresses int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.logRange.size, e.topicLimit
}

func (e *Endpoint) LogsAccepted(blocks uint64, bytes int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.logRange.grow(blocks, bytes, e.now())
}

func (e *Endpoint) ReduceBlocks(asked uint64) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.logRange.shrink(asked, e.now())
}

// fewerTopics reports false when there is nothing less to ask for.
func (e *Endpoint) ReduceTopics(asked int) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if asked <= 1 {
		return false
	}
	e.topicLimit = min(e.topicLimit, asked/2)
	return true
}
