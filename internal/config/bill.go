package config

import (
	"fmt"

	"github.com/florinpay/florin/internal/chain/meter"
)

// bills says what the budgets of calls come to in a month, for each network that is on and has one.
func (c *Config) bills() []string {
	var lines []string
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
		line := fmt.Sprintf("# %s: %d endpoints with their budgets come to at most %d calls a month", n.Profile.Name,
			len(endpoints), month)
		if c.RPCPrice > 0 {
			line += fmt.Sprintf(", %s USD at FLORIN_RPC_PRICE", meter.CostOf(month, c.RPCPrice))
		}
		lines = append(lines, line)
	}
	return lines
}
