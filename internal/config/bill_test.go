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

func TestPrint_Bills(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		env  []string
		want string
	}{
		"Default": {
			[]string{"FLORIN_BASE_RPC=https://a.example.com"},
			"# Base: the budget of 1 endpoint comes to at most 3041666 calls a month\n",
		},
		"Priced": {
			[]string{
				"FLORIN_BASE_RPC=https://a.example.com,https://b.example.com", "FLORIN_BASE_RPC_BUDGET=100000,20000",
				"FLORIN_RPC_PRICE=15",
			},
			"# Base: the budgets of 2 endpoints come to at most 3650000 calls a month, 54.75 USD at FLORIN_RPC_PRICE\n",
		},
		"Sum": {
			[]string{
				"FLORIN_BASE_RPC=https://a.example.com", "FLORIN_POLYGON_RPC=https://a.example.com", "FLORIN_RPC_PRICE=15",
				"FLORIN_POLYGON_RPC_BUDGET=20000",
			},
			"# all networks: at most 3650000 calls a month, 54.75 USD at FLORIN_RPC_PRICE\n",
		},
		"OwnNode": {
			[]string{"FLORIN_BASE_RPC=http://127.0.0.1:8545", "FLORIN_BASE_RPC_BUDGET=unlimited"}, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg, err := config.Load(append(c.env, secretKey), "")
			if err != nil {
				t.Fatal(err)
			}
			var out strings.Builder
			if err := cfg.Print(&out); err != nil {
				t.Fatal(err)
			}
			if c.want != "" && !strings.Contains(out.String(), c.want) || c.want == "" && strings.Contains(out.String(), "a month") {
				t.Errorf("printed\n%s\nwithout %q", out.String(), c.want)
			}
		})
	}
}
