package evm_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
)

// demanding is an endpoint that takes no transaction, since none pays the tip that it demands.
func (g *geth) demanding(wei string) string {
	g.t.Helper()
	node := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, err := io.ReadAll(req.Body)
		var call struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
		}
		if err == nil && json.Unmarshal(body, &call) == nil && call.Method == "eth_sendRawTransaction" {
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":"transaction underpriced: `+
				`minimum needed %s"}}`, call.ID, wei)
			return
		}
		res, err := http.Post(g.chain.URL(), "application/json", bytes.NewReader(body))
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		defer res.Body.Close()
		_, _ = io.Copy(w, res.Body)
	}))
	g.t.Cleanup(node.Close)
	return node.URL
}

// A tip above the usual ones that endpoints demand for a transaction that another one takes is not paid by the next.
func TestSweeps_TipOfOne(t *testing.T) {
	t.Parallel()
	for nodes := 2; nodes <= 3; nodes++ {
		g, items := toSweep(t, chain.BEP20)
		var urls []string
		for range nodes - 1 {
			urls = append(urls, g.demanding("900000000000"))
		}
		s, _ := g.through(append(urls, newProxy(t, g.chain.URL()).URL)...)
		first := g.mustSign(s, items)
		g.finalize(s, first)
		g.mustTrack(s, chain.TxFinal, items, first)
		items = []chain.SweepItem{g.item(2, 10)}
		g.Mine(1)
		if next := g.mustSign(s, items); next.Fee.Tip.Cmp(money.UnitsFromUint64(gwei)) > 0 {
			t.Errorf("with %d endpoints the next sweep pays a tip of %s", nodes, next.Fee.Tip)
		}
	}
}
