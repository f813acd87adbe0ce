package solana_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	solanago "github.com/gagliardetto/solana-go"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
)

// denies makes a node deny the transaction in one way.
func denies(how string, n *node, at chain.Transfer) {
	null := statusOf(func(map[string]any) any { return nil })
	switch how {
	case "Status":
		null(n, "", string(at.Tx))
	case "Failed":
		statusOf(func(s map[string]any) any { s["err"] = "AccountInUse"; return s })(n, "", string(at.Tx))
	case "Later":
		statusOf(func(s map[string]any) any { s["slot"] = 1_000_000; return s })(n, "", string(at.Tx))
	case "Block":
		null(n, "", string(at.Tx))
		n.set("getBlock", withoutSignatures)
	case "Fork":
		null(n, "", string(at.Tx))
		n.set("getBlock", func(params, result json.RawMessage) json.RawMessage {
			if !strings.HasPrefix(string(params), fmt.Sprintf("[%d,", at.Block.Number)) {
				return result
			}
			bare := string(withoutSignatures(params, result))
			return json.RawMessage(strings.Replace(bare, `"blockhash":"`, `"blockhash":"1`, 1))
		})
	case "Amount":
		n.set("getTransaction", func(_, result json.RawMessage) json.RawMessage {
			return json.RawMessage(strings.ReplaceAll(string(result), `"amount":"5"`, `"amount":"6"`))
		})
	case "Nothing":
		null(n, "", string(at.Tx))
		n.set("getBlock", always("null"))
	}
}

func withoutSignatures(_, result json.RawMessage) json.RawMessage {
	return json.RawMessage(strings.Replace(string(result), `"signatures":[`, `"others":[`, 1))
}

// recorded is a final payment on a ledger and a reader of it through so many nodes.
func recorded(t *testing.T, nodes int) (
	ask func(t *testing.T) (chain.Verdict, error), list []*node, paid chain.Transfer, h *ledgerHarness,
) {
	t.Helper()
	h = newLedger(t)
	to := h.Address()
	h.Pay(chaintest.Payment{To: to, Asset: h.Credited(), Units: 5})
	h.Mine(1)
	h.Finalize()
	got := h.scanned(t, to)
	wantUnits(t, got, 5)
	reader, list, _ := h.through(t, nodes)
	heads := mustHeads(t, reader)
	return func(t *testing.T) (chain.Verdict, error) {
		t.Helper()
		return chain.JudgeAll(t.Context(), reader, chaintest.Recorded(got[0]), heads.Final)
	}, list, got[0], h
}

// TestAbsent_Hostile: that a recorded payment is gone is believed from a quorum only, as is that it
// stands; a node that contradicts itself, or cannot answer, decides nothing.
func TestAbsent_Hostile(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name  string
		nodes []string // how each denies; empty: it is well
		want  chain.Verdict
	}{
		{"Well", []string{"", ""}, chain.Stands},
		{"FirstDenies", []string{"Block", ""}, chain.Undecided},
		{"SecondDenies", []string{"", "Block"}, chain.Undecided},
		{"TwoDeny", []string{"Block", "Block"}, chain.Missing},
		{"TwoShowAnotherAmount", []string{"Amount", "Amount"}, chain.Missing},
		{"TwoCallItFailed", []string{"Failed", "Failed"}, chain.Missing},
		{"TwoHaveItLater", []string{"Later", "Later"}, chain.Missing},
		{"TwoOnAFork", []string{"Fork", "Fork"}, chain.Missing},
		{"StatusOnly", []string{"Status", "Status"}, chain.Undecided}, // their blocks have it
		{"OneDeniesOneIsDown", []string{"Block", "down"}, chain.Undecided},
		{"OneIsDownOneDenies", []string{"down", "Failed"}, chain.Undecided},
		{"OneDeniesOneHasNothing", []string{"Block", "Nothing"}, chain.Undecided},
		{"ThirdHasIt", []string{"Status", "Block", ""}, chain.Undecided}, // the first says neither
		{"TwoOfThreeHaveIt", []string{"", "Block", ""}, chain.Stands},
		{"ThirdDenies", []string{"Block", "down", "Block"}, chain.Missing},
		{"SingleWell", []string{""}, chain.Stands},
		{"SingleHidesIt", []string{"Block"}, chain.Undecided}, // the hash of the block commits to it
		{"SingleOtherAmount", []string{"Amount"}, chain.Undecided},
		{"SingleCallsItFailed", []string{"Failed"}, chain.Undecided},
		{"SingleLater", []string{"Later"}, chain.Undecided},
		{"SingleOnAFork", []string{"Fork"}, chain.Missing},
		{"SingleNothing", []string{"Nothing"}, chain.Undecided},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			ask, list, paid, _ := recorded(t, len(c.nodes))
			for i, how := range c.nodes {
				if how == "down" {
					list[i].refuse(503)
				}
				denies(how, list[i], paid)
			}
			if got, err := ask(t); err != nil || got != c.want {
				t.Errorf("verdict %d, %v; want %d", got, err, c.want)
			}
		})
	}
}

