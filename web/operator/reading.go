package operator

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/views/operator"
	"github.com/florinpay/florin/views/panel"
)

// levels say how closely a network is read, by watch.Level.
var levels = map[string]string{
	"idle":     "No payment waits for money, so Florin only checks that the network answers",
	"ended":    "Florin looks for late money of payments that ended",
	"open":     "Florin looks for the money of open payments",
	"attended": "Florin looks closely, because a customer is paying now",
}

// calls says what reading a network costs. Days are those of UTC.
func (d *Surface) calls(n chain.Network) *operator.Calls {
	if d.Reading == nil {
		return nil
	}
	r, ok := d.Reading(n)
	if !ok {
		return nil
	}
	c := operator.Calls{
		Level: cmp.Or(levels[r.Level], r.Level), Pushes: r.Subscription,
		Today: chain.TotalCalls(r.Today), Month: r.Month,
	}
	if r.Budget > 0 {
		c.OfBudget = fmt.Sprintf("%d%% of %s", r.Spent, panel.Number(r.Budget))
	}
	for name, count := range chain.ByMethod(r.Today) {
		c.Methods = append(c.Methods, operator.Method{Name: name, Count: count})
	}
	slices.SortFunc(c.Methods, func(a, b operator.Method) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Name, b.Name))
	})
	return &c
}
