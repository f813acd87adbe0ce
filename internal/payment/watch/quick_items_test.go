package watch_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/payment"
)

// TestWatcher_QuickReadFails: quick reads that cannot see the logs of one block keep no endpoint from what else it is
// asked for, and close no network for a moment.
func TestWatcher_QuickReadFails(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]http.HandlerFunc{
		"Error":    failed(-32603, "internal error"),
		"Internal": answered(http.StatusInternalServerError, "<html>odd</html>"),
		"Slow":     hangs,
	} {
		for endpoints := 1; endpoints <= 2; endpoints++ {
			t.Run(fmt.Sprintf("%s1Of%d", name, endpoints), func(t *testing.T) {
				t.Parallel()
				r := newRig(t, endpoints)
				var g atomic.Pointer[gateway]
				w := r.behind(1, &g)
				r.must(w.RunOnce(r.Context()))
				p := r.start()
				r.readChainFor(w, r.chain, 3*time.Second)
				block := r.chain.Head().Number + 2
				g.Store(&gateway{func(method string, params []json.RawMessage) bool {
					return r.chain.Head().Number >= block &&
						(asksForLogs(method, params, block) || asksUpToLatest(method, params, block))
				}, answer})
				for end := r.now().Add(20 * time.Second); r.now().Before(end); {
					r.readChainFor(w, r.chain, 100*time.Millisecond)
					if h := w.Health(); !h.OK {
						t.Fatalf("%s before the end: health %+v", end.Sub(r.now()), h)
					}
					if r.chain.Head().Number == block+1 {
						r.pay(p)
						r.chain.Mine(1)
					}
				}
				r.expect(p, payment.Completed, tenUSDC)
			})
		}
	}
}

// asksUpToLatest reports whether a call asks for logs up to the newest block, from the block or an earlier one on.
func asksUpToLatest(method string, params []json.RawMessage, block uint64) bool {
	var q struct{ FromBlock, ToBlock string }
	if method != "eth_getLogs" || json.Unmarshal(params[0], &q) != nil || q.ToBlock != "latest" {
		return false
	}
	from, _ := strconv.ParseUint(q.FromBlock, 0, 64)
	return from <= block
}
