package watch_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/payment"
)

// TestWatcher_ShownCounts: money that was shown counts once a quorum says that it stands, although its blocks cannot be
// read through as many: an endpoint fails for the logs of its block for good.
func TestWatcher_ShownCounts(t *testing.T) {
	t.Parallel()
	for endpoints, bad := range map[int]int{2: 1, 3: 2} {
		t.Run(fmt.Sprintf("%dOf%d", bad, endpoints), func(t *testing.T) {
			t.Parallel()
			r := newRig(t, endpoints)
			p := r.start()
			r.pay(p)
			r.chain.Mine(1)
			number := r.chain.Head().Number
			for _, e := range r.endpoints[:bad] {
				e.Set(chaintest.Faults{Answer: func(method string, params []json.RawMessage) (any, bool) {
					return &chaintest.RPCError{Code: -32000, Message: "odd"}, asksForLogs(method, params, number)
				}})
			}
			r.mined(60)
			r.expect(p, payment.Completed, tenUSDC)
			r.wantSetAside(1) // what else these endpoints would show is not known
			for _, e := range r.endpoints {
				e.Set(chaintest.Faults{})
			}
			r.watchFor(5 * time.Minute)
			r.wantSetAside(0)
			r.expect(p, payment.Completed, tenUSDC)
		})
	}
}

// asksForLogs reports whether a call asks for logs of the block among others.
func asksForLogs(method string, params []json.RawMessage, block uint64) bool {
	var q struct{ FromBlock, ToBlock string }
	if method != "eth_getLogs" || json.Unmarshal(params[0], &q) != nil {
		return false
	}
	from, _ := strconv.ParseUint(q.FromBlock, 0, 64)
	to, _ := strconv.ParseUint(q.ToBlock, 0, 64)
	return from <= block && block <= to
}

// TestWatcher_ShownToOneLeft: the same where one of two endpoints falls silent while the money is being judged.
func TestWatcher_ShownToOneLeft(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	r.watchFor(time.Minute)
	p := r.start()
	r.pay(p)
	r.chain.Mine(1)
	r.endpoints[1].Set(chaintest.Faults{Reject: map[string]*chaintest.RPCError{
		"eth_getTransactionReceipt": {Code: -32000, Message: "odd"}, "eth_getLogs": {Code: -32000, Message: "odd"},
	}})
	r.mined(rigFinalDepth + 1)
	r.wantSetAside(1)
	r.endpoints[1].Set(chaintest.Faults{Status: 500})
	for end := r.now().Add(chain.AloneAfter + chain.AloneDepth + 20*time.Minute); r.now().Before(end); {
		r.chain.Wait(30 * time.Second)
		r.chain.Mine(1)
		_ = r.watcher.RunOnce(t.Context()) // what is final is not known at first
	}
	q := r.start()
	r.pay(q)
	r.watchFor(chain.AloneDepth + time.Minute)
	r.expect(q, payment.Completed, tenUSDC)
	r.expect(p, payment.Completed, tenUSDC)
}
