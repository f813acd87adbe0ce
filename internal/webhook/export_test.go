package webhook

import "time"

// Guard checks the address of every connection.
var Guard = guard

// WithTimeout returns a sender with a shorter timeout.
func (s *Sender) WithTimeout(d time.Duration) *Sender {
	c := *s
	c.timeout = d
	return &c
}

// LongestStop bounds how long Run continues after its context has ended.
const LongestStop = stopGrace + settleTimeout
