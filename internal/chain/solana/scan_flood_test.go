package solana_test

import (
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
)

// TestScan_FloodGoesOn: of a flood that goes on, each transaction is read four times at most: early, when it is final
// for its block, and beside those that are read at once.
func TestScan_FloodGoesOn(t *testing.T) {
	t.Parallel()
	s, reader, n, clock, _, _ := named(t)
	to := s.deposit(t, s.assets[0], 5).Address
	s.Mine(1)
	set := watching(to)
	scan := func(from uint64, at chain.Head) {
		t.Helper()
		if _, _, err := reader.Scan(t.Context(), from, at, set); err != nil {
			t.Error(err)
		}
	}
	scan(0, mustHeads(t, reader).Latest)
	s.Finalize()
	const rounds, each = 60, 4
	before := n.count("getTransaction")
	for range rounds {
		for range each {
			s.Pay(chaintest.Payment{To: to, Asset: s.assets[0], Units: 3})
			s.Mine(1)
		}
		clock.advance(2 * time.Second)
		h := mustHeads(t, reader)
		scan(h.Final.Number-each, h.Final)
		scan(h.Final.Number+1, h.Latest)
	}
	if got := n.count("getTransaction") - before; got > 4*rounds*each {
		t.Errorf("%d small transfers were read %d times", rounds*each, got)
	}
}
