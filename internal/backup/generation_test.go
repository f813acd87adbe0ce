package backup_test

import (
	"testing"
	"time"

	"github.com/florinpay/florin/internal/backup"
	"github.com/florinpay/florin/internal/testkit"
)

// TestNextGeneration: two restores of one backup differ, although nothing but the time tells them apart, and however
// soon one follows the other. Generations never go back, and leave room for centuries.
func TestNextGeneration(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	next := func(before int64, at time.Time) int64 {
		t.Helper()
		g, err := backup.NextGeneration(before, at)
		testkit.Must(t, err)
		return g
	}
	first := next(0, now)
	for _, later := range []time.Duration{time.Second, 10 * time.Second, time.Hour} {
		if again := next(0, now.Add(later)); again <= first {
			t.Errorf("restored again after %s: generation %d after %d", later, again, first)
		}
	}
	if g := next(first, now.Add(-time.Hour)); g != first+1 {
		t.Errorf("with a clock that was set back: %d after %d", g, first)
	}
	if base := backup.PositionBase(next(0, now.AddDate(250, 0, 0))); base <= backup.PositionBase(first) {
		t.Errorf("in 250 years positions begin at %d", base)
	}
	if base := backup.SequenceBase(next(0, now.AddDate(100, 0, 0))); base <= backup.SequenceBase(first) ||
		base > 1<<53 {
		t.Errorf("in 100 years sequences begin at %d, which JavaScript cannot count", base)
	}
	if g, err := backup.NextGeneration(1<<62, now); err == nil {
		t.Errorf("a generation without end: %d", g)
	}
}
