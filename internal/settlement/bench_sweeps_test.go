package settlement_test

import (
	"context"
	"math/big"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"golang.org/x/sync/errgroup"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/evm"
	"github.com/florinpay/florin/internal/chain/evm/sender"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/payment/watch"
	"github.com/florinpay/florin/internal/sandbox/devchain"
	"github.com/florinpay/florin/internal/settlement"
	"github.com/florinpay/florin/internal/store/storetest"
	"github.com/florinpay/florin/internal/testkit"
)

// The shop of BenchmarkSweeps: blocks are final after 15 s, and the first payments must be final, swept and final again
// before it is measured.
const (
	sweepRate  = 200 // payments a second
	sweepFor   = 90 * time.Second
	sweepWarm  = 50 * time.Second
	sweepDepth = 15
	leastShare = 0.95 // of the payments are swept while they come
	longestEnd = 5 * time.Minute
)

// BenchmarkSweeps measures whether settlement keeps up with the payments of a busy shop, on a real EVM: a watcher and a
// sweeper of the program read and send through its JSON-RPC port, and what counts as swept is what ended sweeps have
// moved by their receipts.
func BenchmarkSweeps(b *testing.B) {
	for name, most := range map[string]int{"OneInFlight": 1, "AsManyAsTheProgramHas": 0} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				measureSweeps(b, most)
			}
		})
	}
}

// counting counts what sweeps have moved.
type counting struct {
	settlement.Store

	mu                         sync.Mutex
	flying, most, swept, ended int
}

func (c *counting) PlanSweep(ctx context.Context, w settlement.Sweep) error {
	err := c.Store.PlanSweep(ctx, w)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err == nil {
		c.flying++
		c.most = max(c.most, c.flying)
	}
	return err
}

func (c *counting) EndSweep(ctx context.Context, w settlement.Sweep, now time.Time) error {
	err := c.Store.EndSweep(ctx, w, now)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err == nil {
		c.flying--
		c.ended++
		c.swept += len(w.Moved)
	}
	return err
}

func (c *counting) moved() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.swept
}

// newLiveWorld is a world on real time, whose chain makes a block a second.
func newLiveWorld(b *testing.B) *world {
	b.Helper()
	w := &world{t: b, clock: testkit.NewClock(time.Now().UTC()), url: storetest.SQLite(b)}
	w.startChainAs(chain.Polygon, devchain.Config{
		BlockTime: time.Second, SafeDepth: sweepDepth, FinalDepth: sweepDepth,
	})
	w.store = w.open()
	w.newGas()
	w.fund(new(big.Int).Mul(big.NewInt(1000), gasFunds))
	w.watcher = watch.NewWatcher(w.profile, w.adapter, w.store, "watcher", time.Now, silent())
	w.watcher.Unpaced()
	w.key = w.newKey()
	w.watch()
	return w
}

// opened starts payments and returns their addresses.
func (w *world) opened(n int) []common.Address {
	w.t.Helper()
	addresses, now := make([]common.Address, n), time.Now()
	g, ctx := errgroup.WithContext(w.t.Context())
	g.SetLimit(64) // they share commits
	for i := range addresses {
		g.Go(func() error {
			id := payment.ID(newID(now))
			at, err := evm.NewDepositor(w.profile.Network).DepositAddress(chain.Settlement{
				Network: w.profile.Network, Wallet: merchantWallet, PaymentID: string(id), Scheme: chain.SchemeTxnID,
			})
			if err != nil {
				return err
			}
			addresses[i] = common.Address(at.Raw)
			_, err = w.store.OpenPayment(ctx, payment.New(payment.Request{
				ID: id, KeyID: w.key.ID, Kind: payment.KindMerchant, Amount: 25 * money.USD, ValidFor: time.Hour,
			}, now), func(p payment.Payment) (payment.Change, error) {
				return p.Start(payment.Choice{Network: w.profile.Network, Token: money.USDT},
					payment.Route{Address: at, Settlement: merchantWallet, Scheme: chain.SchemeTxnID}, time.Hour, now)
			})
			return err
		})
	}
	w.must(g.Wait())
	return addresses
}

// measureSweeps lets payments come and be swept, with at most so many sweeps in flight; 0: as many as the program has.
func measureSweeps(b *testing.B, inFlight int) {
	b.Helper()
	w := newLiveWorld(b)
	addresses := w.opened(int(sweepRate * sweepFor / time.Second))
	policy := settlement.DefaultPolicy()
	policy.Age, policy.Wait, policy.InFlight = time.Second, time.Second, inFlight
	policy.Gas, policy.GasEach = sender.BatchGas, sender.BatchGasEach
	c := &counting{Store: w.store.Settlement()}
	sweeper := settlement.New(w.newSender(money.UnitsFromUint64(1e12)), c, policy, "bench", time.Now, newID, silent())
	ctx, stop := context.WithCancel(b.Context())
	var loops sync.WaitGroup
	defer func() {
		stop()
		loops.Wait()
	}()
	loops.Go(func() { _ = w.watcher.Run(ctx) })
	loops.Go(func() {
		tick := time.NewTicker(settlement.Every)
		defer tick.Stop()
		for ctx.Err() == nil {
			_ = sweeper.Turn(ctx)
			<-tick.C
		}
	})

	began := time.Now()
	var from time.Time
	var paidBefore, sweptBefore int
	for i, to := range addresses {
		time.Sleep(time.Until(began.Add(time.Duration(i) * time.Second / sweepRate)))
		if from.IsZero() && time.Since(began) >= sweepWarm {
			from, paidBefore, sweptBefore = time.Now(), i, c.moved()
		}
		w.do(w.chain.Mint(ctx, w.chain.Tokens().USDT.Address, to, w.units(25*money.USD)))
	}
	took := time.Since(from).Seconds()
	paid, swept := float64(len(addresses)-paidBefore)/took, float64(c.moved()-sweptBefore)/took
	b.ReportMetric(paid, "paid/s")
	b.ReportMetric(swept, "swept/s")
	b.ReportMetric(float64(c.most), "in-flight")
	b.ReportMetric(float64(c.moved())/float64(max(c.ended, 1)), "balances/sweep")
	if inFlight != 0 {
		return // the rest would take very long
	}
	if swept < leastShare*paid {
		b.Fatalf("%.0f a second are swept of %.0f paid: settlement does not keep up", swept, paid)
	}
	for last := time.Now(); c.moved() < len(addresses); time.Sleep(100 * time.Millisecond) {
		if time.Since(last) > longestEnd {
			b.Fatalf("%d of %d are swept %s after the last", c.moved(), len(addresses), longestEnd)
		}
	}
}
