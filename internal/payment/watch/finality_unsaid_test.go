package watch_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/payment"
)

// TestWatcher_FinalUnsaid: where all endpoints but one stop saying what is final, health names them at once, and the
// one that is left completes small payments after a while.
func TestWatcher_FinalUnsaid(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]any{
		"Null": nil, "Error": &chaintest.RPCError{Code: -32000, Message: "internal error"},
		"BadParams": &chaintest.RPCError{Code: -32602, Message: "invalid params"},
	} {
		for endpoints := 2; endpoints <= 3; endpoints++ {
			t.Run(fmt.Sprintf("%sBy%d", name, endpoints), func(t *testing.T) {
				t.Parallel()
				r := newRig(t, endpoints)
				p := r.start()
				for _, e := range r.endpoints[:endpoints-1] {
					e.Set(chaintest.Faults{Answer: func(method string, params []json.RawMessage) (any, bool) {
						return answer, method == "eth_getBlockByNumber" && string(params[0]) == `"finalized"`
					}})
				}
				r.pay(p)
				r.chain.Mine(1)
				r.watch()
				for _, e := range r.endpoints[:endpoints-1] {
					want := e.Name() + ": does not say which block is finalized"
					if h := r.watcher.Health(); !strings.Contains(h.Unread, want) {
						t.Errorf("health %+v, want %s", h, want)
					}
				}
				alone := r.now().Add(chain.AloneAfter + chain.AloneDepth)
				for r.now().Before(alone.Add(2 * time.Minute)) {
					if r.now().Before(alone) {
						r.expect(p, payment.Started, 0)
					}
					r.chain.Wait(20 * time.Second)
					r.chain.Mine(1)
					r.watch()
				}
				r.expect(p, payment.Completed, tenUSDC)
			})
		}
	}
}
