package watch_test

import (
	"context"
	"log/slog"
	"math/big"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/backup"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/payment/watch"
)

// TestExpirer_SweptBeforeARestore: what one endpoint hides was found by the balance of its address, and swept. A
// restored database knows neither, and the address is empty: the payment completes all the same, also when it could not
// be stored at first that the address is to be read.
func TestExpirer_SweptBeforeARestore(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	full := &fullStore{Store: r.store, refusals: 1}
	r.expirer = watch.NewExpirer([]chain.Profile{r.profile}, map[chain.Network]chain.Reader{
		r.profile.Network: r.reader(),
	}, full, r.store.Settlement(), r.now, slog.New(slog.DiscardHandler))
	p := r.start()
	unpaid := r.start()
	r.endpoints[0].Set(hiding(false))
	r.pay(p)
	r.chain.Mine(1)
	route, _ := p.Route()
	asset, _ := r.profile.Asset(money.USDC)
	r.chain.Send(chaintest.Tx{To: string(asset.Contract), Logs: []chaintest.Log{chaintest.TransferLog(
		string(asset.Contract), string(route.Address.Address), rigWallet, big.NewInt(tenUSDC),
	)}})
	r.chain.Mine(rigFinalDepth + 1)
	r.pass(time.Second)
	_, err := r.store.Adopt(r.Context(), backup.Mark{}, r.now())
	r.must(err)
	r.watchFor(rigTTL)
	for range 4 {
		r.expire(1)
		r.settle()
	}
	r.expect(p, payment.Completed, tenUSDC)
	r.expect(unpaid, payment.Expired, 0)
	if full.refusals > 0 {
		t.Error("nothing was to be stored")
	}
}

// fullStore refuses to set payments aside a few times.
type fullStore struct {
	watch.Store
	refusals int
}

func (s *fullStore) SaveSetAside(ctx context.Context, a watch.SetAside) error {
	if s.refusals > 0 {
		s.refusals--
		return fault.New(fault.Unavailable, "the disk is full")
	}
	return s.Store.SaveSetAside(ctx, a)
}
