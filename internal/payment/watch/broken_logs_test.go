package watch_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/payment"
)

// failingLogs is an endpoint that answers each query for the logs of a block with an error.
func failingLogs(code int, message string) func(log map[string]any) chaintest.Faults {
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
			return &chaintest.RPCError{Code: code, Message: message}, q.BlockHash == log["blockHash"] ||
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

// TestWatcher_BrokenLogs: endpoints that cannot make the logs of one block, or spoil one log, whatever they are asked
// for and for good, hold up nobody who is paid in another block. Who was paid in that one is read when they can.
func TestWatcher_BrokenLogs(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]func(log map[string]any) chaintest.Faults{
		"Error":     failingLogs(-32000, "failed to get logs for block"),
		"NotFound":  failingLogs(-32000, "block not found"),
		"Internal":  failingLogs(-32603, "internal error"),
		"Timeout":   failingLogs(-32000, "query timeout exceeded"),
		"NoData":    spoiledLog("data", nil),
		"NoTopics":  spoiledLog("topics", nil),
		"OneTopic":  spoiledLog("topics", []string{"0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"}),
		"OddFlag":   spoiledLog("removed", "no"),
		"NoAddress": spoiledLog("address", nil),
		"OtherData": spoiledLog("data", "0x"+strings.Repeat("1", 63)),
	} {
		for endpoints, bad := range map[int]int{1: 1, 2: 1, 3: 2} {
			t.Run(fmt.Sprintf("%s%dOf%d", name, bad, endpoints), func(t *testing.T) {
				t.Parallel()
				r := newRig(t, endpoints)
				victim, other := r.start(), r.start()
				tx := r.pay(victim)
				r.chain.Mine(1)
				blocks := r.chain.Blocks()
				for _, e := range r.endpoints[:bad] {
					e.Set(fault(r.logOf(victim, blocks[len(blocks)-1], tx, tenUSDC)))
				}
				r.pay(other)
				r.chain.Mine(rigFinalDepth + 2)
				for range 10 {
					_ = r.watcher.RunOnce(r.Context())
					r.chain.Mine(10) // an endpoint may lack what is new
				}
				r.expect(other, payment.Completed, tenUSDC)
				if h := r.watcher.Health(); !h.OK {
					t.Errorf("health %+v", h)
				}
				r.start() // which the network must still be offered for
				for _, e := range r.endpoints {
					e.Set(chaintest.Faults{})
				}
				r.retry(r.watcher)
				r.expect(victim, payment.Completed, tenUSDC)
				r.wantSetAside(0)
			})
		}
	}
}
