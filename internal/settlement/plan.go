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
	// Age is after how long smaller amounts are swept all the same, unless
	// they are dust.
	Age time.Duration
	// Dust is what moving one pot alone may cost, in USD: no pot of less is
	// moved by itself, however old. The program does not know what a native
	// coin is worth, so this is the operator's word for it. 0: nothing is dust.
	Dust money.Micros
	// Wait is how long a pot may wait for others to share its transaction.
	Wait time.Duration
	// Batch is the most pots in one transaction; a batch this full does not wait.
	Batch int
}

// DefaultPolicy sweeps anything of a dollar or more within a minute, and what is
// less once a day. Five cents is above what a pot costs at ordinary prices of
// gas, and about what it costs at the highest a sweep pays (figures: docs of
// the gas bench).
func DefaultPolicy() Policy {
	return Policy{Least: money.USD, Age: 24 * time.Hour, Dust: money.USD / 20, Wait: time.Minute, Batch: 100}
}

// companyShare is what part of the price of moving a pot alone each pot costs
// that is moved with others, at most: a first sweep in a batch takes 58,000 gas
// and 90,000 alone; one of an address swept before, a fifth of that.
const companyShare = 2 // one half

// Company is the least a pot must hold to go along with others of its merchant.
func (p Policy) Company() money.Micros { return p.Dust / companyShare }

// Plan picks the pots of the next sweep: none of those that are blocked or too
// small and young, no dust, the oldest first, at most one batch, grouped by settlement
// wallet and asset because equal ones cost less together. It returns none while
// waiting for more is better.
func Plan(pots []DepositBalance, policy Policy, now time.Time) []DepositBalance {
	together := gathered(pots, policy, now)
	ripe := slices.DeleteFunc(slices.Clone(pots), func(p DepositBalance) bool {
		return !p.due(now) || !worth(p, policy, now) && !(company(p, policy, now) && together[p.Settlement])
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

// due reports whether there is anything to move, and moving it may be tried.
func (p DepositBalance) due(now time.Time) bool {
	return p.Due.Cmp(money.Units{}) > 0 && !now.Before(p.BlockedUntil)
}

func (p DepositBalance) holds(least money.Micros) bool {
	return p.Due.Cmp(least.Units(p.Asset.Decimals)) >= 0
}

func (p DepositBalance) aged(policy Policy, now time.Time) bool {
	return now.Sub(p.Oldest) >= policy.Age
}

// worth reports whether a pot is a reason to sweep.
func worth(p DepositBalance, policy Policy, now time.Time) bool {
	return p.holds(policy.Dust) && (p.aged(policy, now) || p.holds(max(policy.Least, p.Least)))
}

// company reports whether an old pot is worth what it costs to move it with
// others, though not alone.
func company(p DepositBalance, policy Policy, now time.Time) bool {
	return !p.holds(policy.Dust) && p.holds(policy.Company()) && p.aged(policy, now)
}

// gathered tells to which settlement wallets so much is owed in such pots that
// moving them together is worth it.
func gathered(pots []DepositBalance, policy Policy, now time.Time) map[chain.Address]bool {
	sums := make(map[chain.Address]money.Atto)
	enough := make(map[chain.Address]bool)
	for _, p := range pots {
		if p.due(now) && company(p, policy, now) {
			sums[p.Settlement] = sums[p.Settlement].Add(p.Due.Atto(p.Asset.Decimals))
			enough[p.Settlement] = sums[p.Settlement].Cmp(policy.Least.Atto()) >= 0
		}
	}
	return enough
}
