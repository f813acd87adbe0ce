package solana_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
)

// TestScan_WithoutBalances: a transaction that nodes show without what it did to token accounts is not taken for one
// that did nothing, by the scan or by the judgement, however old it is: what an account holds must come from somewhere.
func TestScan_WithoutBalances(t *testing.T) {
	t.Parallel()
	for name, lacking := range map[string]func(string) string{
		"Missing": replacing(`TokenBalances":`, `Others":`),
		"Null": func(tx string) string {
			return strings.NewReplacer(`"preTokenBalances":`, `"preTokenBalances":null,"x":`,
				`"postTokenBalances":`, `"postTokenBalances":null,"y":`).Replace(tx)
		},
		"After": replacing(`"postTokenBalances":`, `"others":`),
	} {
		for nodes := 1; nodes <= 3; nodes++ {
			t.Run(fmt.Sprintf("%s%d", name, nodes), func(t *testing.T) {
				t.Parallel()
				h := newLedger(t)
				victim, other := h.Address(), h.Address()
				tx := string(h.Pay(chaintest.Payment{To: victim, Asset: h.Credited(), Units: 5}))
				h.Pay(chaintest.Payment{To: other, Asset: h.Credited(), Units: 7})
				h.Mine(1)
				reader, list, clock := h.through(t, nodes)
				h.Finalize()
				h.spam(h.mints[h.Credited().Contract], 1) // so that the indexes show how far they are
				for _, n := range list[:max(nodes-1, 1)] {
					forText("getTransaction", theTx, lacking)(n, "", tx)
				}
				for range 5 {
					got, unread := scanWithin(t, reader, clock, 5*time.Second, victim, other)
					if nodes == 1 {
						wantUnits(t, got, 7)
						wantUnread(t, unread, victim)
					} else {
						wantUnits(t, got, 5, 7)
						wantJudged(t, reader, nodes, tx, got)
					}
					h.Mine(100)
					clock.advance(time.Minute)
				}
			})
		}
	}
}

// wantJudged fails unless the transaction, which all nodes but the last show without balances, is not decided about.
func wantJudged(t *testing.T, reader chain.Reader, nodes int, tx string, got []chain.Transfer) {
	t.Helper()
	final := mustHeads(t, reader).Final
	for _, x := range got {
		if string(x.Tx) != tx {
			continue
		}
		v, err := chain.JudgeAll(t.Context(), reader, []chain.Transfer{x}, final)
		if v != chain.Undecided || err != nil {
			t.Errorf("through %d nodes it is judged %d, %v", nodes, v, err)
		}
	}
}
