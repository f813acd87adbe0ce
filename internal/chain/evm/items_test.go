package evm_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/chain/evm"
)

// TestPool_Items: an endpoint that answers for one transaction with an error or with nonsense stays in use.
func TestPool_Items(t *testing.T) {
	t.Parallel()
	receipt := func(answer any) func(string, []json.RawMessage) (any, bool) {
		return func(method string, _ []json.RawMessage) (any, bool) {
			return answer, method == "eth_getTransactionReceipt" || method == "eth_getTransactionByHash"
		}
	}
	for name, f := range map[string]chaintest.Faults{
		"Error": {Reject: map[string]*chaintest.RPCError{
			"eth_getTransactionReceipt": {Code: -32000, Message: "internal"},
			"eth_getTransactionByHash":  {Code: -32000, Message: "internal"},
		}},
		"Malformed": {Answer: receipt("?")},
		"NoStatus":  {Answer: receipt(map[string]any{"logs": []any{}})},
	} {
		s := newScript(t, 2)
		p, tx := s.pay()
		s.Finalize()
		s.heads()
		s.endpoints[0].Set(f)
		for range 5 {
			if _, err := s.reader.Find(t.Context(), tx); err == nil {
				t.Errorf("%s: one of two endpoints fails, and both are said to agree", name)
			}
			if _, err := s.scan(0, s.heads().Final, p.To); err != nil {
				t.Errorf("%s: the other endpoint is not asked: %v", name, err)
			}
		}
		if h := s.reader.Endpoints()[0]; !h.Healthy || !h.CoolUntil.IsZero() || h.Errors != 0 {
			t.Errorf("%s: the endpoint rests: %+v", name, h)
		}
		s.endpoints[0].Set(chaintest.Faults{Status: 500})
		if _, err := s.reader.Find(t.Context(), tx); err == nil || s.reader.Endpoints()[0].Healthy {
			t.Errorf("%s: an endpoint that fails for all is healthy", name)
		}
	}
}

// TestPool_Slow: an endpoint that takes long is asked after the others, wherever it stands, so that it holds up little,
// and quick again after it has recovered.
func TestPool_Slow(t *testing.T) {
	t.Parallel()
	for slow := range 3 {
		s := newScript(t, 3)
		var urls []string
		for _, e := range s.endpoints {
			urls = append(urls, e.URL)
		}
		reader, err := evm.New(evm.Config{Profile: s.profile, Endpoints: urls})
		if err != nil {
			t.Fatal(err)
		}
		s.reader = reader
		s.heads()
		s.endpoints[slow].Set(chaintest.Faults{Hang: 700 * time.Millisecond})
		begin := time.Now()
		for range 12 {
			p, _ := s.pay()
			s.Finalize()
			at := s.heads().Final
			if got, err := s.scan(at.Number-min(at.Number, 5), at, p.To); err != nil || len(got) != 1 {
				t.Fatalf("endpoint %d is slow: scanned %+v, %v", slow, got, err)
			}
			if _, err := reader.Balances(t.Context(), s.Credited(), []chain.Address{p.To.Address}, at); err != nil {
				t.Fatal(err)
			}
		}
		if took := time.Since(begin); took > 12*time.Second {
			t.Errorf("endpoint %d is slow: 12 payments were read in %s", slow, took)
		}
	}
}
