package watch_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/payment"
)

// TestWatcher_EndOfRange: a network that was not read for long is read in ranges. Where endpoints fail for good for the
// header of the block that one range would end at, the range ends after it, and reading goes on, through one voice and
// through a second.
func TestWatcher_EndOfRange(t *testing.T) {
	t.Parallel()
	for _, of := range []struct{ endpoints, bad int }{{1, 1}, {2, 1}, {3, 2}} {
		r := newRig(t, of.endpoints)
		p := r.start()
		from := r.cursor().Scanned.Number
		r.pay(p)
		r.chain.Mine(5_000)
		end := fmt.Sprintf(`"0x%x"`, from+2_000)
		for _, e := range r.endpoints[:of.bad] {
			e.Set(chaintest.Faults{Answer: func(method string, params []json.RawMessage) (any, bool) {
				bad := method == "eth_getBlockByNumber" && string(params[0]) == end
				return &chaintest.RPCError{Code: -32000, Message: "internal error"}, bad
			}})
		}
		for range 200 {
			_ = r.watcher.RunOnce(t.Context())
			r.pass(5 * time.Second)
			r.catchUp()
		}
		c, final := r.cursor(), r.chain.Head().Number-100
		if c.Scanned.Number < final || c.Second.Number < final {
			t.Errorf("%d of %d endpoints fail for block %d: read up to %d, a second time up to %d, health %+v",
				of.bad, of.endpoints, from+2_000, c.Scanned.Number, c.Second.Number, r.watcher.Health())
		}
		r.expect(p, payment.Completed, tenUSDC)
	}
}
