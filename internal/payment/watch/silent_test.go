package watch_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/payment"
)

// TestWatcher_Silent: money that one endpoint leaves out of final blocks is read soon after, through another one or
// through the same, whichever of them it is, also if the program is started again meanwhile, and if it is late money.
func TestWatcher_Silent(t *testing.T) {
	t.Parallel()
	const silence = 8 * time.Second
	for endpoints := 1; endpoints <= 3; endpoints++ {
		for silent := range endpoints {
			for name, row := range map[string]struct {
				late, restarted bool
				within          time.Duration
			}{
				"Open":      {false, false, time.Minute},
				"Restarted": {false, true, time.Minute},
				"Late":      {true, false, 5 * time.Minute},
			} {
				t.Run(fmt.Sprintf("%dOf%d%s", silent+1, endpoints, name), func(t *testing.T) {
					t.Parallel()
					r := newRig(t, endpoints)
					p := r.start()
					if row.late {
						_, err := r.service.Cancel(t.Context(), string(p.ID), audit.Act{})
						r.must(err)
					}
					r.paced()
					r.readFor(2 * time.Second)
					r.endpoints[silent].Set(chaintest.Faults{Omit: func(map[string]any) bool { return true }})
					r.pay(p)
					r.readFor(silence)
					r.endpoints[silent].Set(chaintest.Faults{})
					if row.restarted {
						r.paced()
					}
					r.readFor(row.within)
					if p = r.get(p); len(p.Deposits) != 1 || p.Deposits[0].State != payment.DepositFinal ||
						!row.late && p.Status != payment.Completed {
						t.Errorf("%s later the payment is %s with %+v", row.within, p.Status, p.Deposits)
					}
				})
			}
		}
	}
}

// TestWatcher_OneReceipt: a receipt that endpoints answer wrongly for good holds up no other payment, nor the network,
// and its own money counts once somebody shows it.
func TestWatcher_OneReceipt(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]func(log map[string]any) chaintest.Faults{
		"Error": func(log map[string]any) chaintest.Faults {
			return answering(log, &chaintest.RPCError{Code: -32000, Message: "odd"})
		},
		"Null": func(log map[string]any) chaintest.Faults { return answering(log, nil) },
		"NoLogs": func(log map[string]any) chaintest.Faults {
			return answering(log, with(receiptOf(log), "logs", []any{}))
		},
		"OtherNumbering": func(log map[string]any) chaintest.Faults {
			return answering(log, receiptOf(with(log, "logIndex", "0x77")))
		},
		"OtherBlock": func(log map[string]any) chaintest.Faults {
			return chaintest.Faults{Alter: func(l map[string]any) {
				if l["transactionHash"] == log["transactionHash"] {
					l["blockHash"] = "0x" + strings.Repeat("0d", 32)
				}
			}}
		},
		"Slow": func(log map[string]any) chaintest.Faults {
			return chaintest.Faults{Answer: func(method string, params []json.RawMessage) (any, bool) {
				if isReceipt(method, params, log) {
					time.Sleep(25 * time.Second)
				}
				return nil, false
			}}
		},
	} {
		for endpoints, bad := range map[int]int{1: 1, 2: 1, 3: 2} {
			t.Run(fmt.Sprintf("%s%dOf%d", name, bad, endpoints), func(t *testing.T) {
				t.Parallel()
				r := newRig(t, endpoints)
				victim, other := r.start(), r.start()
				tx := r.pay(victim)
				r.pay(other)
				r.chain.Mine(1)
				blocks := r.chain.Blocks()
				for _, e := range r.endpoints[:bad] {
					e.Set(fault(r.logOf(victim, blocks[len(blocks)-1], tx, tenUSDC)))
				}
				r.chain.Mine(rigFinalDepth + 1)
				r.watch()
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

// answering is an endpoint that answers in place of the receipt of the log's transaction.
func answering(log map[string]any, answer any) chaintest.Faults {
	return chaintest.Faults{Answer: func(method string, params []json.RawMessage) (any, bool) {
		return answer, isReceipt(method, params, log)
	}}
}

func isReceipt(method string, params []json.RawMessage, log map[string]any) bool {
	return method == "eth_getTransactionReceipt" && strings.Contains(string(params[0]), log["transactionHash"].(string))
}

// with returns a copy with another value.
func with(object map[string]any, key string, value any) map[string]any {
	object = maps.Clone(object)
	object[key] = value
	return object
}
