package settlement

import (
	"cmp"
	"slices"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
)

// Policy says when sweeping is worth its price.
type Policy struct {
	// Least is the smallest amount swept at once.
	Least money.Micros
	// Age is after how long smaller amounts are swept too, unless they are dust.
	Age time.Duration
	// Dust is what a transaction for a single balance may cost, in USD: a
	// smaller balance is never swept by itself, however old. The operator sets
	// it, since the program does not know the price of a native coin. 0: nothing
	// is dust.
	Dust money.Micros
	// Wait is how long a balance may wait for others to share its transaction.
	Wait time.Duration
	// Batch is the most balances in one transaction; a full batch does not wait.
	Batch int
}

// DefaultPolicy sweeps a dollar or more within a minute, and less once a day.
// Five cents is above what a balance costs at ordinary prices of gas, and about
// what it costs at the highest price a sweep pays (measured by the gas bench).
func DefaultPolicy() Policy {
	return Policy{Least: money.USD, Age: 24 * time.Hour, Dust: money.USD / 20, Wait: time.Minute, Batch: 100}
}

// batchedShare is what part of the price of a single each balance of a batch
// costs, at most: a first sweep takes 58,000 gas in a batch and 90,000 as a
// single; that of an address swept before, a fifth of that.
const batchedShare = 2 // one half

// BatchedDust is the least a balance must hold to be swept in a batch.
func (p Policy) BatchedDust() money.Micros { return p.Dust / batchedShare }

// Plan picks the balances of the next sweep: none that is blocked, dust, or
// small and young; the oldest first, at most one batch. They are ordered by
// settlement wallet and asset, since equal ones cost less in sequence. It returns
// none while waiting for more is better.
func Plan(balances []DepositBalance, policy Policy, now time.Time) []DepositBalance {
	batched := batchedWallets(balances, policy, now)
	ripe := slices.DeleteFunc(slices.Clone(balances), func(b DepositBalance) bool {
		return !b.due(now) || !worthSingle(b, policy, now) && !(batchable(b, policy, now) && batched[b.Settlement])
	})
	if len(ripe) == 0 {
		return nil
	}
	slices.SortStableFunc(ripe, func(a, b DepositBalance) int { return a.Oldest.Compare(b.Oldest) })
	if len(ripe) < policy.Batch && now.Sub(ripe[0].Oldest) < policy.Wait {
		return nil
	}
	ripe = ripe[:min(len(ripe), policy.Batch)]
	slices.SortStableFunc(ripe, func(a, b DepositBalance) int {
		return cmp.Or(cmp.Compare(a.Settlement, b.Settlement), cmp.Compare(a.Address.Address, b.Address.Address),
			cmp.Compare(a.Asset.Contract, b.Asset.Contract))
	})
	return ripe
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
	return b.holds(policy.Dust) && (b.aged(policy, now) || b.holds(max(policy.Least, b.Least)))
}

// batchable reports whether an old balance is worth sweeping in a batch, though
// not as a single.
func batchable(b DepositBalance, policy Policy, now time.Time) bool {
	return !b.holds(policy.Dust) && b.holds(policy.BatchedDust()) && b.aged(policy, now)
}

// batchedWallets returns the settlement wallets whose batchable balances are
// together worth a sweep.
func batchedWallets(balances []DepositBalance, policy Policy, now time.Time) map[chain.Address]bool {
	sums := make(map[chain.Address]money.Atto)
	worth := make(map[chain.Address]bool)
	for _, b := range balances {
		if b.due(now) && batchable(b, policy, now) {
			sums[b.Settlement] = sums[b.Settlement].Add(b.Due.Atto(b.Asset.Decimals))
			worth[b.Settlement] = sums[b.Settlement].Cmp(policy.Least.Atto()) >= 0
		}
	}
	return worth
}
