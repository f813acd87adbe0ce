package settlement_test

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/settlement"
	"github.com/florinpay/florin/internal/store/storetest"
)

func gwei(gas, price uint64) money.Units { return money.UnitsFromUint64(gas * price * 1e9) }

func TestUSDCost(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		cost money.Units
		coin money.Micros
		n    chain.Network
		want money.Micros
	}{
		"BSCAt3Gwei":      {gwei(88_600, 3), 900 * money.USD, chain.BEP20, 239_220},
		"BSCAtFloor":      {money.UnitsFromUint64(88_600 * 5e7), 900 * money.USD, chain.BEP20, 3_987},
		"PolygonAt275":    {gwei(88_600, 275), money.USD / 4, chain.Polygon, 6_092}, // rounded up
		"SolanaSignature": {money.UnitsFromUint64(5_000), 150 * money.USD, chain.Solana, 750},
		"Unknown":         {money.Units{}, 900 * money.USD, chain.BEP20, 0},
		"TestNetwork":     {gwei(88_600, 3), 0, chain.BEP20, 0},
		"OutOfRange":      {money.Micros(math.MaxInt64).Units(18), 1000 * money.USD, chain.BEP20, math.MaxInt64},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := settlement.USDCost(chain.SweepCost{Single: c.cost, Batched: c.cost}, c.coin, c.n)
			if got != (settlement.Cost{Single: c.want, Batched: c.want}) {
				t.Errorf("it costs %d, want %d", got.Single, c.want)
			}
		})
	}
}

func TestSpending_OneByOne(t *testing.T) {
	t.Parallel()
	cost := chain.SweepCost{Single: units(90), Batched: units(60)}
	for name, c := range map[string]struct {
		spent settlement.Spending
		want  int64
	}{
		"Nothing":   {settlement.Spending{}, 0},
		"Singles":   {settlement.Spending{Paid: units(270), Sweeps: 3, Items: 3}, 270},
		"OneOfTen":  {settlement.Spending{Paid: units(630), Sweeps: 1, Items: 10}, 900},
		"OtherDays": {settlement.Spending{Paid: units(6300), Sweeps: 1, Items: 10}, 9000},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := c.spent.OneByOne(cost); got.Cmp(units(c.want)) != 0 {
				t.Errorf("one by one it comes to %s, want %d", got, c.want)
			}
		})
	}
	unknown := settlement.Spending{Paid: units(7), Sweeps: 1, Items: 2}
	if got := unknown.OneByOne(chain.SweepCost{}); got.Cmp(units(7)) != 0 {
		t.Errorf("at an unknown price it comes to %s, want what was paid", got)
	}
}

// While gas is dear, small amounts wait; they go once it is cheap. The price is read only while money is due.
func TestSweeper_DearGas(t *testing.T) {
	t.Parallel()
	w := newWorld(t, chain.Polygon, storetest.SQLite(t))
	policy := settlement.DefaultPolicy()
	s := settlement.New(w.sender, w.store.Settlement(), policy, "sweeper", w.clock.Now, newID, silent())
	asked, dear := 0, true
	s.Prices = settlement.Prices{Coin: 900 * money.USD, Cost: func(context.Context) (chain.SweepCost, error) {
		asked++
		if dear {
			return chain.SweepCost{Single: gwei(88_600, 3), Batched: gwei(57_400, 3)}, nil
		}
		return chain.SweepCost{}, errors.New("the endpoint is down")
	}}
	w.once(s)
	if asked != 0 {
		t.Fatal("the price of gas was read although nothing is due")
	}
	p := w.paid(money.USD / 5)
	for range 3 {
		w.clock.Pass(24 * time.Hour)
		w.once(s)
		w.once(s)
	}
	if asked != 3 || w.nonce() != 0 {
		t.Fatalf("in three days the price was read %d times and %d sweeps were paid for; 20 cents bring less", asked, w.nonce())
	}
	dear = false
	w.clock.Pass(time.Hour)
	w.once(s)
	if asked != 4 || w.nonce() != 0 {
		t.Fatal("while the price cannot be read the last one counts")
	}
	s.Prices = settlement.Prices{Coin: money.USD / 4, Cost: w.sender.SweepCost}
	w.clock.Pass(time.Hour)
	w.untilSwept(s, p)
}

// What a sweep is said to cost is what it then costs, and a little more for tokens that take more gas.
func TestSweeps_SweepCost(t *testing.T) {
	t.Parallel()
	w := newWorld(t, chain.Base, storetest.SQLite(t))
	w.fund(gasFunds) // the merchant's wallet has received the token before
	first := w.paid(money.USD)
	s := w.sweeper()
	w.settle(s)
	w.wantSwept(first, true)
	p := w.paid(money.USD)
	cost, err := w.sender.SweepCost(t.Context())
	w.must(err)
	w.once(s)
	sent := w.inFlight()
	w.settle(s)
	w.wantSwept(p, true)
	paid := w.sweepOf(sent.ID).Paid
	if cost.Single.Cmp(paid) < 0 || cost.Single.Cmp(paid.Add(paid)) > 0 || cost.Batched.Cmp(cost.Single) >= 0 {
		t.Errorf("a single is said to cost %s and one of a batch %s; a single cost %s", cost.Single, cost.Batched, paid)
	}
}
