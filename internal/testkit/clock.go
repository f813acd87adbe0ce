package testkit

import (
	"sync"
	"time"
)

// Clock is a time that stands still until a test moves it.
type Clock struct {
	mu sync.Mutex
	at time.Time
}

// NewClock returns a clock that shows the time.
func NewClock(at time.Time) *Clock { return &Clock{at: at} }

// Now returns the time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

// Pass moves the time on.
func (c *Clock) Pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// Set makes it another time.
func (c *Clock) Set(at time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = at
}
