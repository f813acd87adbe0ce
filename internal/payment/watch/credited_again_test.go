package watch_test

import (
	"maps"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/payment"
)

// TestWatcher_CreditedShownAgain: one endpoint of two shows money that was credited before its block is finalized once
// more, in a new block and perhaps less. It stays credited.
func TestWatcher_CreditedShownAgain(t *testing.T) {
	t.Parallel()
	for name, units := range map[string]int64{"Less": tenUSDC - 1, "AsMuch": tenUSDC} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, 2, func(p *chain.Profile) { p.Finality = chain.Finality{Depth: time.Second} })
			p, other := r.start(), r.start()
			tx := r.pay(p)
			r.chain.Mine(2)
			r.watch()
			r.expect(p, payment.Completed, tenUSDC)
			r.send(other, "USDC", 1)
			r.chain.Mine(1)
			again := r.logOf(p, chaintest.Mined{Head: r.chain.Head()}, tx, units)
			r.endpoints[0].Set(chaintest.Faults{
				Alter: func(log map[string]any) {
					if log["blockHash"] == again["blockHash"] {
						maps.Copy(log, again)
					}
				},
				PhantomReceipts: map[string]map[string]any{tx: receiptOf(again)},
			})
			r.watch()
			r.endpoints[0].Set(chaintest.Faults{})
			r.expect(p, payment.Completed, tenUSDC)
			r.chain.Mine(rigFinalDepth + 1)
			r.watch()
			if p = r.expect(p, payment.Completed, tenUSDC); p.Reorged {
				t.Error("it counts as taken back for a while")
			}
		})
	}
}
