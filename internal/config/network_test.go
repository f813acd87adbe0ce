package config

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
)

func TestLoad_Networks(t *testing.T) {
	t.Parallel()
	c := load(t, "FLORIN_POLYGON_RPC=http://localhost:1, https://b.example.com/key", "FLORIN_POLYGON_TREASURY="+wallet1,
		"FLORIN_SOL_RPC=http://localhost:2", "FLORIN_SOL_TREASURY="+solWallet, "FLORIN_SOL_SEED="+sealedSeed())
	if len(c.Networks) != 2 || len(c.Profiles()) != 2 {
		t.Fatalf("%d networks are on, want POLYGON and SOL", len(c.Networks))
	}
	p, on := c.Network(chain.Polygon)
	if !on || len(p.RPC) != 2 || p.RPC[1].Reveal() != "https://b.example.com/key" || p.Treasury != wallet1 {
		t.Errorf("POLYGON is %+v", p)
	}
	if want := chain.Profiles()[1]; !reflect.DeepEqual(p.Profile, want) {
		t.Errorf("the profile is %+v, want the compiled-in %+v", p.Profile, want)
	}
	if p.CoinPrice != money.USD/4 {
		t.Errorf("a POL costs %s", p.CoinPrice)
	}
	if s, on := c.Network(chain.Solana); !on || s.Treasury != solWallet {
		t.Errorf("SOL is %+v", s)
	}
	if n, on := c.Network(chain.BEP20); on {
		t.Errorf("BEP20 is on without an endpoint: %+v", n)
	}
}

func TestLoad_Overrides(t *testing.T) {
	t.Parallel()
	t.Run("contracts", func(t *testing.T) {
		t.Parallel()
		c := load(t, "FLORIN_POLYGON_RPC=http://localhost:1", "FLORIN_POLYGON_USDT="+strings.ToLower(token), "FLORIN_POLYGON_USDC="+otherToken,
			"FLORIN_POLYGON_USDC_DECIMALS=18", "FLORIN_POLYGON_FINALITY=12s", "FLORIN_POLYGON_EXPLORER=http://localhost:4000/", "FLORIN_POLYGON_CHAIN_ID=31337")
		p := c.Networks[0].Profile
		want := []chain.Asset{{Network: chain.Polygon, Contract: token, Symbol: "USDT", Decimals: 6, Token: money.USDT}, {Network: chain.Polygon, Contract: otherToken, Symbol: "USDC", Decimals: 18, Token: money.USDC}}
		if !slices.Equal(p.Assets, want) {
			t.Errorf("assets %+v, want %+v and no bridged twin", p.Assets, want)
		}
		if p.WalletRPC != "" {
			t.Errorf("wallets of payers are sent to %s, which is another chain", p.WalletRPC)
		}
		if c.Networks[0].CoinPrice != 0 {
			t.Errorf("a coin of a test network costs %s", c.Networks[0].CoinPrice)
		}
		if p.ChainID != 31337 || p.Finality.Depth != 12*time.Second || p.TypicalFinal != 12*time.Second || p.Explorer != "http://localhost:4000" {
			t.Errorf("profile %+v", p)
		}
	})
	t.Run("how wallets know the chain", func(t *testing.T) {
		t.Parallel()
		seed := "FLORIN_SOL_SEED=" + sealedSeed()
		for want, environ := range map[string][]string{
			"https://polygon-bor-rpc.publicnode.com": {"FLORIN_POLYGON_RPC=http://localhost:1"},
			"mainnet":                                {"FLORIN_SOL_RPC=http://localhost:1", seed},
			"localnet":                               {"FLORIN_SOL_RPC=http://localhost:1", seed, "FLORIN_SOL_USDC=" + solWallet},
			"devnet":                                 {"FLORIN_SOL_RPC=http://localhost:1", seed, "FLORIN_SOL_USDC=4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU"},
		} {
			if p := load(t, environ...).Networks[0].Profile; p.WalletRPC+p.Cluster != want {
				t.Errorf("%v: %q and %q, want %q", environ, p.WalletRPC, p.Cluster, want)
			}
		}
	})
	t.Run("one contract of a test network", func(t *testing.T) {
		t.Parallel()
		p := load(t, "FLORIN_BEP20_RPC=http://localhost:1", "FLORIN_BEP20_CHAIN_ID=97", "FLORIN_BEP20_USDT="+token).Networks[0].Profile
		if len(p.Assets) != 1 || p.Assets[0].Contract != token || p.Assets[0].Decimals != 18 {
			t.Errorf("assets %+v, want the given one only, with 18 decimals", p.Assets)
		}
	})
	t.Run("decimals only", func(t *testing.T) {
		t.Parallel()
		p := load(t, "FLORIN_POLYGON_RPC=http://localhost:1", "FLORIN_POLYGON_USDT_DECIMALS=8").Networks[0].Profile
		if len(p.Assets) != 3 || p.Assets[0].Decimals != 8 || p.Assets[2].Decimals != 6 {
			t.Errorf("assets %+v, want all three, USDT with 8 decimals", p.Assets)
		}
	})
	t.Run("compiled in is left alone", func(t *testing.T) {
		t.Parallel()
		load(t, "FLORIN_BASE_RPC=http://localhost:1", "FLORIN_BASE_USDT="+token)
		if p := load(t, "FLORIN_BASE_RPC=http://localhost:1").Networks[0].Profile; len(p.Assets) != 3 || p.Assets[0].Contract == token {
			t.Errorf("an override reached the compiled-in table: %+v", p.Assets)
		}
	})
}
