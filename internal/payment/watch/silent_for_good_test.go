package watch_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/payment"
)

// TestWatcher_SilentForGood: one endpoint leaves all money out and goes on doing so, whichever of them it is. The quick
// reads find out through another one, and the second reading through a quorum counts it.
func TestWatcher_SilentForGood(t *testing.T) {
	t.Parallel()
	for endpoints := 2; endpoints <= 3; endpoints++ {
		for silent := range endpoints {
			t.Run(fmt.Sprintf("%dOf%d", silent+1, endpoints), func(t *testing.T) {
				t.Parallel()
				r := newRig(t, endpoints)
				p := r.start()
				r.paced()
				r.readFor(2 * time.Second)
				r.endpoints[silent].Set(chaintest.Faults{Omit: func(map[string]any) bool { return true }})
				r.pay(p)
				r.readFor(1500 * time.Millisecond)
				q := r.start()
				r.pay(q) // a moment before the round that follows the first one
				r.readFor(45 * time.Second)
				r.expect(p, payment.Completed, tenUSDC)
				r.expect(q, payment.Completed, tenUSDC)
			})
		}
	}
}
