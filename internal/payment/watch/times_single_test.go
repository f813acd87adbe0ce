package watch_test

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/payment"
)

// TestWatcher_WrongTimesOfOne: the only node names other times for a while, in which a payment is paid. What was kept
// of that does not outlive it: the money counts soon after, with its time.
func TestWatcher_WrongTimesOfOne(t *testing.T) {
	t.Parallel()
	for name, lie := range map[string]struct {
		by    time.Duration
		lasts int // seconds: what is final meanwhile counts as it is named, unless the network counts as stopped
	}{
		"LongAgo": {-56 * 365 * 24 * time.Hour, 50}, "Before": {-30 * time.Second, 20}, "Ahead": {30 * time.Second, 20},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var by atomic.Int64
			r := newLedgerRigOn(t, func(url string) []string {
				return []string{mistimed(t, url, func() time.Duration { return time.Duration(by.Load()) })}
			})
			p := r.start()
			r.watch()
			by.Store(int64(lie.by))
			r.pay(p)
			for range lie.lasts {
				r.must(r.ledger.Seal(1))
				r.rig.pass(time.Second)
				_ = r.watcher.RunOnce(t.Context()) // it may say that the newest block is old
			}
			by.Store(0)
			r.lasts(2*time.Minute, time.Second)
			r.wantTime(r.expect(p, payment.Completed, tenUSDC))
			if open, err := r.store.SetAsides(t.Context(), chain.Solana); err != nil || len(open) > 0 {
				t.Errorf("%v is read again, %v", open, err)
			}
		})
	}
}
