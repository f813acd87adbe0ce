package evm_test

import (
	"testing"

	"github.com/florinpay/florin/internal/chain"
)

// TestSweeps_WrongCount: a sweep is made although the first of three endpoints names another count of the gas wallet's
// transactions.
func TestSweeps_WrongCount(t *testing.T) {
	t.Parallel()
	for name, count := range map[string]string{"High": `"0x3e8"`, "Low": `"0x0"`} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g, items := toSweep(t, chain.Polygon)
			liar := newProxy(t, g.chain.URL())
			liar.set("eth_getTransactionCount", always(count))
			s, _ := g.through(liar.URL, newProxy(t, g.chain.URL()).URL, newProxy(t, g.chain.URL()).URL)
			a := g.mustSign(s, items)
			_ = s.Broadcast(t.Context(), a)
			g.Mine(1)
			g.Finalize()
			g.mustTrack(s, chain.TxFinal, items, a)
		})
	}
}
