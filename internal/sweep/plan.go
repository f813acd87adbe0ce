package sweep

import (
	"cmp"
	"slices"
	"time"

	"github.com/florinpay/florin/internal/money"
)

// Policy says when sweeping is worth its price.
type Policy struct {
	// Least is the smallest amount swept at once.
	Least money.Micros
	// Age is after how long smaller amounts are swept all the same.
	Age time.Duration
	// Wait is how long a pot may wait for others to share its transaction.
	Wait time.Duration
	// Batch is the most pots in one transaction; a batch this full does not wait.
	Batch int
}

// DefaultPolicy sweeps anything of a dollar or more within a minute, and dust
// once a day.
func DefaultPolicy() Policy {
	return Policy{Least: money.USD, Age: 24 * time.Hour, Wait: time.Minute, Batch: 100}
}

// Plan picks the pots of the next sweep: none of those that are blocked or too
// small and young, the oldest first, at most one batch, grouped by settlement
// wallet and asset because equal ones cost less together. It returns none while
// waiting for more is better.
func Plan(pots []Pot, policy Policy, now time.Time) []Pot {
	ripe := slices.DeleteFunc(slices.Clone(pots), func(p Pot) bool { return !worth(p, policy, now) })
	if len(ripe) == 0 {
		return nil
	}
	slices.SortStableFunc(ripe, func(a, b Pot) int { return a.Oldest.Compare(b.Oldest) })
	if len(ripe) < policy.Batch && now.Sub(ripe[0].Oldest) < policy.Wait {
		return nil
	}
	ripe = ripe[:min(len(ripe), policy.Batch)]
	slices.SortStableFunc(ripe, func(a, b Pot) int {
		return cmp.Or(cmp.Compare(a.Settlement, b.Settlement), cmp.Compare(a.Address.Address, b.Address.Address),
			cmp.Compare(a.Asset.Contract, b.Asset.Contract))
	})
	return ripe
}

func worth(p Pot, policy Policy, now time.Time) bool {
	if p.Due.Cmp(money.Units{}) <= 0 || now.Before(p.BlockedUntil) {
		return false
	}
	least := max(policy.Least, p.Least)
	return now.Sub(p.Oldest) >= policy.Age || p.Due.Cmp(least.Units(p.Asset.Decimals)) >= 0
}
