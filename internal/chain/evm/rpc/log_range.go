package rpc

import (
	"time"
)

// Sizes of an eth_getLogs request. Providers allow from 5 to 10,000 blocks and
// more, or limit the answer instead; the limit cannot be asked for.
const (
	// maxTopicAddresses is the most recipients in one eth_getLogs. Nodes allow
	// up to 1,000 values in a topic position, some providers fewer.
	maxTopicAddresses = 250

	firstSpan = 1_000
	maxSpan   = 10_000
	// wantedAnswer is the size of answer aimed for, in bytes: larger ranges
	// save no time and take more memory.
	wantedAnswer = 4 << 20
	// ceilingTTL is how long a size that was refused is not tried again.
	ceilingTTL = 10 * time.Minute
)

// logRange finds the number of blocks an endpoint takes at once. It is halved
// when refused and doubled when accepted; near a size that was refused lately
// it grows half-way towards it.
type logRange struct {
	size    uint64
	ceiling uint64 // refused; maxSpan+1 when nothing was
	until   time.Time
}

func newLogRange() logRange { return logRange{size: firstSpan, ceiling: maxSpan + 1} }

// shrink records that a request for asked blocks was refused as too large. It
// reports false when the range cannot be smaller.
func (s *logRange) shrink(asked uint64, now time.Time) bool {
	if asked <= 1 {
		return false
	}
	s.ceiling, s.until = min(asked, maxSpan+1), now.Add(ceilingTTL)
	s.size = asked / 2
	return true
}

// grow records that asked blocks were answered with that many bytes.
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

// LogLimits returns how many blocks and addresses one eth_getLogs may ask for.
func (e *Endpoint) LogLimits() (blocks uint64, addresses int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.logRange.size, e.topicLimit
}

// LogsAccepted records that blocks were answered with that many bytes.
func (e *Endpoint) LogsAccepted(blocks uint64, bytes int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.logRange.grow(blocks, bytes, e.now())
}

// ReduceBlocks records that a request for asked blocks was refused. It reports
// false when it cannot be smaller.
func (e *Endpoint) ReduceBlocks(asked uint64) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.logRange.shrink(asked, e.now())
}

// ReduceTopics records that a request for asked addresses was refused. It
// reports false when it cannot be smaller.
func (e *Endpoint) ReduceTopics(asked int) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if asked <= 1 {
		return false
	}
	e.topicLimit = min(e.topicLimit, asked/2)
	return true
}
