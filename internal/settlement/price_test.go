package settlement_test

import (
	"bytes"
	"encoding/json"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"sync/atomic"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/evm/sender"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/wallet"
)

// pricedProxy is a proxy of the chain's endpoint that multiplies the base fee of blocks, so that gas becomes expensive
// without full blocks.
type pricedProxy struct {
	w      *world
	factor int64
	now    atomic.Int64
}

func (p *pricedProxy) set(factor int64) { p.now.Store(factor) }

// sender returns a sender that sees the chain through the proxy.
func (p *pricedProxy) sender(most money.Units) chain.SweepSender {
	p.w.t.Helper()
	p.set(p.factor)
	server := httptest.NewServer(p)
	p.w.t.Cleanup(server.Close)
	return sender.NewSweeps(p.w.newAdapter(server.URL), sender.Config{Signer: p.w.gas, MaxPrice: most})
}

func (p *pricedProxy) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	res, err := http.Post(p.w.chain.URL(), "application/json", bytes.NewReader(body))
	if err != nil {
		rw.WriteHeader(http.StatusBadGateway)
		return
	}
	defer res.Body.Close()
	var answer any
	if json.NewDecoder(res.Body).Decode(&answer) != nil {
		rw.WriteHeader(http.StatusBadGateway)
		return
	}
	p.raise(answer)
	rw.Header().Set("Content-Type", "application/json")
	if json.NewEncoder(rw).Encode(answer) != nil {
		p.w.t.Error("the chain's answer cannot be encoded")
	}
}

// raise adds one gwei to every base fee in an answer and multiplies it by the factor.
func (p *pricedProxy) raise(v any) {
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			p.raise(x)
		}
	case map[string]any:
		for name, x := range v {
			if text, ok := x.(string); ok && name == "baseFeePerGas" && p.now.Load() > 1 {
				fee, _ := new(big.Int).SetString(text, 0)
				fee.Add(fee, big.NewInt(1e9))
				v[name] = "0x" + fee.Mul(fee, big.NewInt(p.now.Load())).Text(16)
				continue
			}
			p.raise(x)
		}
	}
}

// newGasKey makes a gas wallet that holds nothing.
func newGasKey() (*wallet.EVM, error) {
	k, _, err := wallet.GenerateEVM()
	return k, err
}
