package app

import (
	"time"

	"golang.org/x/sys/unix"
)

// sinceBoot returns the time since the machine started, its sleep included, which Go's monotonic clock leaves out.
func sinceBoot() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &t); err != nil {
		return time.Since(started)
	}
	return time.Duration(t.Nano())
}

var started = time.Now()
