package solana_test

import (
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/chain/solana"
)

// TestAlone_Both: while both nodes answer, neither decides alone.
func TestAlone_Both(t *testing.T) {
	t.Parallel()
	h := newLedger(t)
	reader, _, clock := h.through(t, 2, func(c *solana.Config) { c.Alone = chain.AloneSmall })
	for span := time.Duration(0); span < 2*(chain.AloneAfter+chain.AloneDepth); span += time.Minute {
		clock.advance(time.Minute)
		h.Mine(1)
		h.Finalize()
		if heads := mustHeads(t, reader); heads.Alone {
			t.Fatalf("after %s slot %d is final by the word of one node", span, heads.Final.Number)
		}
	}
}

// TestAlone: while one of two nodes is silent, the other one decides after a while about what is small.
func TestAlone(t *testing.T) {
	t.Parallel()
	for _, rule := range []chain.Alone{chain.AloneStop, chain.AloneSmall} {
		t.Run(string(rule), func(t *testing.T) {
			t.Parallel()
			h := newLedger(t)
			reader, nodes, clock := h.through(t, 2, func(c *solana.Config) { c.Alone = rule })
			before := mustHeads(t, reader).Final.Number
			nodes[1].refuse(503)
			small, large := h.Address(), h.Address()
			h.Pay(chaintest.Payment{To: small, Asset: h.Credited(), Units: 99_000_000})
			h.Pay(chaintest.Payment{To: large, Asset: h.Credited(), Units: 101_000_000})
			h.Mine(1)
			round := func(span time.Duration) chain.Head {
				for range span / time.Minute {
					clock.advance(time.Minute)
					h.Mine(1)
					h.Finalize()
					mustHeads(t, reader)
				}
				return mustHeads(t, reader).Final
			}
			if at := round(chain.AloneAfter + chain.AloneDepth - time.Minute); at.Number != before {
				t.Fatalf("slot %d is final by one node after %d", at.Number, before)
			}
			at := round(3 * time.Minute)
			decides := mustHeads(t, reader).Alone
			if decides != (rule == chain.AloneSmall) || decides != (at.Number > before) {
				t.Fatalf("slot %d is final after %d, alone %t", at.Number, before, decides)
			}
			if rule == chain.AloneStop {
				return
			}
			got := scanWith(t, reader, small, large)
			if len(got) != 2 {
				t.Fatalf("found %+v", got)
			}
			for _, one := range got {
				want := chain.Stands
				if one.To == large.Address {
					want = chain.Undecided
				}
				if v, err := chain.JudgeAll(t.Context(), reader, []chain.Transfer{one}, at); v != want {
					t.Errorf("%s: judged %d, %v; want %d", one.Units, v, err, want)
				}
			}
		})
	}
}
