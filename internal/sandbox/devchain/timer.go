package devchain

import (
	"context"
	"log/slog"
	"time"
)

// startTimer makes a block each BlockTime until stopTimer.
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

// tick makes a block unless one with the current second exists already, made
// by hand: waiting lets the wall clock catch up with the chain's.
func (c *Chain) tick() {
	c.sealing.Lock()
	defer c.sealing.Unlock()
	now := uint64(time.Now().Unix())
	if ahead := int64(c.backend.BlockChain().CurrentBlock().Time) - int64(now); ahead >= 0 && ahead < maxCatchUp {
		return
	}
	if err := c.seal(c.nextTime()); err != nil {
		slog.Error("development chain made no block", "chain", c.config.ChainID, "error", err)
	}
}

// maxCatchUp is how many seconds the chain's clock may be ahead for the timer
// to wait. Farther ahead it was put there on purpose, by AdjustTime.
const maxCatchUp = 10

// untilNext is the time to the next block: on multiples of the interval, in the
// middle of a second, where a late timer still meets the second it was set for.
func untilNext(now time.Time, interval time.Duration) time.Duration {
	next := now.Truncate(interval).Add(time.Second / 2)
	for !next.After(now) {
		next = next.Add(interval)
	}
	return next.Sub(now)
}
