package watch_test

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
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

// unplacing shows all small transfers to flooded addresses without their places, as a reader does that has not heard of
// the recorded ones yet.
type unplacing struct{ chain.Reader }

func (u unplacing) Scan(
	ctx context.Context, from uint64, to chain.Head, set *chain.WatchSet, not ...string,
) ([]chain.Transfer, string, error) {
	list, by, err := u.Reader.Scan(ctx, from, to, set, not...)
	for i, t := range list {
		_, flooded := set.Floods[t.To]
		if flooded && t.Placed() && t.Asset.Worth(t.Units).Cmp(payment.DustFloor.Atto()) < 0 {
			list[i].Ordinal, list[i].Block.Time = -1-t.Ordinal, time.Time{}
		}
	}
	return list, by, err
}

// TestWatcher_FloodInflated: one endpoint of two shows small transfers larger than they are, so that each is recorded
// by itself before it is final. They count once, with what they are worth, also when they are read again.
func TestWatcher_FloodInflated(t *testing.T) {
	t.Parallel()
	r, p, _ := flooded(t, 2)
	r.watcher.Release(t.Context())
	r.watcher = watch.NewWatcher(
		r.profile, unplacing{r.reader()}, r.store, "unplacing", r.now, slog.New(slog.DiscardHandler))
	before := r.cursor().Second.Number
	const much = money.USD + 5_000
	for i := range money.Micros(4) {
		tx := r.chain.Send(chaintest.Tx{
			To: r.contract("USDC"), Logs: []chaintest.Log{r.transferTo(r.routeOf(p), 5_000)},
		})
		r.chain.Mine(1)
		larger := r.logOf(p, chaintest.Mined{Head: r.chain.Head()}, tx, int64(much))
		r.endpoints[0].Set(chaintest.Faults{
			Alter:           func(log map[string]any) { maps.Copy(log, larger) },
			PhantomReceipts: map[string]map[string]any{tx: receiptOf(larger)},
		})
		r.must(r.watcher.RunOnce(t.Context()))
		r.endpoints[0].Set(chaintest.Faults{})
		r.expect(p, payment.Started, 18+i*5_000)
		if !slices.ContainsFunc(r.get(p).Deposits, func(d payment.Deposit) bool {
			return d.Transfer.Units.String() == strconv.Itoa(int(much))
		}) {
			t.Error("it is not recorded larger than it is")
		}
		r.readFor(5 * time.Minute)
		r.expect(p, payment.Started, 18+(i+1)*5_000)
	}
	r.must(watch.Repair(t.Context(), r.store, r.profile.Network, p.ID, before, watch.ErrDiffers, r.now()))
	r.readFor(5 * time.Minute)
	r.expect(p, payment.Started, 18+4*5_000)
	r.wantSetAside(0)
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
