package evm_test

import (
	"testing"

	"github.com/florinpay/florin/internal/chain"
)

// A transaction of the gas wallet that is no sweep may be pending for ever: the
// sweep takes its nonce and pays enough to replace one at today's price.
func TestSweeps_ForeignPending(t *testing.T) {
	t.Parallel()
	g, items := toSweep(t, chain.Polygon)
	s := g.sender(plenty)
	first := g.mustSign(s, items)
	g.mustBroadcast(s, first) // as another installation with this gas wallet would
	again := g.mustSign(s, items)
	if again.Nonce != first.Nonce {
		t.Errorf("signed with nonce %d beside one that waits with %d", again.Nonce, first.Nonce)
	}
	g.finalize(s, again)
	g.mustTrack(s, chain.TxFinal, items, again)
}

// A reorg drops a transaction of the gas wallet for good that came before the sweep: without one that takes its nonce,
// no attempt would ever be included. The next attempt takes it.
func TestSweeps_NonceBelowIsDropped(t *testing.T) {
	t.Parallel()
	g, items := toSweep(t, chain.Polygon)
	s := g.sender(plenty)
	nonce := g.mustSign(s, items).Nonce
	g.foreign(nonce)
	g.Mine(1)
	first := g.mustSign(s, items)
	g.mustBroadcast(s, first)
	g.Reorg(1, false)
	g.mustTrack(s, chain.TxUnknown, items, first)
	second := g.mustSign(s, items, first)
	if first.Nonce != nonce+1 || second.Nonce != nonce {
		t.Fatalf("signed with nonces %d and %d, want %d and %d", first.Nonce, second.Nonce, nonce+1, nonce)
	}
	g.mustBroadcast(s, second)
	g.Mine(1)
	third := g.mustSign(s, items, first)
	if third.Nonce != nonce+1 {
		t.Errorf("signed with nonce %d, want %d: the one below is used", third.Nonce, nonce+1)
	}
	g.Finalize()
	g.mustTrack(s, chain.TxFinal, items, first, second)
}
