package watch_test

import (
	"crypto/sha256"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/payment"
)

// forkLog is what a transaction pays in one fork: units of USDC, or of the asset named, to the first or the second
// payment of its case. With to 2 it is a transfer of another contract, which only takes up a place.
type forkLog struct {
	to    int
	units int64
	asset string
}

// forkCases are transactions whose logs differ from fork to fork.
var forkCases = map[string]struct {
	first, second []forkLog
	want          [2]int64 // units of USDC that the payments have in the end
}{
	"OrderOfTwo": {
		[]forkLog{{0, tenUSDC, ""}, {1, 3, ""}}, []forkLog{{1, 3, ""}, {0, tenUSDC, ""}}, [2]int64{tenUSDC, 3},
	},
	"AmountsSwap": {
		[]forkLog{{0, tenUSDC, ""}, {1, 3, ""}}, []forkLog{{0, 3, ""}, {1, tenUSDC, ""}}, [2]int64{3, tenUSDC},
	},
	"OrderOfOne": {
		[]forkLog{{0, 4, ""}, {0, tenUSDC, ""}}, []forkLog{{0, tenUSDC, ""}, {0, 4, ""}}, [2]int64{tenUSDC + 4, 0},
	},
	"LogRemoved": {[]forkLog{{0, tenUSDC, ""}, {1, 5, ""}}, []forkLog{{1, 5, ""}}, [2]int64{0, 5}},
	"AllRemoved": {[]forkLog{{0, tenUSDC, ""}, {1, tenUSDC, ""}}, nil, [2]int64{}},
	"LogBefore":  {[]forkLog{{0, tenUSDC, ""}}, []forkLog{{2, 9, ""}, {0, tenUSDC, ""}}, [2]int64{tenUSDC, 0}},
	"LogAdded":   {[]forkLog{{0, tenUSDC, ""}}, []forkLog{{0, tenUSDC, ""}, {0, 6, ""}}, [2]int64{tenUSDC + 6, 0}},
	"Everything": {
		[]forkLog{{0, tenUSDC, ""}, {1, 5, "USDC.e"}},
		[]forkLog{{1, tenUSDC, ""}, {0, 7, "USDC.e"}},
		[2]int64{0, tenUSDC},
	},
	"OnlyTheAssets": {
		[]forkLog{{0, tenUSDC, ""}, {0, 5, "USDC.e"}}, []forkLog{{0, tenUSDC, "USDC.e"}, {0, 5, ""}}, [2]int64{5, 0},
	},
	"OnlyThePlace": {[]forkLog{{0, tenUSDC, ""}}, []forkLog{{0, tenUSDC, ""}}, [2]int64{tenUSDC, 0}},
}

// TestWatcher_ForkOrder: whatever a transaction does in another fork, each payment ends with what the final chain holds
// for it, also if the first fork was credited already.
func TestWatcher_ForkOrder(t *testing.T) {
	t.Parallel()
	for name, credited := range map[string]bool{"Seen": false, "Credited": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var rules []func(*chain.Profile)
			depth := 1
			if credited {
				rules, depth = append(rules, safeRule), 1+rigSafeDepth
			}
			r := newRig(t, 2, rules...)
			payments := make(map[string][2]payment.Payment, len(forkCases))
			for name := range forkCases {
				payments[name] = [2]payment.Payment{r.start(), r.start()}
			}
			for name, c := range forkCases {
				r.sendLogs(name, payments[name], c.first)
			}
			r.chain.Mine(depth)
			r.watch()
			before := make(map[payment.ID]payment.Payment)
			for name := range forkCases {
				for _, p := range payments[name] {
					before[p.ID] = r.get(p)
				}
			}
			r.chain.Drop(depth, false)
			for name, c := range forkCases {
				r.pay(r.start()) // another place in the block
				r.sendLogs(name, payments[name], c.second)
			}
			for range rigFinalDepth + 2 {
				r.chain.Mine(1)
				r.watch()
			}
			for name, c := range forkCases {
				for i, p := range payments[name] {
					r.wantForked(fmt.Sprint(name, i), before[p.ID], c.want[i], credited)
				}
			}
		})
	}
}

// sendLogs queues the transaction of a case.
func (r *rig) sendLogs(name string, payments [2]payment.Payment, logs []forkLog) {
	r.Helper()
	tx := chaintest.Tx{Hash: fmt.Sprintf("0x%x", sha256.Sum256([]byte(name))), To: r.contract("USDC")}
	for _, l := range logs {
		contract, to := r.contract("USDC"), "0x00000000000000000000000000000000000000aa"
		if l.asset != "" {
			contract = r.contract(l.asset)
		}
		if l.to < 2 {
			route, _ := payments[l.to].Route()
			to = string(route.Address.Address)
		} else {
			contract = "0x" + strings.Repeat("99", 20)
		}
		tx.Logs = append(tx.Logs, chaintest.TransferLog(contract, "0x00000000000000000000000000000000000000f1", to, big.NewInt(l.units)))
	}
	r.chain.Send(tx)
}

// wantForked checks what a payment has after the fork, and which events it has.
func (r *rig) wantForked(name string, before payment.Payment, want int64, credited bool) {
	r.Helper()
	p := r.get(before)
	if got := int64(p.Received().Micros()); got != want || !p.Incoming().IsZero() {
		r.Errorf("%s: received %d, and %s incoming, want %d", name, got, p.Incoming().Micros(), want)
	}
	if was := before.Status == payment.Completed; was != (credited && before.Received().Micros() >= tenUSDC) {
		r.Errorf("%s: the first fork was not what it is meant to be: %s", name, before.Status)
	}
	completed := want >= tenUSDC || before.Status == payment.Completed
	if completed != (p.Status == payment.Completed) || p.Reorged != (completed && want < tenUSDC) {
		r.Errorf("%s: %s with %d, reorged %t", name, p.Status, want, p.Reorged)
	}
	if n := r.recorded(p, payment.EventCompleted); completed != (n == 1) || n > 1 {
		r.Errorf("%s: completed %d times", name, n)
	}
}
