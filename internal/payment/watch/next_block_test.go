package watch_test

import (
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/payment/watch"
)

// expectQuickRead is at least as long as the watcher rests between two quick reads at blocks that are pushed.
const expectQuickRead = 250 * time.Millisecond

// pushing is a subscription under a test's control.
type pushing struct {
	watched *chain.WatchSet
	live    bool
}

// follow gives the watcher a subscription.
func (r *rig) follow() *pushing {
	p := &pushing{live: true}
	r.watcher.Follow(watch.Feed{
		Watch: func(set *chain.WatchSet) { p.watched = set },
		Live:  func(set *chain.WatchSet) bool { return p.live && set == p.watched },
	})
	return p
}

func TestWatcher_NextBlock(t *testing.T) {
	t.Parallel()
	t.Run("PushedMoneyIsSeenAtOnce", func(t *testing.T) {
		t.Parallel()
		r := newRig(t, 1)
		r.paced()
		feed := r.follow()
		r.readFor(time.Minute)
		if feed.watched != nil {
			t.Errorf("%d addresses are subscribed to while nothing is awaited", feed.watched.Len())
		}
		p := r.start()
		r.readFor(10 * time.Second)
		if feed.watched.Len() != 1 {
			t.Fatal("the payment's address is not subscribed to")
		}
		r.pay(p)
		r.chain.Mine(1)
		r.watcher.Pushed()
		r.watcher.ReadDue(t.Context())
		if got := r.get(p); len(got.Deposits) != 1 {
			t.Error("what was pushed is not seen in the next step")
		}
	})
	t.Run("WhileItIsLiveFewQuickReads", func(t *testing.T) {
		t.Parallel()
		for live, most := range map[bool]int{true: 12, false: 40} {
			r := newRig(t, 1)
			reader := r.paced()
			r.follow().live = live
			r.start()
			r.readFor(30 * time.Second)
			if reader.quickReads > most || !live && reader.quickReads < 25 {
				t.Errorf("live %v: %d quick reads in half a minute", live, reader.quickReads)
			}
		}
	})
	t.Run("PushedBlocksMayBeFinal", func(t *testing.T) {
		t.Parallel()
		r := newRig(t, 1)
		reader := r.paced()
		r.follow()
		p := r.start()
		r.readFor(10 * time.Second)
		r.pay(p)
		r.chain.Mine(1)
		r.watcher.Pushed()
		r.readFor(time.Second)
		r.chain.Mine(rigFinalDepth + 1)
		r.readFor(expectQuickRead)
		r.watcher.Headed()
		r.watcher.ReadDue(t.Context())
		r.expect(p, payment.Completed, tenUSDC)
		before := reader.quickReads
		r.watcher.Headed()
		r.watcher.ReadDue(t.Context())
		if reader.quickReads > before {
			t.Error("a block is looked at while nothing waits for finality")
		}
	})
	t.Run("MoneyThatIsNotPushedIsSeen", func(t *testing.T) {
		t.Parallel()
		r := newRig(t, 1)
		r.paced()
		r.follow()
		p := r.start()
		r.readFor(10 * time.Second)
		r.pay(p)
		r.readFor(5 * time.Second)
		if got := r.get(p); len(got.Deposits) != 1 {
			t.Error("a subscription hides money")
		}
	})
	t.Run("MoneyThatIsPushedBeforeItCanBeReadIsSeenSoon", func(t *testing.T) {
		t.Parallel()
		r := newRig(t, 1)
		r.paced()
		r.follow()
		for range 6 { // more often than a subscription may invent money
			p := r.start()
			r.readFor(10 * time.Second)
			r.watcher.Pushed()
			r.watcher.ReadDue(t.Context())
			r.pay(p)
			r.chain.Mine(1)
			r.pass(-time.Second) // of the block
			for range 4 {
				r.pass(max(r.watcher.ReadDue(t.Context()), time.Millisecond))
			}
			if got := r.get(p); len(got.Deposits) != 1 {
				t.Fatal("what was pushed a moment too early is not seen soon")
			}
			r.readFor(10 * time.Second)
		}
	})
	t.Run("InventedMoneyCostsLittle", func(t *testing.T) {
		t.Parallel()
		r := newRig(t, 1)
		reader := r.paced()
		r.follow()
		p := r.start()
		r.readFor(10 * time.Second)
		rounds := reader.rounds
		for end := r.now().Add(10 * time.Second); r.now().Before(end); {
			r.watcher.Pushed()
			r.readFor(20 * time.Millisecond)
		}
		if made := reader.rounds - rounds; made > 16 {
			t.Errorf("%d rounds in ten seconds of pushes", made)
		}
		r.pay(p)
		r.readFor(4 * time.Second)
		if got := r.get(p); len(got.Deposits) != 1 {
			t.Error("invented money hides money")
		}
	})
}
