package config_test

import (
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/config"
)

func TestPrint_Bills(t *testing.T) {
	t.Parallel()
	const key = "FLORIN_SECRET_KEY=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
	for name, c := range map[string]struct {
		env  []string
		want string
	}{
		"Default": {
			[]string{"FLORIN_BASE_RPC=https://a.example.com"},
			"# Base: 1 endpoints with their budgets come to at most 3041666 calls a month\n",
		},
		"Priced": {
			[]string{
				"FLORIN_BASE_RPC=https://a.example.com,https://b.example.com", "FLORIN_BASE_RPC_BUDGET=100000,20000",
				"FLORIN_RPC_PRICE=15",
			},
			"# Base: 2 endpoints with their budgets come to at most 3650000 calls a month, 54.75 USD at FLORIN_RPC_PRICE\n",
		},
		"OwnNode": {
			[]string{"FLORIN_BASE_RPC=http://127.0.0.1:8545", "FLORIN_BASE_RPC_BUDGET=unlimited"}, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg, err := config.Load(append(c.env, key), "")
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
