package watch_test

import (
	"math/big"
	"strconv"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/payment"
)

// TestWatcher_ReceiptLacksALog: a receipt that lacks a log before that of the payment for a while makes no second
// deposit of one transfer.
func TestWatcher_ReceiptLacksALog(t *testing.T) {
	t.Parallel()
	for endpoints := 1; endpoints <= 3; endpoints++ {
		t.Run(strconv.Itoa(endpoints), func(t *testing.T) {
			t.Parallel()
			r := newRig(t, endpoints)
			p := r.start()
			route, _ := p.Route()
			noise := chaintest.Log{Address: "0x00000000000000000000000000000000000000aa", Topics: []string{}, Data: "0x"}
			paid := chaintest.TransferLog(r.contract("USDC"), "0x00000000000000000000000000000000000000f1",
				string(route.Address.Address), big.NewInt(tenUSDC))
			tx := r.chain.Send(chaintest.Tx{To: r.contract("USDC"), Logs: []chaintest.Log{noise, paid}})
			r.chain.Mine(1)
			blocks := r.chain.Blocks()
			log := with(r.logOf(p, blocks[len(blocks)-1], tx, tenUSDC), "logIndex", "0x1")
			r.endpoints[0].Set(answering(log, receiptOf(log)))
			r.mined(rigFinalDepth + 2)
			r.endpoints[0].Set(chaintest.Faults{})
			r.watchFor(20 * time.Minute)
			r.expect(p, payment.Completed, tenUSDC)
		})
	}
}
