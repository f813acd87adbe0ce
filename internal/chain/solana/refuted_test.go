package solana_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/chain/solana"
)

// TestScan_Refuted: a node says that a payment was larger, and another one refutes it. When the other one reports
// the same later, and the first one is right again, what the first one reported before does not count.
func TestScan_Refuted(t *testing.T) {
	t.Parallel()
	for name, scan := range map[string]scanning{"Scan": (*solana.Adapter).Scan, "Search": (*solana.Adapter).Search} {
		t.Run(name, func(t *testing.T) {
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
			first.set("getTransaction", lie)
			for _, paid := range scan.all(t, h.reader, heads.Final, to) {
				if paid.Source != first.name() {
					continue // Search reads through both
				}
				verdict, err := h.reader.Confirm(t.Context(), []chain.Transfer{paid}, heads.Final)
				if err != nil || verdict != chain.Missing {
					t.Fatalf("the lie of %s units was confirmed: %d, %v", paid.Units, verdict, err)
				}
			}
			first.set("getTransaction", nil)
			second.set("getTransaction", lie)
			for _, paid := range scan.all(t, h.reader, heads.Final, to) {
				if u := paid.Units.String(); paid.Source == first.name() && u != "4" && u != "5" {
					t.Errorf("%s units of the refuted lie were kept", u)
				}
			}
		})
	}
}

// scanning is a way to scan slots.
type scanning func(*solana.Adapter, context.Context, uint64, chain.Head, *chain.WatchSet) ([]chain.Transfer, error)

// all returns the two payments to the owner.
func (s scanning) all(t *testing.T, reader *solana.Adapter, to chain.Head, owner chain.Watched) []chain.Transfer {
	t.Helper()
	got, err := s(reader, t.Context(), 0, to, watching(owner))
	if err != nil || len(got) < 2 {
		t.Fatalf("%d transfers, %v", len(got), err)
	}
	return got
}
