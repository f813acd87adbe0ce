package identity

import (
	"sync"
	"time"

	"github.com/florinpay/florin/internal/fault"
)

// perUserCodes limits wrong codes of a second factor for a user, over all client
// addresses: ten, and one more every six minutes. A code is asked for after the
// password, so only a client that has the password can use the limit up. A code
// is one of a million and three are valid at a time: at 250 tries a day, guessing
// takes years.
var perUserCodes = allowance{burst: 10, interval: 6 * time.Minute}

// codeBudget counts wrong codes. It is safe for concurrent use.
type codeBudget struct {
	mu    sync.Mutex
	whole map[int64]time.Time // when the full allowance of the user is restored
}

func newCodeBudget() *codeBudget { return &codeBudget{whole: make(map[int64]time.Time)} }

// take counts a code before it is checked, or refuses it with fault.Limited.
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

// giveBack undoes a take after a correct code.
func (b *codeBudget) giveBack(userID int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.whole[userID] = b.whole[userID].Add(-perUserCodes.interval)
}
