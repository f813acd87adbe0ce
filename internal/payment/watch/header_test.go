package watch_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/payment"
)

// TestWatcher_HeaderFails: endpoints that cannot show the header of one block, which becomes the final one, for good,
// close the network for one round at most, and hold up nobody who is paid in another block.
func TestWatcher_HeaderFails(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]http.HandlerFunc{
		"Error": answered(http.StatusOK, `{"jsonrpc":"2.0","id":0,"error":{"code":-32603,"message":"internal error"}}`),
		"Null":  answered(http.StatusOK, `{"jsonrpc":"2.0","id":0,"result":null}`),
		"Slow":  func(_ http.ResponseWriter, q *http.Request) { <-q.Context().Done() },
	} {
		for endpoints, bad := range map[int]int{1: 1, 2: 1, 3: 2} {
			t.Run(fmt.Sprintf("%s%dOf%d", name, bad, endpoints), func(t *testing.T) {
				t.Parallel()
				r := newRig(t, endpoints)
				var g atomic.Pointer[gateway]
				w := r.behind(bad, &g)
				r.must(w.RunOnce(r.Context()))
				block := r.chain.Head().Number + 3
				g.Store(&gateway{func(method string, params []json.RawMessage) bool {
					return method == "eth_getBlockByNumber" && string(params[0]) == `"`+hexNumber(block)+`"`
				}, answer})
				closed, paid := 0, make(map[uint64]payment.Payment)
				for range 12 {
					p := r.start()
					r.pay(p)
					r.chain.Mine(1)
					paid[r.chain.Head().Number] = p
					if _ = w.RunOnce(r.Context()); !w.Health().OK {
						if closed++; closed > 1 {
							t.Fatalf("at block %d: health %+v", r.chain.Head().Number, w.Health())
						}
					}
				}
				r.chain.Wait(5 * time.Second)
				for range rigFinalDepth + 2 {
					r.chain.Mine(1)
					_ = w.RunOnce(r.Context())
				}
				delete(paid, block)
				for _, p := range paid {
					r.expect(p, payment.Completed, tenUSDC)
				}
			})
		}
	}
}
