package settlement

import (
	"cmp"
	"slices"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
)

// Policy says when sweeping is worth its price, and how long money waits for others to share that price.
type Policy struct {
	// Least is the smallest amount swept before it has the Age.
	Least money.Micros
	// Age is after how long smaller amounts are swept too, unless they are dust.
	Age time.Duration
	// Dust is the operator's limit, in USD, below which a balance is never swept as a single, however old. Cost raises
	// it. 0: nothing is dust, whatever it costs.
	Dust money.Micros
	// Cost is what sweeping costs at today's price of gas; zero while it is not known.
	Cost Cost
	// AtOnce is the sum from which on the money that waits for one settlement wallet does not wait any longer.
	AtOnce money.Micros
	// Wait is the longest that less money waits for others to share its transaction.
	Wait time.Duration
	// Enough is how many balances share a transaction so well that more of them would save little; so many do not
	// wait. 0: only a full batch.
	Enough int
	// Batch is the most balances in one transaction; a full batch does not wait.
	Batch int
	// Gas is the most gas of one transaction, and GasEach what a balance is taken to use until a batch has shown it: as
	// many share a transaction as fit. 0: Batch alone counts.
	Gas, GasEach uint64
	// InFlight is how many sweeps are in flight at most; 0: MaxInFlight, as in the program. BenchmarkSweeps sets
	// 1 to measure what the others bring.
	InFlight int
}

// Cost is what a transaction costs for each balance in it, in USD: a single, and one of a large batch.
type Cost struct{ Single, Batched money.Micros }

// DefaultPolicy follows from the gas that the bench measures: a first sweep costs 57,000 for each balance and 31,500
// for the transaction, so a single costs 1.76 times the transfer of a hot wallet, one of ten 1.20 times, one of 25
// 1.16 times and one of a hundred 1.14 times. So 25 are enough. The price of a single is a cent or less on an ordinary
// day: too much to pay at once for every coffee, and nothing beside a thousand dollars. A batch is at most 400 because
// nodes take transactions of at most 128 KB; usually the gas of a transaction is the lower bound.
func DefaultPolicy() Policy {
	return Policy{
		Least: money.USD, Age: 24 * time.Hour, Dust: money.USD / 20,
		AtOnce: 1000 * money.USD, Wait: 24 * time.Hour, Enough: 25, Batch: 400,
	}
}

// gatherFor is how long money that is swept at once still waits, for payments of the same minute.
const gatherFor = time.Minute

// batchedShare is what part of the price of a single each balance of a batch is taken to cost while Cost is not known.
const batchedShare = 2 // one half

// fits returns how many balances fit a transaction if n of them take that much gas.
func (p Policy) fits(n int, gas uint64) int {
	if p.Gas == 0 || gas == 0 {
		return p.Batch
	}
	most := p.Gas * uint64(n) / gas                //nolint:gosec // not negative
	return int(min(max(most, 1), uint64(p.Batch))) //nolint:gosec // as above, and bounded
}

func (p Policy) inFlight() int { return cmp.Or(p.InFlight, MaxInFlight) }

// SingleDust is the least a balance must hold to be swept as a single: as much as the transaction costs, or the
// operator's limit if that is more.
func (p Policy) SingleDust() money.Micros {
	if p.Dust == 0 {
		return 0
	}
	return max(p.Dust, p.Cost.Single)
}

// BatchedDust is the least a balance must hold to be swept in a batch.
func (p Policy) BatchedDust() money.Micros {
	if p.Dust == 0 {
		return 0
	}
	return max(p.Dust/batchedShare, p.Cost.Batched)
}

