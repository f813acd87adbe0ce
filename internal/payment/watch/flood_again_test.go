package watch_test

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/payment/watch"
)

// TestWatcher_FloodShownAgain: one endpoint of two shows a small transfer that is folded already once more, larger and
// in a new block: the one that the folded deposit is named after, or another. All of them count once, also when they
// are read again.
func TestWatcher_FloodShownAgain(t *testing.T) {
	t.Parallel()
	for name, named := range map[string]bool{"Named": true, "Another": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const units, all = 5_000, payment.FoldFrom + 4
			r := newRig(t, 2)
			p, other := r.start(), r.start()
			r.paced()
			var sent []chain.TxHash
			for range all {
				sent = append(sent, chain.TxHash(r.chain.Send(chaintest.Tx{
					To: r.contract("USDC"), Logs: []chaintest.Log{r.transferTo(r.routeOf(p), units)},
				})))
			}
			r.readFor(5 * time.Minute)
			p = r.expect(p, payment.Started, all*units)
			folded := p.Deposits[slices.IndexFunc(p.Deposits, payment.Deposit.Folded)]
			tx := folded.Transfer.Tx
			if !named {
				tx = sent[slices.IndexFunc(sent, func(tx chain.TxHash) bool {
					return !slices.ContainsFunc(p.Deposits, func(d payment.Deposit) bool { return d.Transfer.Tx == tx })
				})]
			}
			r.speck(other, 1, 1)
			r.chain.Mine(1)
			again := r.logOf(p, chaintest.Mined{Head: r.chain.Head()}, string(tx), int64(money.USD))
			r.endpoints[0].Set(chaintest.Faults{
				Alter:           func(log map[string]any) { maps.Copy(log, again) },
				PhantomReceipts: map[string]map[string]any{string(tx): receiptOf(again)},
			})
			r.must(r.watcher.RunOnce(t.Context()))
			r.endpoints[0].Set(chaintest.Faults{})
			r.expect(p, payment.Started, all*units)
			for range 2 {
				r.must(watch.Repair(t.Context(), r.store, r.profile.Network, p.ID, folded.Transfer.Block.Number,
					watch.ErrDiffers, r.now()))
				r.readFor(5 * time.Minute)
				r.expect(p, payment.Started, all*units)
			}
			r.wantSetAside(0)
		})
	}
}
