package watch_test

import (
	"context"
	"log/slog"
	"math/big"
	"sync/atomic"
	"testing"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/payment/watch"
)

// countedConfirm counts the second opinions asked for.
type countedConfirm struct {
	chain.Reader
	asked *atomic.Int64
}

func (c countedConfirm) Judge(ctx context.Context, t []chain.Transfer, at chain.Head) ([]chain.Verdict, error) {
	c.asked.Add(1)
	return c.Reader.Judge(ctx, t, at)
}

// TestWatcher_DustFlood: a thousand specks in one transaction cost one second
// opinion, and the payment completes with the real money behind them.
func TestWatcher_DustFlood(t *testing.T) {
	t.Parallel()
	const specks = 1_000
	r := newRig(t, 2)
	p := r.start()
	var asked atomic.Int64
	w := watch.NewWatcher(
		r.profile, countedConfirm{r.reader(), &asked}, r.store, "one", r.now, slog.New(slog.DiscardHandler),
	)
	r.must(w.RunOnce(t.Context()))

	route, _ := p.Route()
	asset, _ := r.profile.Asset(money.USDC)
	logs := make([]chaintest.Log, specks)
	for i := range logs {
		logs[i] = chaintest.TransferLog(string(asset.Contract), "0x00000000000000000000000000000000000000f1", string(route.Address.Address), big.NewInt(1))
	}
	r.chain.Send(chaintest.Tx{To: string(asset.Contract), Logs: logs})
	r.pay(p)
	r.chain.Mine(rigFinalDepth + 2)
	r.must(w.RunOnce(t.Context()))

	r.expect(p, payment.Completed, tenUSDC+specks)
	if n := asked.Load(); n > 4 {
		t.Errorf("%d second opinions for two transactions", n)
	}
}
