package webhook

import "time"

// Guard is what every connection passes.
var Guard = guard

// BodyTimeout bounds how long the text of an answer is waited for.
const BodyTimeout = bodyTimeout

// WithTimeout returns a sender that gives up sooner.
func (s *Sender) WithTimeout(d time.Duration) *Sender {
	c := *s
	c.timeout = d
	return &c
}

// LongestStop bounds how long Run goes on after its context has ended.
const LongestStop = stopGrace + settleTimeout
