package watch_test

import (
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/payment"
)

// TestWatcher_FirstBlockReplaced: the block a network was first read at counts
// by a rule that is weaker than the chain's own finality, and is replaced soon
// after. That is no other chain, and the network goes on by itself.
func TestWatcher_FirstBlockReplaced(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1, func(p *chain.Profile) { p.Finality = chain.Finality{Tag: chain.TagSafe} })
	if c := r.cursor(); c.Rechecked.Number >= c.Scanned.Number {
		t.Fatalf("of the first read, block %d is taken for finalized, and %d was read", c.Rechecked.Number, c.Scanned.Number)
	}
	r.chain.Drop(2, true)
	r.chain.Mine(3)
	r.watch()
	p := r.start()
	r.pay(p)
	r.chain.Mine(rigFinalDepth + 1)
	r.watch()
	r.expect(p, payment.Completed, tenUSDC)
}

// TestWatcher_FirstBlockWithoutTime: a chain is first read at its first block, which has no time. Health takes that for
// no half a century in which blocks were read once only.
func TestWatcher_FirstBlockWithoutTime(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1)
	r.start()
	r.watch()
	c := r.cursor()
	c.Second = chain.Head{Hash: "0x00", Time: time.Unix(0, 0)}
	r.must(r.store.SaveCursor(t.Context(), r.profile.Network, c))
	r.watch()
	if h := r.watcher.Health(); !h.OK || h.Unread != "" {
		t.Errorf("health is %+v", h)
	}
}
