package sender

import "testing"

// TestLeastTip: the tip that a refusal demands is found, and no other number.
func TestLeastTip(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]string{
		"transaction underpriced: gas tip cap 50000000, minimum needed 1000000000":       "1000000000",
		"transaction gas price below minimum: gas tip cap 1, minimum needed 25000000000": "25000000000",
		"transaction underpriced: tip needed 1000000000, tip permitted 50000000":         "1000000000",
		"max priority fee per gas less than the minimum of 100000000 wei":                "100000000",
		"gas price must be at least 1000000000":                                          "1000000000",
		"gas tip cap 0.05 gwei, minimum needed 1 gwei":                                   "1000000000",
		"max priority fee is below the minimum: 2.5gwei":                                 "2500000000",
		"intrinsic gas too low: gas 20999, minimum needed 21000":                         "",
		"replacement transaction underpriced":                                            "",
		"nonce too low: next nonce 1000000000, tx nonce 7":                               "",
		"insufficient funds: balance 1000000000, tx cost 2000000000":                     "",
	} {
		got := ""
		if tip := demanded(message); tip != nil {
			got = tip.String()
		}
		if got != want {
			t.Errorf("%q: %q, want %q", message, got, want)
		}
	}
}
