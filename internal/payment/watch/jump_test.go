package watch_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/payment"
)

// inventsNewest are the faults of an endpoint that shows a newest block of the far future.
func inventsNewest() chaintest.Faults {
	return chaintest.Faults{Answer: func(method string, params []json.RawMessage) (any, bool) {
		switch {
		case method == "eth_blockNumber":
			return "0xf4240", true
		case method == "eth_getBlockByNumber" && string(params[0]) == `"latest"`:
			return map[string]any{
				"number": "0xf4240", "hash": "0x" + strings.Repeat("fe", 32), "timestamp": "0x6f000000",
			}, true
		case method == "eth_getLogs" && strings.Contains(string(params[0]), `"toBlock":"0xf`):
			return "no such block", true
		}
		return nil, false
	}}
}

// TestWatcher_NewestInvented: one endpoint shows a newest block of the far future that no other has. The network goes
// on: it is offered, its timers run, and money is credited when it is final.
func TestWatcher_NewestInvented(t *testing.T) {
	t.Parallel()
	for _, others := range []int{1, 2} {
		r := newRig(t, others+1)
		r.endpoints[0].Set(inventsNewest())
		p := r.start()
		r.pay(p)
		r.chain.Mine(1)
		_ = r.watcher.RunOnce(t.Context())
		if h := r.watcher.Health(); !h.OK || h.Stalled || h.FinalAge > time.Minute {
			t.Errorf("beside %d honest endpoints: %+v", others, h)
		}
		r.start()
		r.chain.Mine(rigFinalDepth)
		_ = r.watcher.RunOnce(t.Context())
		r.expect(p, payment.Completed, tenUSDC)
		r.endpoints[0].Set(chaintest.Faults{})
		r.chain.Mine(1)
		r.watch()
		if h := r.watcher.Health(); !h.OK || h.Unread != "" {
			t.Errorf("after it: %+v", h)
		}
	}
}

// While the newest block may be invented, nothing is looked for behind it: a payment is credited as soon as usual.
func TestWatcher_ReadDue_NewestInvented(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2)
	r.paced()
	r.readFor(time.Minute)
	r.endpoints[0].Set(inventsNewest())
	p := r.start()
	r.readFor(20 * time.Second)
	r.pay(p)
	r.readFor((rigFinalDepth + 3) * time.Second)
	r.expect(p, payment.Completed, tenUSDC)
}
