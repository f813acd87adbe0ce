//go:build !linux

package app

import "time"

var started = time.Now()

// sinceBoot returns the time since the program started.
func sinceBoot() time.Duration { return time.Since(started) }
