package watch_test

import (
	"encoding/json"
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
	for name, c := range map[string]struct {
		bad, of int
		answer  http.HandlerFunc
	}{
		"Error":    {1, 1, failed(-32603, "internal error")},
		"ErrorOf3": {2, 3, failed(-32603, "internal error")},
		"NullOf2":  {1, 2, answered(http.StatusOK, `{"jsonrpc":"2.0","id":0,"result":null}`)},
		"NullOf3":  {2, 3, answered(http.StatusOK, `{"jsonrpc":"2.0","id":0,"result":null}`)},
		"Slow":     {1, 1, hangs},
		"SlowOf2":  {1, 2, hangs},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, c.of)
			var g atomic.Pointer[gateway]
			w := r.behind(c.bad, &g)
			r.must(w.RunOnce(r.Context()))
			block := r.chain.Head().Number + 3
			g.Store(&gateway{func(method string, params []json.RawMessage) bool {
				return method == "eth_getBlockByNumber" && string(params[0]) == `"`+hexNumber(block)+`"`
			}, c.answer})
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
