package config

import "testing"

// TestNetwork_CallRate: every endpoint has a rate that is never exceeded; only a node of one's own has none.
func TestNetwork_CallRate(t *testing.T) {
	t.Parallel()
	for budget, want := range map[string]float64{
		"": 25, "5000": 25, "unlimited": 0, "unlimited,unlimited": 0, "100000,unlimited": 25, "unlimited,100000": 25,
		"8640000": 1000, "86400000,8640000": 1000,
	} {
		c := load(t, "FLORIN_BASE_RPC=https://a.example.com", "FLORIN_BASE_RPC_BUDGET="+budget,
			"FLORIN_BASE_RPC_RATE=7") // no setting any more
		if got := c.Networks[0].CallRate(); got != want {
			t.Errorf("with a budget of %q an endpoint gets %g calls in a second, want %g", budget, got, want)
		}
	}
}
