package settlement

import (
	"context"
	"math"
	"math/big"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
)

// CostFunc returns what sweeping costs at today's price of gas.
type CostFunc func(ctx context.Context) (chain.SweepCost, error)

// Prices is how a network's sweeping is priced.
type Prices struct {
	Cost CostFunc // nil: not known
	// Gas is what a balance takes both ways in units of gas, or of another measure that is the same for both.
	Gas chain.SweepCost
	// Coin is what one native coin costs; 0: nothing, as on a test network.
	Coin money.Micros
}

const (
	// priceFor is how long the price of gas is taken to stay while money waits.
	priceFor = 10 * time.Minute
	// priceForBatch is the same for a batch that is about to go.
	priceForBatch = 30 * time.Second
)

// quote is the price of gas as it was last read.
type quote struct {
	cost chain.SweepCost
	at   time.Time // of the last attempt to read it
}

// planned returns the next batch at the present price of gas, which is read only while money is due. Where it cannot be
// read, the last one counts.
func (s *Sweeper) planned(ctx context.Context, balances []DepositBalance, policy Policy) []DepositBalance {
	if len(balances) == 0 {
		return nil
	}
	s.priced(ctx, priceFor)
	policy.Cost = USDCost(s.quote.cost, s.Prices.Coin, s.Network())
	batch := Plan(balances, policy, s.now())
	if len(batch) == 0 || !s.priced(ctx, priceForBatch) {
		return batch
	}
	policy.Cost = USDCost(s.quote.cost, s.Prices.Coin, s.Network())
	return Plan(balances, policy, s.now())
}

// priced reads the price of gas if the last one is older, and reports whether it did.
func (s *Sweeper) priced(ctx context.Context, older time.Duration) bool {
	if s.Prices.Cost == nil || s.Prices.Coin == 0 || !s.quote.at.IsZero() && s.now().Sub(s.quote.at) < older {
		return false
	}
	s.quote.at = s.now()
	cost, err := s.Prices.Cost(ctx)
	if err != nil {
		s.log.Warn("the price of gas is not known; the last one counts", "error", err)
		return false
	}
	s.quote.cost = cost
	return true
}

// USDCost returns the cost in USD, rounded up.
func USDCost(c chain.SweepCost, coin money.Micros, n chain.Network) Cost {
	return Cost{Single: usdOf(c.Single, coin, n), Batched: usdOf(c.Batched, coin, n)}
}

// usdOf returns what an amount of the native coin costs, rounded up.
func usdOf(u money.Units, coin money.Micros, n chain.Network) money.Micros {
	one := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n.CoinDecimals())), nil)
	v := new(big.Int).Mul(u.Big(), big.NewInt(int64(coin)))
	v.Add(v, new(big.Int).Sub(one, big.NewInt(1)))
	if v.Div(v, one); !v.IsInt64() {
		return math.MaxInt64
	}
	return money.Micros(v.Int64())
}

// OneByOne returns what the spending would have been with a transaction for every balance: what was paid, scaled by
// what the same balances cost both ways at one price of gas.
func (s Spending) OneByOne(c chain.SweepCost) money.Units {
	single, batched := c.Single.Big(), c.Batched.Big()
	items := big.NewInt(int64(s.Items))
	shared := new(big.Int).Sub(single, batched)
	shared.Mul(shared, big.NewInt(int64(s.Sweeps)))
	if shared.Add(shared, new(big.Int).Mul(items, batched)).Sign() <= 0 {
		return s.Paid
	}
	singles := items.Mul(items, single)
	singles.Mul(singles, s.Paid.Big())
	return money.NewUnits(singles.Div(singles, shared))
}
