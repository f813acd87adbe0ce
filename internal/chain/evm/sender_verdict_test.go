package evm_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/chain"
)

// TestSweeps_Verdicts: what one endpoint says against a sweep is no verdict while another one would make it.
func TestSweeps_Verdicts(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(p *proxy){
		"Balance":  func(p *proxy) { p.set("eth_getBalance", always(`"0x0"`)) },
		"Estimate": func(p *proxy) { p.set("eth_estimateGas", always(`"0xfffffff"`)) },
		"Price": func(p *proxy) {
			p.set("eth_getBlockByNumber", func(params, result json.RawMessage) json.RawMessage {
				if !strings.Contains(string(params), "latest") {
					return result
				}
				return json.RawMessage(strings.Replace(string(result), `"baseFeePerGas":"0x`, `"baseFeePerGas":"0xffffff`, 1))
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for nodes := 2; nodes <= 3; nodes++ {
				g, items := toSweep(t, chain.Polygon)
				var urls []string
				var bad []*proxy
				for i := range nodes {
					p := newProxy(t, g.chain.URL())
					urls = append(urls, p.URL)
					if i < nodes-1 {
						bad = append(bad, p)
					}
				}
				s, _ := g.through(urls...)
				for _, p := range bad {
					spoil(p)
				}
				a := g.mustSign(s, items)
				g.finalize(s, a)
				g.mustTrack(s, chain.TxFinal, items, a)
			}
		})
	}
}
