package config_test

import (
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/config"
)

// Every endpoint has a rate that is never exceeded; only a node of one's own has none unless one is set.
func TestLoad_CallRate(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		env       string
		perSecond float64
		printed   string
	}{
		"Default": {"FLORIN_BASE_RPC_BUDGET=100000,unlimited", 25, "FLORIN_BASE_RPC_RATE=25"},
		"Set":     {"FLORIN_BASE_RPC_RATE=8", 8, "FLORIN_BASE_RPC_RATE=8"},
		"None":    {"FLORIN_BASE_RPC_RATE=unlimited", 0, "FLORIN_BASE_RPC_RATE=unlimited"},
		"OwnNode": {"FLORIN_BASE_RPC_BUDGET=unlimited", 0, "FLORIN_BASE_RPC_RATE=unlimited"},
		"OwnSlow": {"FLORIN_BASE_RPC_BUDGET=unlimited FLORIN_BASE_RPC_RATE=50", 50, "FLORIN_BASE_RPC_RATE=50"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg, err := config.Load(append(strings.Fields(c.env), "FLORIN_BASE_RPC=https://a.example.com", secretKey), "")
			if err != nil {
				t.Fatal(err)
			}
			n, _ := cfg.Network(chain.Base)
			var out strings.Builder
			if err := cfg.Print(&out); err != nil || !strings.Contains(out.String(), c.printed+"\n") {
				t.Errorf("printed without %s: %v\n%s", c.printed, err, out.String())
			}
			if got := n.RPCRate.PerSecond(); got != c.perSecond {
				t.Errorf("%g calls a second, want %g", got, c.perSecond)
			}
		})
	}
}

const secretKey = "FLORIN_SECRET_KEY=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
