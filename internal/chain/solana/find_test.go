package solana_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/chain/solana/rpc"
)

// TestFind_Contradiction: find has no payer send the money again because a node calls a transaction failed that its own
// status calls successful, and no slot is read again for one that is elsewhere.
func TestFind_Contradiction(t *testing.T) {
	t.Parallel()
	for name, alter := range map[string]func(string) string{
		"Failed":      replacing(`"err":null`, `"err":"AccountInUse"`),
		"OtherSlot":   replacing(`"slot":`, `"slot":7,"other":`),
		"FailedEmpty": replacing(`"err":null`, `"err":"AccountInUse","preTokenBalances":[],"postTokenBalances":[],"other":0`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newLedger(t)
			tx := h.Pay(chaintest.Payment{To: h.Address(), Asset: h.Credited(), Units: 5})
			h.Mine(1)
			reader, nodes, _ := h.through(t, 1)
			h.Finalize()
			nodes[0].set("getTransaction", func(_, result json.RawMessage) json.RawMessage {
				return json.RawMessage(alter(string(result)))
			})
			if found, err := reader.Find(t.Context(), tx); !errors.Is(err, rpc.ErrLagging) {
				t.Errorf("%+v, %v; want that the node contradicts itself", found, err)
			}
		})
	}
}