// Plan picks the balances of the next sweep: none that is blocked, dust, or small and young; the oldest first, at most
// one batch. They are ordered by settlement wallet and asset, since equal ones cost less in sequence. It returns none
// while waiting for more is better.
func Plan(balances []DepositBalance, policy Policy, now time.Time) []DepositBalance {
	worth := worthSweeping(balances, policy, now)
	if len(worth) == 0 || !policy.ripe(worth, now) {
		return nil
	}
	slices.SortStableFunc(worth, func(a, b DepositBalance) int { return a.Oldest.Compare(b.Oldest) })
	batch := worth[:min(len(worth), policy.Batch)]
	slices.SortStableFunc(batch, func(a, b DepositBalance) int {
		return cmp.Or(cmp.Compare(a.Settlement, b.Settlement), cmp.Compare(a.Address.Address, b.Address.Address),
			cmp.Compare(a.Asset.Contract, b.Asset.Contract))
	})
	return batch
}

// worthSweeping returns the balances that may be in the next sweep.
func worthSweeping(balances []DepositBalance, policy Policy, now time.Time) []DepositBalance {
	batched := batchedWallets(balances, policy, now)
	return slices.DeleteFunc(slices.Clone(balances), func(b DepositBalance) bool {
		return !b.due(now) || !worthSingle(b, policy, now) && !(batchable(b, policy, now) && batched[b.Settlement])
	})
}

// ripe reports whether the balances are to be swept now: enough of them share the transaction, or one of them has
// waited long enough, and the others go with it.
func (p Policy) ripe(worth []DepositBalance, now time.Time) bool {
	if len(worth) >= p.Batch || p.Enough > 0 && len(worth) >= p.Enough {
		return true
	}
	sums := sumsByWallet(worth)
	return slices.ContainsFunc(worth, func(b DepositBalance) bool {
		return !now.Before(p.ripeAt(b, sums[b.Settlement]))
	})
}

// ripeAt is when a balance has waited long enough, if so much waits for its settlement wallet.
func (p Policy) ripeAt(b DepositBalance, sum money.Atto) time.Time {
	switch {
	case b.Urgent:
		return b.Oldest
	case sum.Cmp(max(p.AtOnce, b.AtOnce).Atto()) >= 0:
		return b.Oldest.Add(min(gatherFor, p.Wait))
	}
	return b.Oldest.Add(max(p.Wait, b.Wait))
}

func sumsByWallet(balances []DepositBalance) map[chain.Address]money.Atto {
	sums := make(map[chain.Address]money.Atto)
	for _, b := range balances {
		sums[b.Settlement] = sums[b.Settlement].Add(b.Due.Atto(b.Asset.Decimals))
	}
	return sums
}

// due reports whether there is money to move and the balance is not blocked.
func (b DepositBalance) due(now time.Time) bool {
	return b.Due.Cmp(money.Units{}) > 0 && !now.Before(b.BlockedUntil)
}

func (b DepositBalance) holds(least money.Micros) bool {
	return b.Due.Cmp(least.Units(b.Asset.Decimals)) >= 0
}

func (b DepositBalance) aged(policy Policy, now time.Time) bool {
	return now.Sub(b.Oldest) >= policy.Age
}

// worthSingle reports whether a balance is worth a transaction of its own.
func worthSingle(b DepositBalance, policy Policy, now time.Time) bool {
	return b.holds(policy.SingleDust()) &&
		(b.Urgent || b.aged(policy, now) || b.holds(max(policy.Least, b.Least)))
}

// batchable reports whether an old balance is worth sweeping in a batch, though
// not as a single.
func batchable(b DepositBalance, policy Policy, now time.Time) bool {
	return !b.holds(policy.SingleDust()) && b.holds(policy.BatchedDust()) && b.aged(policy, now)
}

// batchedWallets returns the settlement wallets whose batchable balances are
// together worth a sweep.
func batchedWallets(balances []DepositBalance, policy Policy, now time.Time) map[chain.Address]bool {
	sums := sumsByWallet(slices.DeleteFunc(slices.Clone(balances), func(b DepositBalance) bool {
		return !b.due(now) || !batchable(b, policy, now)
	}))
	worth := make(map[chain.Address]bool, len(sums))
	for wallet, sum := range sums {
		worth[wallet] = sum.Cmp(policy.Least.Atto()) >= 0
	}
	return worth
}
