package solana_test

import (
	"encoding/json"
	"regexp"
	"testing"

	"github.com/florinpay/florin/internal/chain"
)

var validUntil = regexp.MustCompile(`"lastValidBlockHeight":\d+`)

// TestSender_WrongHeight: a node that names a wrong last height for its blockhash does not keep a sweep that was not
// included from being made again, or have it made twice.
func TestSender_WrongHeight(t *testing.T) {
	t.Parallel()
	for name, height := range map[string]string{"High": "900000000000", "Low": "1"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for nodes := 1; nodes <= 3; nodes++ {
				h := newLedger(t)
				s := newTill(t, h.harness)
				s.fill(gasFunds)
				items := []chain.SweepItem{s.deposit(t, s.assets[0], 4)}
				s.Mine(1)
				_, list := s.among(t, h, nodes)
				for _, n := range list[:max(nodes-1, 1)] {
					n.set("getLatestBlockhash", lastHeight(height))
				}
				a := s.mustSign(t, items)
				if name == "Low" {
					seen, err := s.sender.Track(t.Context(), items, []chain.Attempt{a})
					if seen.Status == chain.TxDropped {
						t.Errorf("dropped at once: %+v, %v", seen, err)
					}
				}
				s.Mine(320)
				s.Finalize()
				s.track(t, chain.TxDropped, items, a)
			}
		})
	}
}

// lastHeight names another last height for the blockhash.
func lastHeight(height string) func(params, result json.RawMessage) json.RawMessage {
	return func(_, result json.RawMessage) json.RawMessage {
		return validUntil.ReplaceAll(result, []byte(`"lastValidBlockHeight":`+height))
	}
}
