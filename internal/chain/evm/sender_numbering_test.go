package evm_test

import (
	"encoding/json"
	"testing"

	"github.com/florinpay/florin/internal/chain"
)

// TestSweeps_OtherNumbering: an endpoint that numbers the logs of a receipt otherwise than the block says the same of a
// sweep as the others, also where one of them has lost its index and is asked for the logs of the block.
func TestSweeps_OtherNumbering(t *testing.T) {
	t.Parallel()
	g := newGeth(t, chain.Polygon)
	items := []chain.SweepItem{g.item(1, 10)}
	g.Mine(1)
	other, usual := newProxy(t, g.chain.URL()), newProxy(t, g.chain.URL())
	other.set("eth_getTransactionReceipt", renumbered)
	two, _ := g.through(other.URL, usual.URL)
	swapped, _ := g.through(usual.URL, other.URL)
	a := g.mustSign(two, items)
	g.mustBroadcast(two, a)
	g.Mine(1)
	g.Finalize()
	g.mustTrack(two, chain.TxFinal, items, a)
	g.mustTrack(swapped, chain.TxFinal, items, a)
	usual.loseIndex()
	g.mustTrack(two, chain.TxIncluded, items, a) // and notes that the nonce is used
	g.Finalize()
	g.mustTrack(two, chain.TxFinal, items, a)
}

// renumbered gives the logs of a receipt other indexes.
func renumbered(_, result json.RawMessage) json.RawMessage {
	var receipt struct {
		Logs []map[string]any `json:"logs"`
	}
	var whole map[string]any
	if json.Unmarshal(result, &receipt) != nil || json.Unmarshal(result, &whole) != nil || whole == nil {
		return result
	}
	for _, l := range receipt.Logs {
		l["logIndex"] = "0x77"
	}
	whole["logs"] = receipt.Logs
	changed, _ := json.Marshal(whole)
	return changed
}
