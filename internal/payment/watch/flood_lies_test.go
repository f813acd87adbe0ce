package watch_test

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/payment/watch"
)

// flooded is a rig with a payment whose small transfers are folded by their logs, worth 18 units so far, and another.
func flooded(t *testing.T, endpoints int) (r *rig, p, other payment.Payment) {
	t.Helper()
	r = newRig(t, endpoints)
	p, other = r.start(), r.start()
	r.paced()
	r.speck(p, payment.FoldFrom, 1)
	r.readFor(3 * time.Minute)
	r.speck(p, 1, 2)
	r.readFor(5 * time.Minute)
	r.expect(p, payment.Started, 18)
	return r, p, other
}

// inventedWith returns logs of a transaction that no block has, as an endpoint backs them with a receipt: much to the
// other payment, and so many small transfers of 9,900 units to the flooded one.
func (r *rig) inventedWith(p, other payment.Payment, in chaintest.Mined, small int) chaintest.Faults {
	tx := "0x" + strings.Repeat("ab", 32)
	logs := []map[string]any{r.logOf(other, in, tx, 20_000)}
	for i := range small {
		l := r.logOf(p, in, tx, 9_900)
		l["logIndex"] = hexNumber(uint64(i + 1))
		logs = append(logs, l)
	}
	receipt := receiptOf(logs[0])
	receipt["logs"] = logs
	return chaintest.Faults{Phantom: logs, PhantomReceipts: map[string]map[string]any{tx: receipt}}
}

// TestWatcher_FloodInvented: what one endpoint of two invents for a flooded payment is not money, although the payment
// is read again in the round in which it is shown first.
func TestWatcher_FloodInvented(t *testing.T) {
	t.Parallel()
	for liar := range 2 {
		t.Run(strconv.Itoa(liar), func(t *testing.T) {
			t.Parallel()
			r, p, other := flooded(t, 2)
			for range 4 {
				before := r.cursor().Second.Number
				r.chain.Mine(1)
				in := chaintest.Mined{Head: r.chain.Head()}
				r.chain.Mine(rigFinalDepth + 1)
				r.endpoints[liar].Set(r.inventedWith(p, other, in, 1_100))
				r.must(watch.Repair(t.Context(), r.store, r.profile.Network, p.ID, before+1, watch.ErrDiffers, r.now()))
				r.must(r.watcher.RunOnce(t.Context()))
				r.expect(p, payment.Started, 18)
				r.endpoints[liar].Set(chaintest.Faults{})
				r.readFor(40 * time.Second)
			}
			r.readFor(5 * time.Minute)
			r.expect(p, payment.Started, 18)
			r.expect(other, payment.Started, 0)
			r.wantSetAside(0)
		})
	}
}

// TestWatcher_FloodBlock: one endpoint of two names another block of small transfers. They count once, also when they
// are read again later.
func TestWatcher_FloodBlock(t *testing.T) {
	t.Parallel()
	for liar := range 2 {
		t.Run(strconv.Itoa(liar), func(t *testing.T) {
			t.Parallel()
			r, p, _ := flooded(t, 2)
			before := r.cursor().Second.Number
			r.endpoints[liar].Set(chaintest.Faults{Alter: func(log map[string]any) {
				if data, _ := log["data"].(string); strings.HasSuffix(data, fmt.Sprintf("%x", 5_000)) {
					log["blockNumber"] = hexNumber(r.chain.Head().Number - 3)
				}
			}})
			r.speck(p, 2, 5_000)
			r.chain.Mine(1)
			r.readFor(3 * time.Minute)
			r.endpoints[liar].Set(chaintest.Faults{})
			r.readFor(3 * time.Minute)
			r.expect(p, payment.Started, 18+2*5_000)
			r.must(watch.Repair(t.Context(), r.store, r.profile.Network, p.ID, before, watch.ErrDiffers, r.now()))
			r.readFor(3 * time.Minute)
			r.expect(p, payment.Started, 18+2*5_000)
		})
	}
}

// TestWatcher_FloodPartial: an endpoint leaves one transfer of a transaction out of later answers. What else that
// transaction moved counts once.
func TestWatcher_FloodPartial(t *testing.T) {
	t.Parallel()
	for name, hidden := range map[string]int64{"Large": int64(money.USD), "Small": 5_000} {
		for endpoints := 1; endpoints <= 2; endpoints++ {
			t.Run(fmt.Sprint(name, endpoints), func(t *testing.T) {
				t.Parallel()
				r, p, _ := flooded(t, endpoints)
				route, _ := p.Route()
				r.sendTo(string(route.Address.Address), 5_000, int64(money.USD), 6_000)
				r.chain.Mine(1)
				for n := r.chain.Head().Number; r.cursor().Scanned.Number < n; {
					r.readFor(time.Second)
				}
				suffix := fmt.Sprintf("%x", hidden)
				r.endpoints[0].Set(chaintest.Faults{Omit: func(log map[string]any) bool {
					data, _ := log["data"].(string)
					return strings.HasSuffix(data, suffix)
				}})
				r.readFor(3 * time.Minute)
				r.endpoints[0].Set(chaintest.Faults{})
				r.readFor(5 * time.Minute)
				r.expect(p, payment.Started, 18+money.USD+11_000)
			})
		}
	}
}

// TestWatcher_FloodNoReceipt: a transaction whose receipt cannot be read pays a flooded payment little and another one
// much. Both have it in the end.
func TestWatcher_FloodNoReceipt(t *testing.T) {
	t.Parallel()
	r, p, other := flooded(t, 1)
	to, much := r.routeOf(p), r.routeOf(other)
	tx := r.chain.Send(chaintest.Tx{To: r.contract("USDC"), Logs: []chaintest.Log{
		r.transferTo(to, 5_000), r.transferTo(much, int64(tenUSDC)),
	}})
	r.chain.Mine(1)
	n := r.chain.Head().Number
	r.unreadable(tx)
	for range 60 {
		if r.readFor(5 * time.Second); r.cursor().Second.Number >= n {
			break
		}
	}
	r.endpoints[0].Set(chaintest.Faults{})
	r.readFor(20 * time.Minute)
	r.expect(p, payment.Started, 18+5_000)
	r.expect(other, payment.Completed, tenUSDC)
}

func (r *rig) routeOf(p payment.Payment) string {
	route, _ := p.Route()
	return string(route.Address.Address)
}

func (r *rig) transferTo(to string, units int64) chaintest.Log {
	return chaintest.TransferLog(r.contract("USDC"), "0x00000000000000000000000000000000000000f2", to, big.NewInt(units))
}

// sendTo sends the amounts to the address in one transaction.
func (r *rig) sendTo(to string, amounts ...int64) {
	var logs []chaintest.Log
	for _, units := range amounts {
		logs = append(logs, r.transferTo(to, units))
	}
	r.chain.Send(chaintest.Tx{To: r.contract("USDC"), Logs: logs})
}
