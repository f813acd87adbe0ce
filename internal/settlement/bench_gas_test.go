package settlement_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/evm"
	"github.com/florinpay/florin/internal/chain/evm/sender"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/sandbox/devchain"
	"github.com/florinpay/florin/internal/settlement"
	"github.com/florinpay/florin/internal/store/storetest"
)

// Limits relative to a hot wallet, which first sends coins to every deposit address so that each can pay for its own
// transfer: for a first sweep of fromBatch payments and more, which also creates their forwarders, for a repeated one,
// and for the payments of a busy day.
const (
	fromBatch  = 50
	mostFirst  = 1.2
	mostRepeat = 0.35
	mostDay    = 1.25
)

// assumed is what the program takes a first sweep to cost, by the size of the batch, when it compares the price of gas
// with what a sweep brings. It may deviate by so many per cent.
var assumed = map[int]uint64{1: sender.SingleGas, 100: sender.BatchedGas}

const deviation = 5

// BenchmarkGas measures the gas that settling a payment takes, on a real EVM: by forwarders, a batch in one
// transaction, and by a hot wallet.
func BenchmarkGas(b *testing.B) {
	for _, n := range []int{1, 10, 50, 100} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			g := newGasWorld(b)
			for b.Loop() {
				items := g.items(n)
				first, again, hot := g.sweepGas(items), g.sweepGas(items), g.hotGas(n)
				b.ReportMetric(float64(first), "first-gas")
				b.ReportMetric(float64(again), "again-gas")
				b.ReportMetric(float64(hot), "hot-wallet-gas")
				x, y := float64(first)/float64(hot), float64(again)/float64(hot)
				if n >= fromBatch && (x > mostFirst || y > mostRepeat) {
					b.Fatalf("%.2f and %.2f of what a hot wallet takes: at most %.2f and %.2f", x, y, mostFirst, mostRepeat)
				}
				said, ok := assumed[n]
				if ok && (first > said*(100+deviation)/100 || said > first*(100+deviation)/100) {
					b.Fatalf("the program assumes %d gas in a batch of %d, and it takes %d", said, n, first)
				}
			}
		})
	}
}

// BenchmarkGasOfDay settles whole days of a shop by the program's own plan, with and without waiting for others to
// share a transaction. The limit holds for the busiest day.
func BenchmarkGasOfDay(b *testing.B) {
	days := []day{{10, 30 * money.USD}, {100, 30 * money.USD}, {1000, 5 * money.USD}, {1000, 30 * money.USD}}
	alone := settlement.DefaultPolicy() // whatever came in a minute shares a transaction
	alone.AtOnce, alone.Wait, alone.Enough = 0, time.Minute, 0
	g := newGasWorld(b)
	each := make(map[int]uint64) // gas for one payment, by the size of a sweep
	hot := float64(g.hotGas(10))
	for i, d := range days {
		b.Run(strconv.Itoa(d.payments)+"of"+d.median.Display(), func(b *testing.B) {
			for b.Loop() {
				before, _ := d.gas(g, each, alone)
				after, waited := d.gas(g, each, settlement.DefaultPolicy())
				b.ReportMetric(before/hot, "within-a-minute-x")
				b.ReportMetric(after/hot, "waiting-x")
				b.ReportMetric(waited.Minutes(), "waited-min")
				if i == len(days)-1 && after > mostDay*hot {
					b.Fatalf("%.2f times what a hot wallet takes, at most %.2f", after/hot, mostDay)
				}
			}
		})
	}
}

// gasWorld is a chain on which both ways are measured.
type gasWorld struct{ *world }

// each payment has non-zero digits, as real ones have.
const gasAmount = 123_456_789 * money.Micros(1)

func newGasWorld(b *testing.B) *gasWorld {
	b.Helper()
	g := &gasWorld{newWorld(b, chain.Polygon, storetest.SQLite(b))}
	g.mint(common.HexToAddress(string(merchantWallet))) // who has some of the token already
	return g
}

func (g *gasWorld) mint(to common.Address) {
	g.t.Helper()
	g.do(g.chain.Mint(g.t.Context(), g.chain.Tokens().USDT.Address, to, g.units(gasAmount)))
}

// items returns n new payments to one merchant, each with an address of its own.
func (g *gasWorld) items(n int) []chain.SweepItem {
	g.t.Helper()
	items := make([]chain.SweepItem, n)
	for i := range items {
		id := string(newID(time.Now()))
		at, err := evm.NewDepositor(chain.Polygon).DepositAddress(chain.Settlement{
			Network: chain.Polygon, Wallet: merchantWallet, PaymentID: id, Scheme: chain.SchemeTxnID,
		})
		g.must(err)
		items[i] = chain.SweepItem{
			PaymentID: id, Scheme: chain.SchemeTxnID, Address: at, Settlement: merchantWallet,
			Asset: g.profile.Assets[0], Expected: money.NewUnits(g.units(gasAmount)),
		}
	}
	return items
}

