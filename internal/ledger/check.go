package ledger

import "time"

// Check is the last verification of the whole ledger that was requested.
type Check struct {
	AskedAt     time.Time
	AskedBy     string
	EndedAt     time.Time // zero while it is under way
	Entries     int64
	Differences []string // the first MaxDifferences
	Found       int64    // how many there were
	Problem     string   // why the ledger could not be verified; empty otherwise
}

// MaxDifferences is how many differences are kept: one is already an alarm.
const MaxDifferences = 20
