package solana_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
)

// hide makes a node show no account and list no transaction.
func (n *node) hide() {
	n.set("getMultipleAccounts", func(_, result json.RawMessage) json.RawMessage {
		var answer struct {
			Context json.RawMessage    `json:"context"`
			Value   []*json.RawMessage `json:"value"`
		}
		if json.Unmarshal(result, &answer) != nil {
			return result
		}
		clear(answer.Value)
		out, err := json.Marshal(answer)
		if err != nil {
			return result
		}
		return out
	})
	n.set("getSignaturesForAddress", always("[]"))
}

// TestSearch_OneHides: a balance and the transfers that explain it are found through whichever node shows them, also
// after scans and searches that found nothing, and the other node is asked for confirmation.
func TestSearch_OneHides(t *testing.T) {
	t.Parallel()
	for hider := range 2 {
		h := newLedger(t)
		to := h.Address()
		reader, nodes, _ := h.through(t, 2)
		nodes[hider].hide()
		h.Pay(chaintest.Payment{To: to, Asset: h.Credited(), Units: 5})
		h.Mine(1)
		h.Finalize()
		at := mustHeads(t, reader).Final
		if got, _, err := reader.Scan(t.Context(), 1, at, watching(to)); hider == 0 && (err != nil || len(got) != 0) {
			t.Fatalf("the first node hides nothing: %+v, %v", got, err)
		}
		for range 2 {
			got, err := chaintest.ScanTwice(t.Context(), reader, 1, at, watching(to))
			if err != nil {
				t.Fatalf("node %d hides: %v", hider, err)
			}
			wantUnits(t, got, 5)
			if v, err := chain.JudgeAll(t.Context(), reader, got, at); err != nil || v != chain.Stands {
				t.Errorf("node %d hides: verdict %d, %v", hider, v, err)
			}
		}
		held, err := reader.MostHeld(t.Context(), h.Credited(), []chain.Address{to.Address, h.Address().Address}, at)
		if err != nil || len(held) != 2 || held[0].Big().Uint64() != 5 || !held[1].IsZero() {
			t.Errorf("node %d hides: held %v, %v", hider, held, err)
		}
	}
}

// TestSearch_OneAnswers: that nothing came takes two answers as of the slot.
func TestSearch_OneAnswers(t *testing.T) {
	t.Parallel()
	h := newLedger(t)
	to := h.Address()
	h.Finalize()
	reader, nodes, _ := h.through(t, 2)
	at := mustHeads(t, reader).Final
	nodes[1].refuse(503)
	if _, err := reader.MostHeld(
		t.Context(), h.Credited(), []chain.Address{to.Address}, at,
	); !errors.Is(err, chain.ErrNoEndpoint) {
		t.Errorf("balances: %v, want ErrNoEndpoint", err)
	}
	if _, err := chaintest.ScanTwice(t.Context(), reader, 1, at, watching(to)); !errors.Is(err, chain.ErrNoEndpoint) {
		t.Errorf("search: %v, want ErrNoEndpoint", err)
	}
}

// TestBalances_OneUnread: an account for which nodes fail, in whatever way, is the only one whose balance is not known
// where no quorum reads it, and no node rests for it.
func TestBalances_OneUnread(t *testing.T) {
	t.Parallel()
	for name, spoil := range hostileAccounts() {
		if !strings.HasPrefix(name, "Account") {
			continue
		}
		for _, nodes := range [][2]int{{1, 1}, {2, 1}, {3, 1}, {3, 2}} {
			h := newLedger(t)
			var of []chain.Address
			var bad string
			for i := range uint64(20) {
				to := h.Address()
				if of = append(of, to.Address); i == 7 {
					bad = h.account(to).String()
				}
				h.Pay(chaintest.Payment{To: to, Asset: h.Credited(), Units: i + 1})
			}
			h.Mine(1)
			h.Finalize()
			reader, list, _ := h.through(t, nodes[0])
			at := mustHeads(t, reader).Final
			for _, n := range list[:nodes[1]] {
				spoil(n, bad, "")
			}
			known := nodes[0]-nodes[1] >= chain.Quorum(nodes[0])
			for asked, some := range [][]chain.Address{of, of[7:8], of} {
				held, err := reader.MostHeld(t.Context(), h.Credited(), some, at)
				unread, _ := errors.AsType[*chain.UnreadError](err)
				if (err == nil) != known || !known && (unread == nil || !slices.Equal(unread.Addresses, of[7:8])) {
					t.Fatalf("%s for %v: balances %v, %v", name, nodes, held, err)
				}
				for i := range held {
					if asked != 1 && (known || i != 7) && held[i].Big().Uint64() != uint64(i)+1 { //nolint:gosec // small
						t.Errorf("%s for %v: address %d holds %s", name, nodes, i, held[i])
					}
				}
			}
			for _, e := range reader.Endpoints() {
				if !e.CoolUntil.IsZero() {
					t.Errorf("%s for %v: %s rests: %s", name, nodes, e.Name, e.Reason)
				}
			}
		}
	}
}
