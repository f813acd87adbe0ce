package watch_test

import (
	"math/big"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/backup"
	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
)

// TestExpirer_SweptBeforeARestore: what one endpoint hides was found by the balance of its address, and swept. A
// restored database knows neither, and the address is empty: the payment completes all the same.
func TestExpirer_SweptBeforeARestore(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
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
	for range 3 {
		r.expire(1)
		r.settle()
	}
	r.expect(p, payment.Completed, tenUSDC)
	r.expect(unpaid, payment.Expired, 0)
}
