package config

import (
	"fmt"

	"github.com/florinpay/florin/internal/chain/meter"
)

// bills says what the budgets of calls come to in a month, for each network that is on and has one.
func (c *Config) bills() []string {
	var lines []string
	var all int64
	networks := 0
	for _, n := range c.Networks {
		var day int64
		endpoints := n.Endpoints()
		for i := range endpoints {
			b := n.RPCBudget[min(i, len(n.RPCBudget)-1)]
			if day += b; b == 0 {
				day = 0
				break
			}
		}
		if day == 0 {
			continue
		}
		month := int64(float64(day) * meter.DaysOfMonth)
		of := "the budget of 1 endpoint comes"
		if len(endpoints) > 1 {
			of = fmt.Sprintf("the budgets of %d endpoints come", len(endpoints))
		}
		lines = append(
			lines, fmt.Sprintf("# %s: %s to at most %d calls a month%s", n.Profile.Name, of, month, c.priced(month)),
		)
		all += day
		networks++
	}
	if networks > 1 {
		month := int64(float64(all) * meter.DaysOfMonth)
		lines = append(lines, fmt.Sprintf("# all networks: at most %d calls a month%s", month, c.priced(month)))
	}
	return lines
}

// priced says what the calls cost, if the operator has set a price.
func (c *Config) priced(calls int64) string {
	if c.RPCPrice == 0 {
		return ""
	}
	return fmt.Sprintf(", %s USD at FLORIN_RPC_PRICE", meter.CostOf(calls, c.RPCPrice))
}
