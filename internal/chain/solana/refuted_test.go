package solana_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
)

// TestScan_Refuted: a node says that a payment was larger, and another one refutes it. When the other one reports
// the same later, and the first one is right again, what the first one reported before does not count.
func TestScan_Refuted(t *testing.T) {
	t.Parallel()
	h, first, second := twoNodes(t)
	to := h.Address()
	for _, units := range []uint64{4, 5} {
		h.Pay(chaintest.Payment{To: to, Asset: h.Credited(), Units: units})
		h.Mine(1)
	}
	h.Finalize()
	lie := func(_, result json.RawMessage) json.RawMessage {
		return json.RawMessage(strings.ReplaceAll(string(result), `"amount":"4"`, `"amount":"2"`))
	}
	heads := mustHeads(t, h.reader)
	scan := func() []chain.Transfer {
		got, _, err := h.reader.Scan(t.Context(), 0, heads.Final, watching(to))
		if err != nil || len(got) != 2 {
			t.Fatalf("%d transfers, %v", len(got), err)
		}
		return got
	}
	first.set("getTransaction", lie)
	for _, paid := range scan() {
		verdict, err := chain.JudgeAll(t.Context(), h.reader, []chain.Transfer{paid}, heads.Final)
		if err != nil || verdict == chain.Stands {
			t.Fatalf("the lie of %s units was confirmed: %d, %v", paid.Units, verdict, err)
		}
	}
	first.set("getTransaction", nil)
	second.set("getTransaction", lie)
	for _, paid := range scan() {
		if u := paid.Units.String(); paid.Source == first.name() && u != "4" && u != "5" {
			t.Errorf("%s units of the refuted lie were kept", u)
		}
	}
}
