package watch_test

import (
	"testing"

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
