package evm_test

import (
	"encoding/json"
	"testing"

	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/fault"
)

// TestCheck_OneRefuses: what one endpoint refuses, or does not have, says nothing of the chain while another has it.
func TestCheck_OneRefuses(t *testing.T) {
	t.Parallel()
	reject := func(method string, code int, text string) chaintest.Faults {
		return chaintest.Faults{Reject: map[string]*chaintest.RPCError{method: {Code: code, Message: text}}}
	}
	empty := func(method string) chaintest.Faults {
		return chaintest.Faults{Answer: func(m string, _ []json.RawMessage) (any, bool) { return "0x", m == method }}
	}
	for name, f := range map[string]chaintest.Faults{
		"Call":      reject("eth_call", -32601, "the method eth_call does not exist/is not available"),
		"State":     reject("eth_call", -32000, "missing trie node"),
		"Code":      reject("eth_getCode", -32000, "not on your plan"),
		"CallEmpty": empty("eth_call"),
		"CodeEmpty": empty("eth_getCode"),
	} {
		for _, n := range []int{2, 3} {
			s := newScript(t, n)
			for _, e := range s.endpoints[:n-1] {
				e.Set(f)
			}
			if err := s.reader.Check(t.Context()); err != nil {
				t.Errorf("%s, %d of %d: %v", name, n-1, n, err)
			}
			for i, h := range s.reader.Endpoints() {
				if !h.CoolUntil.IsZero() {
					t.Errorf("%s: endpoint %d rests: %+v", name, i, h)
				}
			}
		}
	}
	s := newScript(t, 1)
	s.endpoints[0].Set(reject("eth_call", -32601, "the method eth_call does not exist/is not available"))
	if err := s.reader.Check(t.Context()); err == nil || fault.Is(err, fault.Unprocessable) {
		t.Errorf("an endpoint that refuses to call contracts: %v", err)
	}
}
