package solana_test

import (
	"testing"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
)

// TestQuickRead_PaidDuringRound: a payment that arrives after a round has read the newest slot, and before it reads the
// accounts, is not in the range that is read. The next quick read finds it; without that it waits for the next round.
func TestQuickRead_PaidDuringRound(t *testing.T) {
	t.Parallel()
	h := newLedger(t)
	to := h.Address()
	newest := mustHeads(t, h.reader).Latest
	h.Pay(chaintest.Payment{To: to, Asset: h.Credited(), Units: 5})
	h.Mine(1)
	got, _, err := h.reader.Scan(t.Context(), newest.Number, newest, watching(to))
	if err != nil {
		t.Fatal(err)
	}
	wantUnits(t, got)
	h.quickReads(t, to, true)
	wantUnits(t, h.scannedFrom(t, newest.Number, to), 5)
	h.quickReads(t, to, false)
	h.Pay(chaintest.Payment{To: to, Asset: h.Credited(), Units: 2})
	h.Mine(1)
	h.quickReads(t, to, true)
}

// quickReads fails unless a quick read at the owner's accounts finds news, or none.
func (h *harness) quickReads(t *testing.T, to chain.Watched, news bool) {
	t.Helper()
	seen, err := h.reader.QuickRead(t.Context(), chain.Look{
		Watch: watching(to), News: func(chain.Address, chain.TxHash) bool { return true },
	})
	if err != nil || seen.News != news {
		t.Errorf("a quick read finds %+v, %v; want news %v", seen, err, news)
	}
}
