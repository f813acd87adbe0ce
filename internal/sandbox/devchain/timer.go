package devchain

import (
	"context"
	"log/slog"
	"time"
)

// startTimer makes a block every BlockTime until stopTimer.
func (c *Chain) startTimer() {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	c.stopTimer = func() { cancel(); <-done }
	go func() {
		defer close(done)
		for {
			select {
			case <-ctx.Done():
				return
			case <-time.After(untilNext(time.Now(), c.config.BlockTime)):
				c.tick()
			}
		}
	}()
}

// tick makes a block unless one with the present second exists already, made by hand: waiting lets the wall
// clock catch up with the chain's.
func (c *Chain) tick() {
	c.sealing.Lock()
	defer c.sealing.Unlock()
	now := uint64(time.Now().Unix())
	if ahead := int64(c.head().time) - int64(now); ahead >= 0 && ahead < maxCatchUp {
		return
	}
	if err := c.seal(c.nextTime()); err != nil {
		slog.Error("development chain made no block", "chain", c.config.ChainID, "error", err)
	}
}

// maxCatchUp is by how many seconds the chain's clock may be ahead for the timer to wait: more come from many blocks
// that were made by hand, and are intended.
const maxCatchUp = 10

// untilNext is the time to the next block: blocks are due at multiples of the interval plus half a second, so
// that a late timer still gets the intended second.
func untilNext(now time.Time, interval time.Duration) time.Duration {
	next := now.Truncate(interval).Add(time.Second / 2)
	for !next.After(now) {
		next = next.Add(interval)
	}
	return next.Sub(now)
}
