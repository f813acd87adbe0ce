package app

import (
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/payment/watch"
)

// callsOf lists how often each endpoint was called today, in the configured order.
func (x *network) callsOf() []int64 {
	by := chain.ByEndpoint(x.calls.Today(x.Profile.Network))
	endpoints := x.reader.Endpoints()
	counts := make([]int64, len(endpoints))
	for i, e := range endpoints {
		counts[i] = by[e.Name]
	}
	return counts
}

// spent returns how much of the day's budget is spent, in per cent.
func (x *network) spent() int64 { return x.budget.SpentPercent(x.callsOf()) }

// refundSlowdown is by what factor the transfers of refunds are looked for less often: as the money of payments that
// nobody looks at.
func (all networks) refundSlowdown(n chain.Network) int64 {
	if x, ok := all[n]; ok {
		return watch.Open.Slowdown(x.spent())
	}
	return 1
}

// listsByNetwork returns a new allowance for listing token accounts on each network.
func (all networks) listsByNetwork() map[chain.Network]*chain.Lists {
	lists := make(map[chain.Network]*chain.Lists, len(all))
	for n, x := range all {
		lists[n] = x.budget.Lists(x.now)
	}
	return lists
}

// Reading returns what reading the network costs; ok is false if it is not configured.
func (all networks) Reading(n chain.Network) (r chain.CallReport, ok bool) {
	x, ok := all[n]
	if !ok {
		return r, false
	}
	counts := x.callsOf()
	r = chain.CallReport{
		Level: x.watcher.Level().String(), Today: x.calls.Today(n), Month: x.calls.Month(n),
		Spent: x.budget.SpentPercent(counts),
	}
	for i := range counts {
		if b := x.budget.Of(i); b > 0 && (chain.Budgets{b}).SpentPercent(counts[i:i+1]) >= r.Spent {
			r.Budget = b
		}
	}
	if x.feed != nil {
		r.Subscription = x.feed.Status()
	}
	return r, true
}
