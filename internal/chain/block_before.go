package chain

import (
	"context"
	"time"
)

// firstStepBack is the first step of the exponential search, in blocks.
const firstStepBack = 1_024

// skippedSlots is how many numbers without a block are passed over: Solana skips
// slots.
const skippedSlots = 8

// BlockBefore returns a block number at or below the last block made before the
// time. It searches exponentially from the top: nodes may have dropped old
// blocks, so one that is missing counts as older than the time.
func BlockBefore(ctx context.Context, r Reader, at time.Time, top Head) (uint64, error) {
	at = at.Add(-clockSlack)
	before := func(number uint64) (bool, error) {
		for n := number; n < number+skippedSlots; n++ {
			if head, ok, err := r.BlockAt(ctx, n); ok || err != nil {
				return head.Time.Before(at), err
			}
		}
		return true, nil
	}
	low, high := uint64(0), top.Number
	for back := uint64(firstStepBack); back < top.Number; back *= 2 {
		older, err := before(top.Number - back)
		if err != nil {
			return 0, err
		}
		if older {
			low = top.Number - back
			break
		}
		high = top.Number - back
	}
	for low+1 < high {
		mid := low + (high-low)/2
		older, err := before(mid)
		if err != nil {
			return 0, err
		}
		if older {
			low = mid
		} else {
			high = mid
		}
	}
	return max(low, 1), nil
}
