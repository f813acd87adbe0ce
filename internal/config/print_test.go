package config

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/testkit"
)

// full is an environment with every secret set.
func full() []string {
	return environ("FLORIN_DATABASE_URL=postgres://florin:"+canaryDB+"@db.example.com/florin?password="+canaryDB,
		"FLORIN_BEP20_RPC=https://bsc.example.com/v2/"+canaryRPC+",https://"+canaryRPC+"@b.example.com,http://localhost:8545",
		"FLORIN_SMTP_URL=smtp://u:"+canarySMTP+"@mail.example.com", "FLORIN_MAIL_FROM=florin@example.com",
		"FLORIN_OPERATOR_WEBHOOK=https://hooks.example.com/"+canaryRPC, "FLORIN_OPERATOR_EMAIL=ops@example.com, b@example.com",
		"FLORIN_EVM_GAS_KEY="+canaryEVM, "FLORIN_SOL_SEED="+sealedSeed())
}

func TestPrint(t *testing.T) {
	t.Parallel()
	c, err := Load(full(), "")
	testkit.Must(t, err)
	var out strings.Builder
	testkit.Must(t, c.Print(&out))
	for _, want := range []string{
		"FLORIN_SECRET_KEY=***\n", "FLORIN_DATABASE_URL=postgres://db.example.com/***\n",
		"FLORIN_BEP20_RPC=https://bsc.example.com/***,https://b.example.com/***,http://localhost:8545\n",
		"FLORIN_BEP20_CHAIN_ID=56\n", "FLORIN_BEP20_USDT=0x55d398326f99059fF775485246999027B3197955\n", "FLORIN_BEP20_USDT_DECIMALS=18\n",
		"FLORIN_BEP20_FINALITY=finalized\n", "# FLORIN_BASE_RPC=\n", "# FLORIN_BASE_USDT=\n", "FLORIN_SMTP_URL=smtp://mail.example.com/***\n",
		"FLORIN_EVM_GAS_KEY=***\n", "FLORIN_SOL_SEED=***\n", "# FLORIN_SOL_GAS_KEY=\n", "FLORIN_CHECKOUT_URL=http://localhost:8080\n", "FLORIN_PAYMENT_TTL=60m\n",
		"FLORIN_OPERATOR_WEBHOOK=https://hooks.example.com/***\n",
		"# compiled in:\nFLORIN_BEP20_USDT=0x55d398326f99059fF775485246999027B3197955\n",
		"# compiled in:\nFLORIN_BEP20_FINALITY=finalized\n", "# compiled in:\nFLORIN_BEP20_EXPLORER=https://bscscan.com\n",
		"# BASE, compiled in: finality safe, explorer https://basescan.org\n",
		"# BASE, compiled in: USDbC 0xd9aAEc86B65D86f6A7B5B1b0c42FFA531710b6CA, 6 decimals, watched, never counted\n",
		"# SOL, compiled in: USDC EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v, 6 decimals, counts as USDC\n",
	} {
		if !strings.Contains("\n"+out.String(), "\n"+want) {
			t.Errorf("the printed configuration lacks %q:\n%s", want, out.String())
		}
	}
	if list, err := parseDotenv(out.String()); err != nil || len(list) < 15 {
		t.Errorf("the output is not a .env file: %v", err)
	}
	if len(c.printed) != len(newConfig().settings()) {
		t.Errorf("%d of %d settings are printed", len(c.printed), len(newConfig().settings()))
	}
}

// TestSecretsDoNotPrint searches for every secret in the output of everything that can print a Config.
func TestSecretsDoNotPrint(t *testing.T) {
	t.Parallel()
	c, err := Load(full(), "")
	testkit.Must(t, err)
	var out bytes.Buffer
	testkit.Must(t, c.Print(&out))
	for _, v := range []any{c, &c, []Config{c}, c.Networks, c.DatabaseURL, map[string]Config{"c": c}} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%o", "%b", "%U", "%t", "%c"} {
			fmt.Fprintf(&out, verb+"\n", v)
		}
		if b, err := json.Marshal(v); err == nil {
			out.Write(b)
		} else {
			t.Errorf("a Config cannot be written as JSON: %v", err)
		}
		slog.New(slog.NewJSONHandler(&out, nil)).Info("config", "config", v)
		slog.New(slog.NewTextHandler(&out, nil)).Info("config", "config", v)
	}
	for _, canary := range []string{canaryDB, canaryRPC, canarySMTP, "sausage", canaryEVM, canaryBytes, key()} {
		for _, form := range []string{
			canary, hex.EncodeToString([]byte(canary)), strings.ToUpper(hex.EncodeToString([]byte(canary))),
			fmt.Sprint([]byte(canary)),
		} {
			if strings.Contains(out.String(), strings.Trim(form, "[]")) {
				t.Errorf("a secret was printed as %q", form)
			}
		}
	}
	if !strings.Contains(out.String(), mask) {
		t.Error("nothing was masked, so nothing was tried")
	}
}
