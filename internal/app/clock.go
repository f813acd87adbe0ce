package app

import (
	"context"
	"sync"
	"time"
)

// slew is the part of the time that passes by which the clock nears the reference: 18 s an hour. So an hour by which
// the reference jumps for ten minutes makes a payment of an hour expire 3 s early, and not at once.
const slew = 200

// jumped is the difference from the reference that is logged.
const jumped = time.Minute

// clock is the server's time: what expires, and who holds a lease, is decided by it. It begins with a reference and
// goes on by a counter that nobody can set; it approaches the reference so slowly that a reference which jumps, and
// jumps back, expires nothing early and frees no lease. The reference is the machine's clock, and with PostgreSQL the
// server's, so that all instances have one time.
type clock struct {
	// counter is the time since some moment; sleep of the machine counts.
	counter func() time.Duration

	mu     sync.Mutex
	now    time.Time     // the last reading
	read   time.Duration // the counter at that reading
	target time.Time     // the reference when the counter was zero
}

func newClock(reference time.Time, counter func() time.Duration) *clock {
	read := counter()
	return &clock{counter: counter, now: reference, read: read, target: reference.Add(-read)}
}

// Now returns the time: UTC, to the microsecond, which both databases keep. It never goes back.
func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	count := c.counter()
	passed := max(count-c.read, 0)
	c.now, c.read = c.now.Add(passed), c.read+passed
	behind, most := c.target.Add(c.read).Sub(c.now), passed/slew
	c.now = c.now.Add(min(max(behind, -most), most))
	return c.now.UTC().Truncate(time.Microsecond)
}

// approach sets the reference that the clock approaches, and returns by how much the clock is behind it.
func (c *clock) approach(reference time.Time) time.Duration {
	now := c.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.target = reference.Add(-c.read)
	return reference.Sub(now)
}

// compareEvery is how often the clock is compared with its reference.
const compareEvery = time.Minute

// timekeeping makes the clock approach its reference.
func (a *App) timekeeping() loop {
	warned := false
	return loop{
		name: "clock", first: compareEvery, every: compareEvery, failed: "the time of the database is not known",
		turn: func(ctx context.Context) error {
			reference, err := a.Store.Clock(ctx)
			if err != nil {
				return err // the clock goes on
			}
			behind := a.clock.approach(reference).Round(time.Second)
			if far := behind.Abs() > jumped; far != warned {
				warned = far
				a.log.Warn("the clock of the machine, or of PostgreSQL, was set; Florin keeps its own time and nears that one "+
					"slowly. Restart it if the new time is right", "ahead", behind)
			}
			return nil
		},
	}
}
