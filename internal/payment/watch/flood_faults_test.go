package watch_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/payment/watch"
)

// TestWatcher_FloodSingle: where one endpoint is all there is, one wrong answer about a flooded payment is not
// believed: transfers that no block has, or that are in another place of their block.
func TestWatcher_FloodSingle(t *testing.T) {
	t.Parallel()
	t.Run("Invents", func(t *testing.T) {
		t.Parallel()
		r, p, _ := flooded(t, 1)
		r.chain.Mine(1)
		in := chaintest.Mined{Head: r.chain.Head()}
		r.chain.Mine(rigFinalDepth + 1)
		wrong := r.inventedWith(p, p, in, 1_100)
		wrong.PhantomReceipts = nil
		r.endpoints[0].Set(wrong)
		r.must(r.watcher.RunOnce(t.Context()))
		r.endpoints[0].Set(chaintest.Faults{})
		r.readFor(6 * time.Minute)
		r.expect(p, payment.Started, 18)
	})
	t.Run("OtherIndex", func(t *testing.T) {
		t.Parallel()
		r, p, _ := flooded(t, 1)
		r.speck(p, 1, 5_000)
		r.chain.Mine(rigFinalDepth + 2)
		r.must(r.watcher.RunOnce(t.Context()))
		r.endpoints[0].Set(chaintest.Faults{Alter: func(log map[string]any) { log["logIndex"] = "0x7" }})
		r.readFor(6 * time.Minute)
		r.expect(p, payment.Started, 18+5_000)
	})
}

// TestWatcher_FloodUnread: the receipt of a small transfer cannot be read that is to be placed, beside another that is.
// Both are folded in the end.
func TestWatcher_FloodUnread(t *testing.T) {
	t.Parallel()
	for endpoints := 1; endpoints <= 2; endpoints++ {
		t.Run(strconv.Itoa(endpoints), func(t *testing.T) {
			t.Parallel()
			r, p, _ := flooded(t, endpoints)
			r.paced() // another process, which knows of no flood
			r.readFor(time.Second)
			contract := r.contract("USDC")
			tx := r.chain.Send(chaintest.Tx{
				To: contract, Logs: []chaintest.Log{r.transferTo(r.routeOf(p), 5_000)},
			})
			r.speck(p, 1, 6_000)
			r.chain.Mine(1)
			r.unreadable(tx)
			for n := r.chain.Head().Number; r.cursor().Second.Number < n; {
				r.readFor(5 * time.Second)
			}
			for _, e := range r.endpoints {
				e.Set(chaintest.Faults{})
			}
			r.readFor(20 * time.Minute)
			r.expect(p, payment.Started, 18+11_000)
			r.wantSetAside(0)
		})
	}
}

// unreadable has no endpoint show the receipt of the transaction, or the logs of a block.
func (r *rig) unreadable(tx string) {
	for _, e := range r.endpoints {
		e.Set(chaintest.Faults{Answer: func(method string, params []json.RawMessage) (any, bool) {
			receipt := method == "eth_getTransactionReceipt" && strings.Contains(string(params[0]), tx[2:])
			block := method == "eth_getLogs" && strings.Contains(string(params[0]), "blockHash")
			return &chaintest.RPCError{Code: -32000, Message: "response too large"}, receipt || block
		}})
	}
}

// TestWatcher_FloodRepaired: one endpoint leaves one of very many small transfers out. The payment is read again by
// ranges that slow endpoints can answer for.
func TestWatcher_FloodRepaired(t *testing.T) {
	t.Parallel()
	const blocks, each = 200, 2
	r, p, _ := flooded(t, 2)
	slow := chaintest.Faults{SlowBatch: 15 * time.Millisecond}
	hides := slow
	hides.Omit = func(log map[string]any) bool {
		data, _ := log["data"].(string)
		return strings.HasSuffix(data, fmt.Sprintf("%x", 5_000))
	}
	r.endpoints[0].Set(slow)
	r.endpoints[1].Set(hides)
	r.speck(p, 1, 5_000)
	for range blocks {
		for range each {
			r.speck(p, 1, 1)
		}
		r.chain.Mine(1)
		r.pass(-time.Second)
	}
	r.readFor(2 * time.Minute)
	r.endpoints[1].Set(slow)
	r.readFor(18 * time.Minute)
	r.wantSetAside(0)
	r.expect(p, payment.Started, 18+5_000+blocks*each)
}

// TestWatcher_FloodLong: what all endpoints left out of a fold is found when the payment is read again, also where the
// fold holds more blocks than one reading usually does.
func TestWatcher_FloodLong(t *testing.T) {
	t.Parallel()
	for endpoints := 1; endpoints <= 2; endpoints++ {
		t.Run(strconv.Itoa(endpoints), func(t *testing.T) {
			t.Parallel()
			r, p, _ := flooded(t, endpoints)
			for _, e := range r.endpoints {
				e.Set(chaintest.Faults{Omit: func(log map[string]any) bool {
					data, _ := log["data"].(string)
					return strings.HasSuffix(data, fmt.Sprintf("%x", 5_000))
				}})
			}
			r.speck(p, 1, 5_000)
			r.readFor(5 * time.Minute)
			for _, e := range r.endpoints {
				e.Set(chaintest.Faults{})
			}
			for range 5 {
				r.speck(p, 1, 1)
				r.chain.SetBlockTime(200 * time.Millisecond)
				r.chain.Mine(500)
				r.chain.SetBlockTime(time.Second)
				r.readFor(2 * time.Minute)
			}
			r.readFor(3 * time.Minute)
			r.expect(p, payment.Started, 18+5)
			r.must(watch.Repair(t.Context(), r.store, r.profile.Network, p.ID, 1, watch.ErrDiffers, r.now()))
			r.readFor(time.Minute)
			r.expect(p, payment.Started, 18+5+5_000)
			r.wantSetAside(0)
		})
	}
}
