package main

import "github.com/florinpay/florin/internal/chain"

// priceList is what a provider has published: what a call costs in its unit, what a month includes, and what more
// costs.
type priceList struct {
	name string
	// dated is when the list was read or written down, and where.
	dated string
	// free is how many units a month the free plan holds; 0: there is none.
	free float64
	// plan is what the paid plan costs a month, with so many units in it, and million what a million more cost, in USD.
	plan, included, million float64
	// units is what a call costs.
	units func(n chain.Network, method string) float64
}

// computeUnits are Alchemy's, where they are not the usual 20. Those of Solana's methods are not in the copy that was
// read and count as the usual.
var computeUnits = map[string]float64{
	"eth_chainId": 0, "eth_blockNumber": 10, "eth_call": 26, "eth_getLogs": 60,
	// What a subscription pushes costs 0.04 a byte; the header of a block has about 1,700.
	notification: 68,
}

const usualComputeUnits = 20

// ankrSolana is what Solana's calls cost at Ankr relative to those of EVM networks: 500 credits instead of 200.
const ankrSolana = 2.5

// ankrNotification is what a push of an EVM network costs there: 100 credits instead of 200.
const ankrNotification = 0.5

// priceLists are three published lists. Prices change: read them again before you rely on them.
var priceLists = []priceList{
	{
		name:  "Alchemy, pay as you go",
		dated: "alchemy.com/docs/reference/compute-unit-costs and pay-as-you-go-pricing-faq, stored copies of 2026",
		free:  30e6, million: 0.45,
		units: func(_ chain.Network, method string) float64 {
			if units, known := computeUnits[method]; known {
				return units
			}
			return usualComputeUnits
		},
	},
	{
		name:  "Chainstack, Growth",
		dated: "chainstack.com/pricing as written down by api-evangelist/chainstack on 2026-05-25",
		free:  3e6, plan: 49, included: 20e6, million: 15,
		units: func(chain.Network, string) float64 { return 1 },
	},
	{
		name:    "Ankr, pay as you go",
		dated:   "ankr.com/docs/rpc-service/pricing, stored copy of 2026; in calls to EVM networks",
		million: 20,
		units: func(n chain.Network, method string) float64 {
			switch {
			case n == chain.Solana:
				return ankrSolana
			case method == notification:
				return ankrNotification
			}
			return 1
		},
	},
}

// daysOfMonth is how many days a month has on average.
const daysOfMonth = 365.0 / 12

// month returns what the calls of such days cost in a month, in USD, and whether the free plan holds them.
func (l priceList) month(perDay map[chain.Network]usage) (usd float64, free bool) {
	units := 0.0
	for n, u := range perDay {
		for method, calls := range u.calls {
			units += l.units(n, method) * float64(calls) * daysOfMonth
		}
	}
	if units <= l.free {
		return 0, true
	}
	return l.plan + max(units-l.included, 0)/1e6*l.million, false
}
