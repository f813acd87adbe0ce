package evm_test

import (
	"encoding/json"
	"sync/atomic"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain/chaintest"
)

// strays is an endpoint of which a call for the chain id reaches another chain.
func strays(call func(nth int64) bool) chaintest.Faults {
	var calls atomic.Int64
	return chaintest.Faults{Answer: func(method string, _ []json.RawMessage) (any, bool) {
		return "0x1", method == "eth_chainId" && call(calls.Add(1))
	}}
}

// TestHeads_Strays: an endpoint that names another chain once is asked again soon and used; one that does so now and
// then is never read from, and asked ever more seldom.
func TestHeads_Strays(t *testing.T) {
	t.Parallel()
	once := newScript(t, 1)
	once.Mine(1)
	once.endpoints[0].Set(strays(func(nth int64) bool { return nth == 1 }))
	if _, err := once.reader.Heads(t.Context()); err == nil || once.endpoints[0].Calls("eth_getBlockByNumber") > 0 {
		t.Errorf("it is read on another chain: %v", err)
	}
	once.clock.advance(2 * time.Second)
	once.heads()
	often := newScript(t, 1)
	often.Mine(1)
	often.endpoints[0].Set(strays(func(nth int64) bool { return nth%3 == 1 }))
	for range 3600 {
		_, _ = often.reader.Heads(t.Context())
		often.clock.advance(time.Second)
	}
	if n := often.endpoints[0].Calls("eth_getBlockByNumber"); n > 0 {
		t.Errorf("read %d times from one chain or the other", n)
	}
	if n := often.endpoints[0].Calls("eth_chainId"); n > 100 {
		t.Errorf("asked %d times in an hour", n)
	}
}
