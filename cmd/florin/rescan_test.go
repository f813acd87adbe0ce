package main_test

import (
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/testkit"
)

// TestRescan_BesideServer: a server that meets other blocks in place of final ones stops reading the network and says so;
// florin rescan beside it makes it read on, from those blocks, without a restart.
func TestRescan_BesideServer(t *testing.T) {
	t.Parallel()
	before, after := startChain(t, 0, 1, 2), startChain(t, 0, 1, 2)
	if before.Tokens().USDT.Address != after.Tokens().USDT.Address {
		t.Fatal("two chains have different tokens")
	}
	host := func(c testChain) string { return strings.TrimPrefix(c.URL(), "http://") }
	path := testkit.NewPath(t, host(before))
	s := &shop{receiver: newReceiver(t), chains: []testChain{after}}
	s.open(t, append(before.environ(), "FLORIN_ALLOW_PRIVATE_CALLBACKS=true", "FLORIN_BEP20_RPC_BUDGET=unlimited",
		"FLORIN_BEP20_RPC=http://"+path.Address()), map[string]any{"bep20": settlementWallet})
	txnid, address := s.start(t, "BEP20", "USDT", 700)
	eventually(t, "all is well", s.healthy)
	after.Mine(100)
	path.Lead(host(after))
	eventually(t, "the server notes it", func() bool { return !s.healthy() })
	after.pay(t, after.token("USDT"), address, 700)
	s.prints(t, "goes back to block 0", "rescan", "--network", "bep20", "--from", "1", "--yes")
	s.await(t, txnid, "COMPLETED")
	eventually(t, "all is well again", s.healthy)
	txnid, address = s.start(t, "BEP20", "USDT", 900)
	after.pay(t, after.token("USDT"), address, 900)
	s.await(t, txnid, "COMPLETED")
}
