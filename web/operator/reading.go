package operator

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/views/panel"
)

// levels say how closely a network is read, by watch.Level.
var levels = map[string]string{
	"idle":     "No payment waits for money, so Florin only checks that the network answers",
	"ended":    "Florin looks for late money of payments that ended",
	"open":     "Florin looks for the money of open payments",
	"attended": "Florin looks closely, because a customer is paying now",
}

// reading says what reading a network costs, and which methods were called how often today. Days are those of UTC.
func (d *Surface) reading(n chain.Network) (text, methods string) {
	if d.Reading == nil {
		return "", ""
	}
	r, ok := d.Reading(n)
	if !ok {
		return "", ""
	}
	text = cmp.Or(levels[r.Level], r.Level) + ". " + panel.Number(chain.TotalCalls(r.Today)) + " calls today"
	if r.Budget > 0 {
		text += fmt.Sprintf(", %d%% of the budget of %s", r.Spent, panel.Number(r.Budget))
	}
	text += "; a month comes to about " + panel.Number(r.Month) + " calls"
	if text += "."; r.Subscription != "" {
		text += " Pushes: " + r.Subscription + "."
	}
	by := chain.ByMethod(r.Today)
	names := slices.SortedFunc(maps.Keys(by), func(a, b string) int {
		return cmp.Or(cmp.Compare(by[b], by[a]), cmp.Compare(a, b))
	})
	parts := make([]string, len(names))
	for i, name := range names {
		parts[i] = name + " " + panel.Number(by[name])
	}
	if len(parts) == 0 {
		return text, ""
	}
	return text, "By method: " + strings.Join(parts, ", ") + "."
}