// TestAbsent_LedgerHole: a node that started from a snapshot calls the slots before it skipped. It does not deny what
// it cannot know.
func TestAbsent_LedgerHole(t *testing.T) {
	t.Parallel()
	for nodes := 1; nodes <= 2; nodes++ {
		ask, list, paid, _ := recorded(t, nodes)
		for _, n := range list {
			denies("Status", n, paid)
			hole := fmt.Sprintf("[%d,", paid.Block.Number)
			n.failFor("getBlock", hole, 200, rpcError(-32007, "Slot was skipped, or missing"))
			n.set("getBlocks", func(_, result json.RawMessage) json.RawMessage {
				var slots []uint64
				if json.Unmarshal(result, &slots) != nil {
					return result
				}
				kept := []uint64{}
				for _, s := range slots {
					if s != paid.Block.Number {
						kept = append(kept, s)
					}
				}
				out, err := json.Marshal(kept)
				if err != nil {
					return result
				}
				return out
			})
		}
		if got, err := ask(t); err != nil || got != chain.Undecided {
			t.Errorf("%d nodes with a hole: verdict %d, %v; want Undecided", nodes, got, err)
		}
	}
}

// TestAbsent_Skipped: a slot that the cluster skipped in place of the recorded one denies the payment.
func TestAbsent_Skipped(t *testing.T) {
	t.Parallel()
	for nodes := 1; nodes <= 2; nodes++ {
		h := deepLedger(t, 40)
		h.Mine(60)
		to := h.Address()
		h.Pay(chaintest.Payment{To: to, Asset: h.Credited(), Units: 5})
		h.Mine(1)
		got := h.scanned(t, to)
		wantUnits(t, got, 5)
		h.Reorg(1, false)
		if err := h.ledger.Skip(3); err != nil {
			t.Fatal(err)
		}
		h.Mine(60)
		reader, _, _ := h.through(t, nodes)
		verdict, err := chain.JudgeAll(t.Context(), reader, chaintest.Recorded(got[0]), mustHeads(t, reader).Final)
		if err != nil || verdict != chain.Missing {
			t.Errorf("%d nodes: verdict %d, %v; want Missing", nodes, verdict, err)
		}
		// An endpoint that invents a payment in a skipped slot names the block that stands for it, an earlier one.
		invented, skipped := chaintest.Recorded(got[0]), got[0].Block.Number+3
		invented[0].Tx = chain.TxHash(solanago.Signature{1}.String())
		invented[0].Block, _, err = reader.BlockAt(t.Context(), skipped)
		if err != nil {
			t.Fatal(err)
		}
		if nodes == 1 { // it contradicts itself
			continue
		}
		for _, upTo := range []uint64{skipped, skipped + 5} { // the end of a range
			end, ok, err := reader.BlockAt(t.Context(), upTo)
			if err != nil || !ok {
				t.Fatalf("slot %d: %t, %v", upTo, ok, err)
			}
			verdict, err := chain.JudgeAll(t.Context(), reader, invented, end)
			if err != nil || verdict != chain.Missing {
				t.Errorf("invented, up to slot %d: verdict %d, %v; want Missing", upTo, verdict, err)
			}
		}
	}
}
