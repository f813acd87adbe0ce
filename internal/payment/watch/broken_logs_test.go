package watch_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/payment"
)

// failingLogs is an endpoint that answers each query for the logs of a block with an error.
func failingLogs(message string) func(log map[string]any) chaintest.Faults {
	return func(log map[string]any) chaintest.Faults {
		return chaintest.Faults{Answer: func(method string, params []json.RawMessage) (any, bool) {
			var q struct{ FromBlock, ToBlock, BlockHash string }
			if method != "eth_getLogs" || json.Unmarshal(params[0], &q) != nil {
				return nil, false
			}
			number := func(text any) uint64 {
				n, _ := strconv.ParseUint(fmt.Sprint(text), 0, 64)
				return n
			}
			block := number(log["blockNumber"])
			return &chaintest.RPCError{Code: -32000, Message: message}, q.BlockHash == log["blockHash"] ||
				q.BlockHash == "" && number(q.FromBlock) <= block && block <= number(q.ToBlock)
		}}
	}
}

// spoiledLog is an endpoint that shows one log otherwise than it is.
func spoiledLog(key string, value any) func(log map[string]any) chaintest.Faults {
	return func(log map[string]any) chaintest.Faults {
		return chaintest.Faults{Alter: func(l map[string]any) {
			if l["transactionHash"] == log["transactionHash"] {
				l[key] = value
			}
		}}
	}
}

// TestWatcher_BrokenLogs: endpoints that cannot make the logs of one block, or spoil one log, or fail for them as
// gateways do, whatever they are asked for and for good, hold up nobody who is paid in another block. Who was paid in
// that one is read when they can.
func TestWatcher_BrokenLogs(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		bad, of int
		fault   func(log map[string]any) chaintest.Faults
		answer  http.HandlerFunc
	}{
		"Error":      {1, 1, failingLogs("failed to get logs for block"), nil},
		"ErrorOf3":   {2, 3, failingLogs("failed to get logs for block"), nil},
		"NotFound":   {1, 1, failingLogs("block not found"), nil},
		"OddFlagOf2": {1, 2, spoiledLog("removed", "no"), nil},
		"TooLarge":   {1, 1, nil, answered(http.StatusRequestEntityTooLarge, "")},
		"GatewayOf3": {2, 3, nil, answered(http.StatusBadGateway, "<html>odd</html>")},
		"TimeoutOf2": {1, 2, nil, answered(http.StatusGatewayTimeout, "<html>odd</html>")},
		"HTML":       {1, 1, nil, answered(http.StatusOK, "<html>odd</html>")},
		"Dropped":    {1, 1, nil, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }},
		"Slow":       {1, 1, nil, hangs},
		"SlowOf3":    {2, 3, nil, hangs},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, c.of)
			var g atomic.Pointer[gateway]
			w := r.behind(c.bad, &g)
			r.must(w.RunOnce(r.Context()))
			victim, other := r.start(), r.start()
			tx := r.pay(victim)
			r.chain.Mine(1)
			blocks := r.chain.Blocks()
			block := blocks[len(blocks)-1]
			for _, e := range r.endpoints[:c.bad] {
				if c.fault != nil {
					e.Set(c.fault(r.logOf(victim, block, tx, tenUSDC)))
				}
			}
			if c.answer != nil {
				g.Store(&gateway{func(method string, params []json.RawMessage) bool {
					return asksForLogs(method, params, block.Number)
				}, c.answer})
			}
			r.pay(other)
			r.chain.Mine(rigFinalDepth + 2)
			for range 12 {
				_ = w.RunOnce(r.Context())
				r.chain.Wait(3 * time.Second)
				r.chain.Mine(10) // an endpoint may lack what is new
			}
			r.expect(other, payment.Completed, tenUSDC)
			if h := w.Health(); !h.OK {
				t.Errorf("health %+v", h)
			}
			r.start() // which the network must still be offered for
			g.Store(nil)
			for _, e := range r.endpoints {
				e.Set(chaintest.Faults{})
			}
			r.retry(w)
			r.expect(victim, payment.Completed, tenUSDC)
			r.wantSetAside(0)
		})
	}
}
