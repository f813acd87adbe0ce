package solana_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/chain/solana"
)

// refusedMethods are ways in which a node does not serve one method, whatever is asked for.
func refusedMethods() map[string]func(n *node, method string) {
	list := make(map[string]func(n *node, method string))
	for name, answer := range map[string]struct {
		status int
		body   string
	}{
		"Unknown":   {http.StatusOK, rpcError(-32601, "Method not found")},
		"Forbidden": {http.StatusForbidden, "not in your plan"},
		"Gone":      {http.StatusGone, ""},
		"Failing":   {http.StatusInternalServerError, ""},
		"Dropped":   {dropped, ""},
		"Silent":    {silent, ""},
	} {
		list[name] = func(n *node, method string) { n.refuseMethod(method, answer.status, answer.body) }
	}
	return list
}

// TestBlockAt_WithoutList: a skipped slot has its head through nodes that do not list slots, and none rests for it.
func TestBlockAt_WithoutList(t *testing.T) {
	t.Parallel()
	for name, refuse := range refusedMethods() {
		for nodes := 1; nodes <= 3; nodes++ {
			t.Run(fmt.Sprintf("%s%d", name, nodes), func(t *testing.T) {
				t.Parallel()
				h := newLedger(t)
				reader, list, clock := h.through(t, nodes, func(c *solana.Config) { c.Timeout = 3 * time.Second })
				before := mustHeads(t, reader).Latest
				if err := h.ledger.Skip(4); err != nil {
					t.Fatal(err)
				}
				h.Mine(1)
				h.Finalize()
				for _, n := range list[:max(nodes-1, 1)] {
					refuse(n, "getBlocks")
				}
				clock.advance(time.Second)
				mustHeads(t, reader)
				at, ok, err := reader.BlockAt(t.Context(), before.Number+3)
				if err != nil || !ok || at.Hash != before.Hash {
					t.Errorf("a skipped slot is %+v, %v, %v; want the hash of %+v", at, ok, err, before)
				}
				wantAllReady(t, reader)
			})
		}
	}
}

// TestScan_WithoutFirstSlot: a node that does not say what it remembers delays new payments once, and not in each scan.
func TestScan_WithoutFirstSlot(t *testing.T) {
	t.Parallel()
	for nodes := 1; nodes <= 3; nodes++ {
		h := newLedger(t)
		reader, list, clock := h.through(t, nodes, func(c *solana.Config) { c.Timeout = 3 * time.Second })
		for _, n := range list[:max(nodes-1, 1)] {
			refusedMethods()["Silent"](n, "getFirstAvailableBlock")
		}
		var owners []chain.Watched
		for range 4 {
			owners = append(owners, h.Address(), h.Address())
			for _, to := range owners[len(owners)-2:] {
				h.Pay(chaintest.Payment{To: to, Asset: h.Credited(), Units: 5})
			}
			h.Mine(1)
			clock.advance(time.Second)
			if got := scanWith(t, reader, owners...); len(got) != len(owners) {
				t.Errorf("found %d of %d payments", len(got), len(owners))
			}
		}
		for _, n := range list {
			if asked := n.silenced(); asked > 1 {
				t.Errorf("of %d nodes one was waited for %d times in 4 scans", nodes, asked)
			}
		}
		wantAllReady(t, reader)
	}
}
