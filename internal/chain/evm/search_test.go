package evm_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
)

// hides is an endpoint that shows no balance and lists no transfer.
var hides = chaintest.Faults{
	Omit: func(map[string]any) bool { return true },
	Answer: func(method string, _ []json.RawMessage) (any, bool) {
		return "0x" + strings.Repeat("0", 64), method == "eth_call"
	},
}

// TestSearch_OneHides: a balance and the transfers that explain it are found through
// whichever endpoint shows them, and the other endpoint is asked for confirmation.
func TestSearch_OneHides(t *testing.T) {
	t.Parallel()
	for hider := range 3 {
		s := newScript(t, 3)
		p, tx := s.pay()
		s.Finalize()
		s.endpoints[hider].Set(hides)
		at, watch := s.heads().Final, chain.NewWatchSet(1)
		watch.Add(p.To)
		got, err := chaintest.ScanTwice(t.Context(), s.reader, 0, at, watch)
		if err != nil || len(got) != 1 || got[0].Tx != tx {
			t.Fatalf("endpoint %d hides: found %+v, %v", hider, got, err)
		}
		if v, err := chain.JudgeAll(t.Context(), s.reader, got, at); err != nil || v != chain.Stands {
			t.Errorf("endpoint %d hides: verdict %d, %v", hider, v, err)
		}
		held, err := s.reader.MostHeld(
			t.Context(), s.Credited(), []chain.Address{p.To.Address, s.Address().Address}, at,
		)
		if err != nil || len(held) != 2 || held[0].Cmp(units(1)) != 0 || !held[1].IsZero() {
			t.Errorf("endpoint %d hides: held %v, %v", hider, held, err)
		}
	}
}

// TestSearch_OneAnswers: that nothing came takes two answers as of the block.
func TestSearch_OneAnswers(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]chaintest.Faults{"Down": {Down: 1}, "Behind": {Lag: 5}} {
		s := newScript(t, 2)
		p := s.Address()
		s.Mine(10)
		at, watch := s.heads().Final, chain.NewWatchSet(1)
		watch.Add(p)
		s.endpoints[1].Set(f)
		if _, err := s.reader.MostHeld(
			t.Context(), s.Credited(), []chain.Address{p.Address}, at,
		); !errors.Is(err, chain.ErrNoEndpoint) {
			t.Errorf("%s: balances: %v, want ErrNoEndpoint", name, err)
		}
		if _, err := chaintest.ScanTwice(t.Context(), s.reader, 0, at, watch); !errors.Is(err, chain.ErrNoEndpoint) {
			t.Errorf("%s: search: %v, want ErrNoEndpoint", name, err)
		}
	}
}
