package evm_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/money"
)

// TestAlone_StandsStill: of two endpoints, one whose newest block stands still, in the far future, and that answers the
// rest decides nothing, though it is asked first: what it invents is not what the one that is left says.
func TestAlone_StandsStill(t *testing.T) {
	t.Parallel()
	for liar := range 2 {
		p := newUnsaying(t, chain.AloneAll, "..", nil).pairOf
		paid, _ := p.pay()
		p.Mine(scriptFinalDepth)
		got, err := p.scan(0, p.heads().Latest, paid.To)
		if err != nil || len(got) != 1 {
			t.Fatalf("scanned %+v, %v", got, err)
		}
		lie := got[0]
		lie.Units, lie.Source = money.NewUnits(lie.Units.Big().Lsh(lie.Units.Big(), 4)), p.reader.Endpoints()[liar].Name
		honest := p.endpoints[1-liar].URL
		p.endpoints[liar].Set(chaintest.Faults{Answer: func(method string, params []json.RawMessage) (any, bool) {
			if method == "eth_getBlockByNumber" && string(params[0]) == `"latest"` {
				return map[string]any{
					"number": "0xf4240", "hash": "0x" + strings.Repeat("fe", 32), "timestamp": "0x6f000000",
				}, true
			}
			if method == "eth_getBlockByNumber" && string(params[0]) == `"finalized"` {
				return nil, true
			}
			if method == "eth_blockNumber" {
				return "0xf4240", true
			}
			if method != "eth_getTransactionReceipt" {
				return nil, false
			}
			receipt, _ := answerOf(t, honest, method, params).(map[string]any)
			for _, l := range receipt["logs"].([]any) { //nolint:forcetypeassert // a receipt has logs
				log, _ := l.(map[string]any)
				log["data"] = fmt.Sprintf("0x%064x", lie.Units.Big())
			}
			return receipt, true
		}})
		at := p.quiet(chain.AloneAfter + chain.AloneDepth + 5*time.Minute)
		if v, err := chain.JudgeAll(t.Context(), p.reader, []chain.Transfer{lie}, at); v == chain.Stands {
			t.Errorf("endpoint %d: what it invents stands, %v", liar, err)
		}
		if v, err := chain.JudgeAll(t.Context(), p.reader, got, at); v != chain.Stands {
			t.Errorf("endpoint %d: what was paid is %v, %v", liar, v, err)
		}
	}
}

// answerOf is the result of a call of another endpoint.
func answerOf(t *testing.T, url, method string, params []json.RawMessage) any {
	t.Helper()
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		t.Error(err)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		t.Error(err)
	}
	r.Header.Set("Content-Type", "application/json")
	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Error(err)
		return nil
	}
	defer func() { _ = reply.Body.Close() }()
	var got struct{ Result any }
	if err := json.NewDecoder(reply.Body).Decode(&got); err != nil {
		t.Error(err)
	}
	return got.Result
}
