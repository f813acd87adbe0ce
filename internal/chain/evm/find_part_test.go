package evm_test

import (
	"encoding/json"
	"math/big"
	"net/http"
	"testing"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
)

// TestFind_Part: one of two endpoints that fails for a transaction, or for its receipt, still says what it moved, and
// rests for neither.
func TestFind_Part(t *testing.T) {
	t.Parallel()
	for _, method := range []string{"eth_getTransactionByHash", "eth_getTransactionReceipt"} {
		for name, answer := range map[string]any{
			"Error": &chaintest.RPCError{Code: -32601, Message: "the method does not exist"}, "Garbage": "?",
		} {
			for bad := range 2 {
				s := newScript(t, 2)
				_, tx := s.pay()
				s.Finalize()
				s.heads()
				s.endpoints[bad].Set(chaintest.Faults{Answer: func(m string, _ []json.RawMessage) (any, bool) {
					return answer, m == method
				}})
				s.wantFound(method+name, tx)
			}
		}
		for bad := range 2 {
			s := newScript(t, 2)
			_, tx := s.pay()
			s.Finalize()
			nodes := s.throughProviders()
			s.heads()
			nodes[bad].Behave(chaintest.Rules{
				Request: func(_ int, calls []chaintest.ProviderCall, _ bool) *chaintest.HTTPAnswer {
					for _, c := range calls {
						if c.Method == method {
							return &chaintest.HTTPAnswer{Status: http.StatusInternalServerError, Body: "odd"}
						}
					}
					return nil
				},
			})
			s.wantFound(method+"Status", tx)
		}
	}
}

func (s *script) wantFound(name string, tx chain.TxHash) {
	s.t.Helper()
	got, err := s.reader.Find(s.t.Context(), tx)
	if err != nil || !got.Exists || got.Failed || !got.Final || len(got.Transfers) != 1 {
		s.t.Errorf("%s: found %+v, %v", name, got, err)
	}
	s.mustNotRest(name)
}

// TestFind_PartOfCoin: of a transfer of the native coin, which is no log, two endpoints must show the transaction.
func TestFind_PartOfCoin(t *testing.T) {
	t.Parallel()
	s := newScript(t, 2)
	tx := chain.TxHash(s.chain.Send(chaintest.Tx{To: string(s.Address().Address), Value: big.NewInt(5)}))
	s.Mine(5)
	s.heads()
	s.endpoints[0].Set(chaintest.Faults{Reject: map[string]*chaintest.RPCError{
		"eth_getTransactionByHash": {Code: -32601, Message: "the method does not exist"},
	}})
	if got, err := s.reader.Find(t.Context(), tx); err == nil {
		t.Errorf("found %+v", got)
	}
}
