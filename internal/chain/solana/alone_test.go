package solana_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/chain/solana"
	"github.com/florinpay/florin/internal/money"
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

// TestAlone_StandsStill: of two nodes, one whose newest slot stands still, in the far future, and that answers the rest
// decides nothing, though it is asked first: what it invents is not what the one that is left says.
func TestAlone_StandsStill(t *testing.T) {
	t.Parallel()
	h := newLedger(t)
	reader, nodes, clock := h.through(t, 2, func(c *solana.Config) { c.Alone = chain.AloneSmall })
	to := h.Address()
	h.Pay(chaintest.Payment{To: to, Asset: h.Credited(), Units: 50_000_000})
	h.Mine(1)
	h.Finalize()
	got := scanWith(t, reader, to)
	if len(got) != 1 {
		t.Fatalf("found %+v", got)
	}
	lie := got[0]
	lie.Units, lie.Source = money.UnitsFromUint64(90_000_000), reader.Endpoints()[0].Name
	nodes[0].set("getSlot", func(_, _ json.RawMessage) json.RawMessage { return json.RawMessage("1000000000") })
	nodes[0].set("getTransaction", func(_, result json.RawMessage) json.RawMessage {
		return bytes.ReplaceAll(result, []byte(`"50000000"`), []byte(`"90000000"`))
	})
	for range (chain.AloneAfter + chain.AloneDepth + 5*time.Minute) / time.Minute {
		clock.advance(time.Minute)
		h.Mine(1)
		h.Finalize()
		mustHeads(t, reader)
	}
	heads := mustHeads(t, reader)
	if !heads.Alone {
		t.Fatalf("heads %+v, want that one node decides", heads)
	}
	if v, err := chain.JudgeAll(t.Context(), reader, []chain.Transfer{lie}, heads.Final); v == chain.Stands {
		t.Errorf("what the node that stands still invents stands, %v", err)
	}
	if v, err := chain.JudgeAll(t.Context(), reader, got, heads.Final); v != chain.Stands {
		t.Errorf("what was paid is judged %d, %v", v, err)
	}
}

// TestAlone_Future: of two nodes, one that always shows the same block of the far future makes it final for nobody, and
// the other one goes on.
func TestAlone_Future(t *testing.T) {
	t.Parallel()
	h := newLedger(t)
	reader, nodes, clock := h.through(t, 2, func(c *solana.Config) { c.Alone = chain.AloneSmall })
	pass := func(span time.Duration) chain.Heads {
		for range span / time.Minute {
			clock.advance(time.Minute)
			h.Mine(1)
			h.Finalize()
			_, _ = reader.Heads(t.Context())
		}
		return mustHeads(t, reader)
	}
	before := mustHeads(t, reader).Final.Number
	nodes[0].set("getSlot", func(_, _ json.RawMessage) json.RawMessage { return json.RawMessage("1000000000") })
	nodes[0].mu.Lock()
	nodes[0].deny["getBlock"] = func(params json.RawMessage) (status int, body string) {
		if !bytes.Contains(params, []byte("1000000000")) {
			return 0, ""
		}
		return http.StatusOK, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"result":{"blockhash":%q,"previousBlockhash":%[1]q,`+
			`"parentSlot":999999999,"blockTime":%d,"signatures":[]}}`, someHash, clock.Now().Unix())
	}
	nodes[0].mu.Unlock()
	at := pass(chain.AloneAfter + chain.AloneDepth + 5*time.Minute).Final
	if at.Number <= before || at.Number > 1_000_000 {
		t.Errorf("slot %d is final after %d", at.Number, before)
	}
	nodes[0].set("getSlot", nil)
	before = mustHeads(t, reader).Final.Number
	if at = pass(5 * time.Minute).Final; at.Number <= before || at.Number > 1_000_000 {
		t.Errorf("when it has stopped: slot %d is final after %d", at.Number, before)
	}
}

// someHash is the hash of a block that nobody made.
const someHash = "EkSnNWid2cvwEVnVx9aBqawnmiCNiDgp3gUdkDPTKN1N"
