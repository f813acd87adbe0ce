package identity

import (
	"sync"
	"time"

	"github.com/florinpay/florin/internal/fault"
)

// perUserCodes is how many wrong codes of a second factor are let through for a
// user, from everywhere together: ten, and one more every six minutes. Only
// somebody who has the password gets this far, so nobody can lock a user out by
// it who could not sign in but for the code. A code is one of a million and
// three count at a time: 250 tries a day take years.
var perUserCodes = allowance{burst: 10, interval: 6 * time.Minute}

// codeBudget counts wrong codes. It is safe for concurrent use.
type codeBudget struct {
	mu    sync.Mutex
	whole map[int64]time.Time // when the user's allowance is whole again
}

func newCodeBudget() *codeBudget { return &codeBudget{whole: make(map[int64]time.Time)} }

// take counts a code before it is looked at, or refuses it with fault.Limited.
func (b *codeBudget) take(userID int64, now time.Time) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	wait := later(b.whole[userID], now).Sub(now) - time.Duration(perUserCodes.burst-1)*perUserCodes.interval
	if wait > 0 {
		return fault.Retry(fault.Limited, wait, "too many wrong codes; try again in %s", wait.Round(time.Second))
	}
	if len(b.whole) >= maxTracked {
		for id, at := range b.whole {
			if !at.After(now) {
				delete(b.whole, id)
			}
		}
	}
	b.whole[userID] = later(b.whole[userID], now).Add(perUserCodes.interval)
	return nil
}

// giveBack undoes a take whose code was right.
func (b *codeBudget) giveBack(userID int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.whole[userID] = b.whole[userID].Add(-perUserCodes.interval)
}
