package solana_test

import (
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/solana"
)

// among sweeps through so many nodes.
func (s *till) among(t *testing.T, h *ledgerHarness, nodes int) (*solana.Adapter, []*node) {
	t.Helper()
	reader, list, _ := h.through(t, nodes, func(c *solana.Config) {
		c.Sweeps, c.Timeout = sweepsOf(t, s.seed), 3*time.Second
	})
	s.reader, s.sender = reader, solana.NewSender(reader, solana.SenderConfig{Gas: s.gas, Seed: s.seed})
	return reader, list
}

// sweepsOnce fails unless a deposit is swept through so many nodes, of which all but the last answer wrongly.
func sweepsOnce(t *testing.T, nodes int, spoil func(s *till, n *node)) *solana.Adapter {
	t.Helper()
	h := newLedger(t)
	s := newTill(t, h.harness)
	s.fill(gasFunds)
	items := []chain.SweepItem{s.deposit(t, s.assets[0], 4)}
	s.Mine(1)
	reader, list := s.among(t, h, nodes)
	mustHeads(t, reader)
	for _, n := range list[:nodes-1] {
		spoil(s, n)
	}
	a := s.mustSign(t, items)
	if err := s.sender.Broadcast(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	s.Mine(1)
	s.Finalize()
	wantMoved(t, s.track(t, chain.TxFinal, items, a), items, 4)
	return reader
}

// TestSender_WithoutMethod: a sweep is made and becomes final although nodes do not serve a method that it takes, and
// none rests for it.
func TestSender_WithoutMethod(t *testing.T) {
	t.Parallel()
	for _, method := range []string{
		"getLatestBlockhash", "getRecentPrioritizationFees", "getFeeForMessage", "getMinimumBalanceForRentExemption",
		"simulateTransaction", "sendTransaction", "getEpochInfo", "getBlockHeight",
	} {
		for name, refuse := range refusedMethods() {
			t.Run(method+name, func(t *testing.T) {
				t.Parallel()
				for nodes := 2; nodes <= 3; nodes++ {
					wantAllReady(t, sweepsOnce(t, nodes, func(_ *till, n *node) { refuse(n, method) }))
				}
			})
		}
	}
}
