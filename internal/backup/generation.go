package backup

import (
	"fmt"
	"math"
	"time"
)

// firstGeneration is when generations begin to be counted.
var firstGeneration = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// NextGeneration returns the generation of a database that is adopted now: the seconds since 2026, and more than the
// one before. It is not a count, because two restores of one backup must differ even if nothing else is left of the
// first one: no server can start, answer and be replaced within a second.
func NextGeneration(before int64, now time.Time) (int64, error) {
	next := max(before+1, int64(now.Sub(firstGeneration)/time.Second))
	if next > maxGeneration {
		return 0, fmt.Errorf("generation %d is above %d: is the clock right?", next, maxGeneration)
	}
	return next, nil
}

// positionBits is how many events of a key a second has positions for: 2^28. A key that has more events than that in
// one generation goes on into positions that no other generation begins with, since generations are seconds.
const (
	positionBits  = 28
	maxGeneration = math.MaxInt64>>positionBits - 1
)

// PositionBase is where the positions of a key's events go on in a generation.
func PositionBase(generation int64) int64 { return generation << positionBits }

// SequenceBase is where the sequences of payments go on in a generation. No payment has a million events a second:
// small transfers are folded long before. JavaScript counts sequences exactly until the year 2311.
func SequenceBase(generation int64) int64 { return generation * 1_000_000 }

// No network makes more blocks in a second; the hour covers clocks that differ.
const (
	maxBlocksPerSecond = 4
	rereadSlack        = time.Hour
)

// RereadTo returns a block that the network had not passed now if it stood at the block of the cursor then. Up to
// there every address is watched, also of payments that ended before the backup: what came in the time that was lost
// was credited to a payment that the restored database believes unpaid.
func RereadTo(scanned int64, then, now time.Time) int64 {
	passed := max(now.Sub(then), 0) + rereadSlack
	return scanned + int64(passed/time.Second)*maxBlocksPerSecond
}

// Continued reports whether a payment whose last event has the sequence was there when the database was last adopted.
func Continued(sequence int) bool { return int64(sequence) >= SequenceBase(1) }
