package chain

import (
	"context"
	"testing"
	"time"
)

// forgetful is a node that keeps the newest part of a chain only, a block a
// second, of which some numbers were skipped.
type forgetful struct {
	Reader
	oldest  uint64
	skipped uint64 // every number that it divides, and the three after it
}

func (f forgetful) BlockAt(_ context.Context, n uint64) (Head, bool, error) {
	if n < f.oldest || f.skipped > 0 && n%f.skipped < 4 {
		return Head{}, false, nil
	}
	return Head{Number: n, Time: time.Unix(int64(n), 0)}, true, nil
}

func TestBlockBefore(t *testing.T) {
	t.Parallel()
	const top = 100_000_000
	shown := time.Unix(top-3_600, 0)
	want := uint64(top - 3_600 - clockSlack/time.Second)
	for name, r := range map[string]forgetful{
		"Full": {oldest: 1}, "KeepsAQuarter": {oldest: top / 4 * 3}, "KeepsAMillion": {oldest: top - 1_000_000},
		"SkipsSlots": {oldest: 1, skipped: 16},
	} {
		got, err := BlockBefore(t.Context(), r, shown, Head{Number: top})
		if err != nil || got > want || want-got > skippedSlots {
			t.Errorf("%s: block %d, want just below %d, %v", name, got, want, err)
		}
	}
	got, err := BlockBefore(t.Context(), forgetful{oldest: top - 100}, shown, Head{Number: top})
	if err != nil || got > top-100 || got < top-firstStepBack {
		t.Errorf("a node that keeps 100 blocks: %d, %v", got, err)
	}
	if got, err = BlockBefore(t.Context(), forgetful{oldest: 1}, time.Unix(5, 0), Head{Number: 10}); err != nil ||
		got != 1 {
		t.Errorf("a young chain: %d, %v", got, err)
	}
}