// sweepGas pays every item and settles them as the program does; it returns the gas for one.
func (g *gasWorld) sweepGas(items []chain.SweepItem) uint64 {
	g.t.Helper()
	ctx := g.t.Context()
	for _, i := range items {
		g.mint(common.Address(i.Address.Raw))
	}
	g.chain.Commit()
	a, err := g.sender.Sign(ctx, items, nil, time.Now())
	g.must(err)
	g.must(g.sender.Broadcast(ctx, a))
	gas := g.used(common.HexToHash(string(a.Tx)))
	g.chain.Mine(devchain.DefaultFinalDepth)
	seen, err := g.sender.Track(ctx, items, []chain.Attempt{a})
	g.must(err)
	if seen.Status != chain.TxFinal || len(seen.Moved) != len(items) {
		g.t.Fatalf("a sweep of %d ended as %s and moved %d", len(items), seen.Status, len(seen.Moved))
	}
	return gas / uint64(len(items))
}

// used makes a block and returns the gas that a transaction in it used.
func (g *gasWorld) used(tx common.Hash) uint64 {
	g.t.Helper()
	g.chain.Commit()
	r, err := g.chain.WaitReceipt(g.t.Context(), tx)
	g.must(err)
	if r.Status != types.ReceiptStatusSuccessful {
		g.t.Fatalf("transaction %s failed", tx)
	}
	return r.GasUsed
}

// hotGas settles n payments to fresh keys: it sends coins to each, then each transfers its tokens. It returns the gas
// for one.
func (g *gasWorld) hotGas(n int) uint64 {
	g.t.Helper()
	ctx := g.t.Context()
	var total uint64
	for range n {
		key, err := crypto.GenerateKey()
		g.must(err)
		deposit := crypto.PubkeyToAddress(key.PublicKey)
		g.mint(deposit)
		g.chain.Commit()
		fund, err := g.chain.FundNative(ctx, deposit, big.NewInt(1e18))
		g.must(err)
		total += g.used(fund)
		g.chain.Commit() // the pool must know of the coins
		tx, err := g.chain.Transfer(ctx, key, g.chain.Tokens().USDT.Address,
			common.HexToAddress(string(merchantWallet)), g.units(gasAmount))
		g.must(err)
		total += g.used(tx)
	}
	return total / uint64(n)
}

// day is what a shop takes in a day: half of its payments are below the median, and one in fifty above eight times it.
type day struct {
	payments int
	median   money.Micros
}

// hours is how busy a real shop is in each hour of the day, in parts of the day's payments.
var hours = [24]int{2, 1, 1, 1, 1, 2, 3, 5, 7, 8, 9, 9, 10, 9, 8, 8, 8, 9, 10, 12, 12, 10, 7, 4}

var midnight = time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)

// arrivals returns the day's balances, each with the time it became final, in order of time.
func (d day) arrivals() []settlement.DepositBalance {
	rng := rand.New(rand.NewPCG(20261122, uint64(d.payments)))
	sum := 0
	for _, part := range hours {
		sum += part
	}
	all := make([]settlement.DepositBalance, d.payments)
	for i := range all {
		at, hour := rng.IntN(sum), 0
		for at >= hours[hour] {
			at -= hours[hour]
			hour++
		}
		micros := money.Micros(float64(d.median) * math.Exp(rng.NormFloat64()))
		all[i] = settlement.DepositBalance{
			PaymentID:  strconv.Itoa(i),
			Settlement: merchantWallet, Address: chain.Watched{Address: chain.Address(strconv.Itoa(i))},
			Asset: chain.Asset{Decimals: money.MicrosDecimals}, Due: micros.Units(money.MicrosDecimals),
			Oldest: midnight.Add(time.Duration(hour)*time.Hour + time.Duration(rng.Int64N(int64(time.Hour)))),
		}
	}
	slices.SortFunc(all, func(a, b settlement.DepositBalance) int { return a.Oldest.Compare(b.Oldest) })
	return all
}

// sweeps returns how many balances each sweep of the day has, by the rule that the program plans by, and how long a
// payment waited on average. A sweep takes a round to become final.
func (d day) sweeps(policy settlement.Policy) (sizes []int, waited time.Duration) {
	const round = 10 * time.Second
	coming := d.arrivals()
	var due []settlement.DepositBalance
	var sum time.Duration
	for now := midnight; len(coming)+len(due) > 0; now = now.Add(round) {
		for len(coming) > 0 && !coming[0].Oldest.After(now) {
			due, coming = append(due, coming[0]), coming[1:]
		}
		batch := settlement.Plan(due, policy, now)
		if len(batch) == 0 {
			continue
		}
		sizes = append(sizes, len(batch))
		swept := make(map[string]bool, len(batch))
		for _, b := range batch {
			swept[b.PaymentID] = true
			sum += now.Sub(b.Oldest)
		}
		due = slices.DeleteFunc(due, func(b settlement.DepositBalance) bool { return swept[b.PaymentID] })
	}
	return sizes, sum / time.Duration(d.payments)
}

// gas returns what the sweeps of the day take for one payment, and how long a payment waited. A sweep of each size is
// made once: another of the same size takes as much.
func (d day) gas(g *gasWorld, each map[int]uint64, policy settlement.Policy) (gas float64, waited time.Duration) {
	g.t.Helper()
	sizes, waited := d.sweeps(policy)
	count := 0
	for _, n := range sizes {
		if each[n] == 0 {
			each[n] = g.sweepGas(g.items(n))
		}
		gas += float64(each[n]) * float64(n)
		count += n
	}
	if count != d.payments {
		g.t.Fatalf("%d of %d payments were settled", count, d.payments)
	}
	return gas / float64(count), waited
}
