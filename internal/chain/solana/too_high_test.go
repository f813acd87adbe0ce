package solana_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
)

// TestReader_TooHigh: a slot or height that a database cannot hold is the fault of the node that names it.
func TestReader_TooHigh(t *testing.T) {
	t.Parallel()
	const most = "9223372036854775808"
	h := newLedger(t)
	p := chaintest.Payment{To: h.Address(), Asset: h.Credited(), Units: 5}
	tx := h.Pay(p)
	h.Mine(1)
	h.Finalize()
	for method, key := range map[string]string{
		"getSlot": "", "getTransaction": `"slot":`, "getSignaturesForAddress": `"slot":`,
	} {
		reader, nodes, _ := h.through(t, 1)
		at := mustHeads(t, reader).Final
		nodes[0].set(method, func(_, result json.RawMessage) json.RawMessage {
			if key == "" {
				return json.RawMessage(most)
			}
			before, after, has := bytes.Cut(result, []byte(key))
			if !has {
				return result
			}
			return slices.Concat(before, []byte(key+most), bytes.TrimLeft(after, "0123456789"))
		})
		var err error
		switch method {
		case "getSlot":
			_, err = reader.Heads(t.Context())
		case "getTransaction":
			_, err = reader.Find(t.Context(), tx)
		default:
			set := chain.NewWatchSet(1)
			set.Add(p.To)
			_, _, err = reader.Scan(t.Context(), 0, at, set)
		}
		if err == nil || !strings.Contains(err.Error(), "malformed answer") {
			t.Errorf("%s: %v", method, err)
		}
	}
}
