package app

import (
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// sleepLooked is how long the program runs before it looks again whether the machine has slept: reading that takes a
// call of the system, and the time is read several times a request.
const sleepLooked = 10 * time.Millisecond

// slept is for how long the machine was not running Go's clock since it started, and when that was read.
var slept, sleptRead atomic.Int64

// sinceBoot returns the time since the machine started, its sleep included, which Go's monotonic clock leaves out.
func sinceBoot() time.Duration {
	running := time.Since(started)
	if at := sleptRead.Load(); at == 0 || running-time.Duration(at) >= sleepLooked {
		var t unix.Timespec
		if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &t); err == nil {
			slept.Store(t.Nano() - int64(running))
		}
		sleptRead.Store(int64(running))
	}
	return running + time.Duration(slept.Load())
}

var started = time.Now()
