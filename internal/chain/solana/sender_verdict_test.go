package solana_test

import (
	"encoding/json"
	"strings"
	"testing"

	solanago "github.com/gagliardetto/solana-go"
)

// TestSender_Verdicts: what one node says against a sweep is no verdict while another one would make it.
func TestSender_Verdicts(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(s *till, n *node){
		"Price": func(_ *till, n *node) {
			n.set("getRecentPrioritizationFees", always(`[{"slot":1,"prioritizationFee":900000000}]`))
		},
		"NoGas": func(s *till, n *node) { n.poor(solanago.PublicKey(s.gas.PublicKey()).String()) },
		"Failed": func(_ *till, n *node) {
			n.set("simulateTransaction", always(`{"value":{"err":{"InstructionError":[0,"Custom"]}}}`))
		},
		"Fee":   func(_ *till, n *node) { n.set("getFeeForMessage", always(`{"value":900000000000}`)) },
		"Rent":  func(_ *till, n *node) { n.set("getMinimumBalanceForRentExemption", always(`900000000000`)) },
		"Empty": func(_ *till, n *node) { n.poor("") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for nodes := 2; nodes <= 3; nodes++ {
				sweepsOnce(t, nodes, spoil)
			}
		})
	}
}

// poor makes the node show no account where the parameters name the key.
func (n *node) poor(key string) {
	n.set("getMultipleAccounts", func(params, result json.RawMessage) json.RawMessage {
		var asked []json.RawMessage
		var keys []string
		var answer struct {
			Context any   `json:"context"`
			Value   []any `json:"value"`
		}
		if json.Unmarshal(params, &asked) != nil || json.Unmarshal(asked[0], &keys) != nil ||
			json.Unmarshal(result, &answer) != nil {
			return result
		}
		for i, k := range keys {
			if strings.Contains(k, key) {
				answer.Value[i] = nil
			}
		}
		out, err := json.Marshal(answer)
		if err != nil {
			return result
		}
		return out
	})
}
