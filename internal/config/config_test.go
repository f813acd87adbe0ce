package config

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
)

const (
	canaryDB    = "canaryDatabasePassword"
	canaryRPC   = "canaryEndpointKey"
	canarySMTP  = "canaryMailPassword"
	canarySeed  = "legal winner thank year wave sausage worth useful legal winner thank yellow"
	canaryEVM   = "ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80"
	canaryBytes = "canary canary canary canary 32by"
	token       = "0x5FbDB2315678afecb367f032d93F642f64180aa3"
	otherToken  = "0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512"
	wallet1     = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
	solWallet   = "HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk"
)

func key() string { return base64.StdEncoding.EncodeToString([]byte(canaryBytes)) }

// environ returns an environment with a secret key and the settings.
func environ(settings ...string) []string {
	return append([]string{"PATH=/bin", "HOME=/", "FLORIN_SECRET_KEY=" + key()}, settings...)
}

func load(t *testing.T, settings ...string) Config {
	t.Helper()
	c, err := Load(environ(settings...), "")
	if err != nil {
		t.Fatalf("Load: %v", err)
	}
	return c
}

func file(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestLoad_Defaults(t *testing.T) {
	t.Parallel()
	c := load(t)
	c.shown = nil
	if got := c.DatabaseURL.Reveal(); got != "sqlite://florin.db" {
		t.Errorf("database %q", got)
	}
	if got := c.SecretKey.Reveal(); got != canaryBytes {
		t.Errorf("the secret key has %d bytes, want the 32 given", len(got))
	}
	want := Config{
		Listen: "127.0.0.1:8080", BaseURL: "http://localhost:8080", CheckoutURL: "http://localhost:8080",
		DatabaseURL: c.DatabaseURL, SecretKey: c.SecretKey,
		PaymentTTL: time.Hour, StartTTL: 30 * time.Minute, MinAmount: 10_000, MaxAmount: 1_000_000 * money.USD,
		Signup: SignupOpen, SignupCredits: 20, SignupQueries: 5, LogLevel: slog.LevelInfo, LogFormat: LogText,
		SweepMin: money.USD, SweepDust: money.USD / 20, SweepWait: time.Minute, SweepAge: 24 * time.Hour,
		GraphQL: GraphQL{Depth: 20, Complexity: 300, Aliases: 40, RootFields: 20, Tokens: 2_000, Body: 64 << 10},
		Rates: Rates{
			Client: Rate{
				PerSecond: 100, Burst: 400,
			}, Key: Rate{PerSecond: 100, Burst: 400}, Costly: Rate{PerSecond: 0.5, Burst: 20},
			Open: Rate{PerSecond: 1. / 30, Burst: 30},
		},
	}
	if !reflect.DeepEqual(c, want) {
		t.Errorf("Load() = %+v\nwant     %+v", c, want)
	}
}

func TestLoad_Everything(t *testing.T) {
	t.Parallel()
	c := load(t, "FLORIN_LISTEN=:9000", "FLORIN_BASE_URL=https://pay.example.com/", "FLORIN_CHECKOUT_URL=https://checkout.example.com/x/",
		"FLORIN_DATABASE_URL=postgres://u:p@db/florin?sslmode=disable", "FLORIN_PAYMENT_TTL=2s", "FLORIN_START_TTL=1h",
		"FLORIN_MIN_AMOUNT=1", "FLORIN_MAX_AMOUNT=2.5", "FLORIN_SIGNUP=Closed",
		"FLORIN_SIGNUP_CREDITS=0", "FLORIN_SIGNUP_QUERIES=9",
		"FLORIN_ALLOW_PRIVATE_CALLBACKS=true", "FLORIN_INTROSPECTION=1", "FLORIN_SMTP_URL=smtps://u:p@mail.example.com:465",
		"FLORIN_MAIL_FROM=Florin <florin@example.com>", "FLORIN_METRICS_LISTEN=127.0.0.1:9100", "FLORIN_TRUSTED_PROXIES=10.1.2.3/8, ::1",
		"FLORIN_GRAPHQL_MAX_DEPTH=5", "FLORIN_GRAPHQL_MAX_COMPLEXITY=2000",
		"FLORIN_GRAPHQL_MAX_ALIASES=1", "FLORIN_GRAPHQL_MAX_ROOT_FIELDS=2",
		"FLORIN_GRAPHQL_MAX_TOKENS=200", "FLORIN_GRAPHQL_MAX_BODY=1048576",
		"FLORIN_RATE_CLIENT=0.001", "FLORIN_RATE_CLIENT_BURST=1",
		"FLORIN_RATE_KEY=100000", "FLORIN_RATE_KEY_BURST=1000000",
		"FLORIN_RATE_COSTLY=2.5", "FLORIN_RATE_COSTLY_BURST=7", "FLORIN_RATE_OPEN=3/60", "FLORIN_RATE_OPEN_BURST=8",
		"FLORIN_LOG_LEVEL=debug", "FLORIN_LOG_FORMAT=json",
		"FLORIN_EVM_GAS_KEY=0x"+canaryEVM, "FLORIN_SOL_SEED="+canarySeed)
	proxies := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("::1/128")}
	checks := map[string]bool{
		"listen":   c.Listen == ":9000",
		"urls":     c.BaseURL == "https://pay.example.com" && c.CheckoutURL == "https://checkout.example.com/x",
		"ttl":      c.PaymentTTL == 2*time.Second && c.StartTTL == time.Hour,
		"amounts":  c.MinAmount == money.USD && c.MaxAmount == 2_500_000,
		"signup":   c.Signup == SignupClosed && c.SignupCredits == 0 && c.SignupQueries == 9,
		"switches": c.AllowPrivateCallbacks && c.Introspection,
		"mail": c.SMTPURL.Reveal() == "smtps://u:p@mail.example.com:465" &&
			c.MailFrom == "Florin <florin@example.com>",
		"metrics":  c.MetricsListen == "127.0.0.1:9100",
		"proxies":  slices.Equal(c.TrustedProxies, proxies),
		"log":      c.LogLevel == slog.LevelDebug && c.LogFormat == LogJSON,
		"gas":      c.EVMGas != nil && c.EVMGas.Wallet() == "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
		"seed":     c.SolSeed != nil && c.SolGas == nil,
		"networks": len(c.Networks) == 0,
		"graphql": c.GraphQL == GraphQL{
			Depth: 5, Complexity: 2_000, Aliases: 1, RootFields: 2, Tokens: 200, Body: 1 << 20,
		},
		"rates": c.Rates == Rates{
			Client: Rate{0.001, 1}, Key: Rate{100_000, 1_000_000}, Costly: Rate{2.5, 7}, Open: Rate{0.05, 8},
		},
	}
	for name, ok := range checks {
		if !ok {
			t.Errorf("%s: not as set: %+v", name, c)
		}
	}
}

func TestLoad_Networks(t *testing.T) {
	t.Parallel()
	c := load(t, "FLORIN_POLYGON_RPC=http://localhost:1, https://b.example.com/key", "FLORIN_POLYGON_TREASURY="+wallet1,
		"FLORIN_SOL_RPC=http://localhost:2", "FLORIN_SOL_TREASURY="+solWallet, "FLORIN_SOL_SEED="+canarySeed, "FLORIN_SOL_MAX_PRIORITY_FEE=70000")
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
	if s, on := c.Network(chain.Solana); !on || s.Treasury != solWallet || s.MaxPriorityFee != 70_000 {
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
		if p.ChainID != 31337 || p.Finality.Depth != 12*time.Second || p.TypicalFinal != 12*time.Second || p.Explorer != "http://localhost:4000" {
			t.Errorf("profile %+v", p)
		}
	})
	t.Run("how wallets know the chain", func(t *testing.T) {
		t.Parallel()
		seed := "FLORIN_SOL_SEED=" + canarySeed
		for want, environ := range map[string][]string{
			"https://polygon-bor-rpc.publicnode.com": {"FLORIN_POLYGON_RPC=http://localhost:1"},
			"https://rpc.example":                    {"FLORIN_POLYGON_RPC=http://localhost:1", "FLORIN_POLYGON_USDT=" + token, "FLORIN_POLYGON_WALLET_RPC=https://rpc.example"},
			"mainnet":                                {"FLORIN_SOL_RPC=http://localhost:1", seed},
			"localnet":                               {"FLORIN_SOL_RPC=http://localhost:1", seed, "FLORIN_SOL_USDC=" + solWallet},
			"devnet":                                 {"FLORIN_SOL_RPC=http://localhost:1", seed, "FLORIN_SOL_USDC=" + solWallet, "FLORIN_SOL_CLUSTER=devnet"},
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

func TestLoad_Refuses(t *testing.T) {
	t.Parallel()
	for name, settings := range map[string][]string{
		"FLORIN_LISTEN":         {"8080"},
		"FLORIN_METRICS_LISTEN": {"localhost", "127.0.0.1:8080", "127.0.0.1:99999"},
		"FLORIN_BASE_URL":       {"pay.example.com", "ftp://pay.example.com", "https://", "https://a.example.com/?q=1", "https://u:p@a.example.com"},
		"FLORIN_CHECKOUT_URL":   {"/pay", "javascript:alert(1)"},
		"FLORIN_DATABASE_URL": {
			"florin.db", "sqlite://", "mysql://root@db/x", "postgres://u:" + canaryDB + "@%zz/",
		},
		"FLORIN_SECRET_KEY":              {"short", base64.StdEncoding.EncodeToString([]byte("31 bytes are one too few, you see"[:31])), strings.Repeat("!", 43)},
		"FLORIN_BEP20_RPC":               {"localhost:8545", "ws://localhost:8546", "http://a.example.com,", "http://a.example.com, http://a.example.com"},
		"FLORIN_BEP20_CHAIN_ID":          {"0", "-1", "0x38", "BSC"},
		"FLORIN_SOL_CHAIN_ID":            {"101"},
		"FLORIN_BEP20_USDT":              {"0x0", solWallet, strings.Replace(token, "F", "f", 1)},
		"FLORIN_SOL_USDC":                {token, "EPjFWdd5"},
		"FLORIN_BASE_USDC_DECIMALS":      {"5", "19", "six"},
		"FLORIN_BASE_FINALITY":           {"latest", "12", "500ms", "25h", "-1s"},
		"FLORIN_BASE_EXPLORER":           {"basescan.org"},
		"FLORIN_BASE_WALLET_RPC":         {"mainnet.base.org"},
		"FLORIN_SOL_WALLET_RPC":          {"https://rpc.example"},
		"FLORIN_SOL_CLUSTER":             {"mainnet-beta"},
		"FLORIN_POLYGON_TREASURY":        {"0x0000000000000000000000000000000000000000", solWallet},
		"FLORIN_EVM_GAS_KEY":             {"0x" + canaryEVM[:60], canarySeed},
		"FLORIN_SOL_GAS_KEY":             {"[1,2,3]", "0x" + canaryEVM},
		"FLORIN_SOL_SEED":                {canarySeed + " yellow", strings.Replace(canarySeed, "yellow", "winner", 1)},
		"FLORIN_PAYMENT_TTL":             {"60", "0s", "-1m", "721h"},
		"FLORIN_START_TTL":               {"soon", "1ms"},
		"FLORIN_SWEEP_WAIT":              {"60", "-1s", "25h"},
		"FLORIN_SWEEP_AGE":               {"never", "-1h", "721h"},
		"FLORIN_SWEEP_MIN":               {"0", "-1", "much"},
		"FLORIN_SWEEP_DUST":              {"0", "-1", "0.0000001"},
		"FLORIN_BASE_MAX_GAS_PRICE":      {"0", "-1", "1000001", "0.0000001", "much"},
		"FLORIN_SOL_MAX_GAS_PRICE":       {"1"},
		"FLORIN_SOL_MAX_PRIORITY_FEE":    {"0", "-1", "1.5", "1000000001", "much"},
		"FLORIN_BASE_MAX_PRIORITY_FEE":   {"1"},
		"FLORIN_MIN_AMOUNT":              {"0", "-1", "0.0000001", "NaN", "1e7"},
		"FLORIN_MAX_AMOUNT":              {"1e300", "1000000001", "-0.001"},
		"FLORIN_SIGNUP":                  {"everybody"},
		"FLORIN_SIGNUP_CREDITS":          {"-1", "1.5", "1000001"},
		"FLORIN_SIGNUP_QUERIES":          {"many"},
		"FLORIN_ALLOW_PRIVATE_CALLBACKS": {"perhaps"},
		"FLORIN_INTROSPECTION":           {"2"},
		"FLORIN_GRAPHQL_MAX_DEPTH":       {"4", "101", "deep", "5.5"},
		"FLORIN_GRAPHQL_MAX_COMPLEXITY":  {"49", "2001", "-300"},
		"FLORIN_GRAPHQL_MAX_ALIASES":     {"0", "1001"},
		"FLORIN_GRAPHQL_MAX_ROOT_FIELDS": {"0", "201"},
		"FLORIN_GRAPHQL_MAX_TOKENS":      {"199", "100001", "1e3"},
		"FLORIN_GRAPHQL_MAX_BODY":        {"4095", "1048577", "64K"},
		"FLORIN_RATE_CLIENT":             {"0", "-1", "NaN", "Inf", "1e9", "100/s", "0.0009"},
		"FLORIN_RATE_CLIENT_BURST":       {"0", "1000001", "2.5"},
		"FLORIN_RATE_KEY":                {"0", "100001"},
		"FLORIN_RATE_KEY_BURST":          {"0", "all"},
		"FLORIN_RATE_COSTLY":             {"0", "often"},
		"FLORIN_RATE_COSTLY_BURST":       {"0", "-20"},
		"FLORIN_RATE_OPEN":               {"1/0", "0/0", "1/", "/30", "1/1001", "1/2/3"},
		"FLORIN_RATE_OPEN_BURST":         {"0"},
		"FLORIN_SMTP_URL":                {"mail.example.com:25", "http://u:" + canarySMTP + "@mail.example.com", "smtp://"},
		"FLORIN_MAIL_FROM":               {"florin", "a@b, c@d"},
		"FLORIN_TRUSTED_PROXIES":         {"everyone", "10.0.0.0/33", ","},
		"FLORIN_LOG_LEVEL":               {"loud"},
		"FLORIN_LOG_FORMAT":              {"xml"},
	} {
		for _, value := range settings {
			c, err := Load(environ(name+"="+value), "")
			problems := asProblems(t, err)
			if !slices.ContainsFunc(problems, func(p Problem) bool { return p.Name == name }) {
				t.Errorf("%s=%s: problems %v do not name it", name, value, problems)
			}
			if len(problems) != 1 {
				t.Errorf("%s=%s: %d problems, want one: %v", name, value, len(problems), problems)
			}
			if !reflect.DeepEqual(c, Config{}) {
				t.Errorf("%s=%s: a Config came with the error", name, value)
			}
			for _, canary := range []string{canaryDB, canarySMTP, canaryEVM[:60], "winner"} {
				if strings.Contains(err.Error(), canary) {
					t.Errorf("%s: the message holds the secret: %v", name, err)
				}
			}
		}
	}
}

func asProblems(t *testing.T, err error) Problems {
	t.Helper()
	var p Problems
	if !errors.As(err, &p) || len(p) == 0 {
		t.Fatalf("the error is %v, want Problems", err)
	}
	for _, x := range p {
		if x.Name == "" || x.Reason == "" || strings.Contains(x.Reason, "\n") {
			t.Errorf("problem %+v says too little, or is more than a line", x)
		}
	}
	return p
}

func names(p Problems) []string {
	list := make([]string, len(p))
	for i, x := range p {
		list[i] = x.Name
	}
	return list
}

func TestLoad_TogetherWrong(t *testing.T) {
	t.Parallel()
	for name, settings := range map[string][]string{
		"FLORIN_MAIL_FROM":        {"FLORIN_SMTP_URL=smtp://mail.example.com"},
		"FLORIN_MIN_AMOUNT":       {"FLORIN_MIN_AMOUNT=5", "FLORIN_MAX_AMOUNT=4"},
		"FLORIN_SOL_SEED":         {"FLORIN_SOL_RPC=http://localhost:1"},
		"FLORIN_BASE_CHAIN_ID":    {"FLORIN_BASE_RPC=http://localhost:1", "FLORIN_BASE_CHAIN_ID=84532"},
		"FLORIN_BASE_USDC":        {"FLORIN_BASE_RPC=http://localhost:1", "FLORIN_BASE_USDC=" + token, "FLORIN_BASE_USDT=" + token},
		"FLORIN_POLYGON_TREASURY": {"FLORIN_POLYGON_RPC=http://localhost:1", "FLORIN_POLYGON_TREASURY=0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359"},
	} {
		_, err := Load(environ(settings...), "")
		if got := names(asProblems(t, err)); !slices.Equal(got, []string{name}) {
			t.Errorf("%v: problems with %v, want %s", settings, got, name)
		}
	}
}

func TestLoad_TellsEverything(t *testing.T) {
	t.Parallel()
	_, err := Load([]string{"FLORIN_LISTEN=x", "FLORIN_SIGNUP=x", "FLORIN_BEP20_RPCS=http://localhost", "FLORIN_NONSENSE_AND_MORE=1"}, "")
	problems := asProblems(t, err)
	want := []string{
		"FLORIN_LISTEN", "FLORIN_SECRET_KEY", "FLORIN_SIGNUP", "FLORIN_BEP20_RPCS", "FLORIN_NONSENSE_AND_MORE",
	}
	if got := names(problems); !slices.Equal(got, want) {
		t.Fatalf("problems with %v, want %v", got, want)
	}
	if r := problems[3].Reason; !strings.Contains(r, "FLORIN_BEP20_RPC?") {
		t.Errorf("the reason %q does not say what was meant", r)
	}
	if r := problems[4].Reason; strings.Contains(r, "FLORIN_") {
		t.Errorf("the reason %q guesses wildly", r)
	}
}

func TestLoad_Dotenv(t *testing.T) {
	t.Parallel()
	path := file(t, "# Florin\nFLORIN_LISTEN=127.0.0.1:1\nFLORIN_SIGNUP=closed\nPOSTGRES_PASSWORD=x\nFLORIN_SECRET_KEY='"+key()+"'\n")
	c, err := Load([]string{"FLORIN_LISTEN=127.0.0.1:2", "FLORIN_SIGNUP="}, path)
	if err != nil {
		t.Fatal(err)
	}
	if c.Listen != "127.0.0.1:2" {
		t.Errorf("listens on %s: the environment goes first", c.Listen)
	}
	if c.Signup != SignupClosed {
		t.Errorf("signup is %s: an empty value counts as none", c.Signup)
	}
	if _, err := Load(environ(), file(t, "FLORIN_LISTN=1")); names(asProblems(t, err))[0] != "FLORIN_LISTN" {
		t.Errorf("an unknown name of the file: %v", err)
	}
	for _, bad := range []string{
		filepath.Join(t.TempDir(), "none"), t.TempDir(), file(t, "FLORIN_LISTEN"),
		file(t, strings.Repeat("#", maxDotenv+1)),
	} {
		_, err := Load(environ(), bad)
		if got := names(asProblems(t, err)); !slices.Equal(got, []string{bad}) {
			t.Errorf("Load of %s: problems with %v", bad, got)
		}
	}
}

func TestLoad_SecretFiles(t *testing.T) {
	t.Parallel()
	c, err := Load([]string{"FLORIN_SECRET_KEY_FILE=" + file(t, key()+"\n"), "FLORIN_SOL_SEED_FILE=" + file(t, canarySeed+"\r\n"), "FLORIN_BEP20_RPC_FILE=" + file(t, "http://localhost:1")}, "")
	if err != nil {
		t.Fatal(err)
	}
	if c.SecretKey.Reveal() != canaryBytes || c.SolSeed == nil || len(c.Networks) != 1 {
		t.Errorf("not as the files have it: %+v", c)
	}
	for name, settings := range map[string][]string{
		"FLORIN_SECRET_KEY":  {"FLORIN_SECRET_KEY_FILE=" + file(t, key())}, // and the variable of environ
		"FLORIN_SOL_SEED":    {"FLORIN_SOL_SEED_FILE=/nonexistent/seed"},
		"FLORIN_EVM_GAS_KEY": {"FLORIN_EVM_GAS_KEY_FILE=" + file(t, "\n")},
		"FLORIN_SMTP_URL":    {"FLORIN_SMTP_URL_FILE=" + t.TempDir()},
		"FLORIN_LISTEN_FILE": {"FLORIN_LISTEN_FILE=" + file(t, ":1")},
	} {
		_, err := Load(environ(settings...), "")
		if got := names(asProblems(t, err)); !slices.Equal(got, []string{name}) {
			t.Errorf("%v: problems with %v, want %s", settings, got, name)
		}
	}
}

// full is an environment with every secret set.
func full() []string {
	return environ("FLORIN_DATABASE_URL=postgres://florin:"+canaryDB+"@db.example.com/florin?password="+canaryDB,
		"FLORIN_BEP20_RPC=https://bsc.example.com/v2/"+canaryRPC+",https://"+canaryRPC+"@b.example.com,http://localhost:8545",
		"FLORIN_SMTP_URL=smtp://u:"+canarySMTP+"@mail.example.com", "FLORIN_MAIL_FROM=florin@example.com",
		"FLORIN_EVM_GAS_KEY="+canaryEVM, "FLORIN_SOL_SEED="+canarySeed)
}

func TestPrint(t *testing.T) {
	t.Parallel()
	c, err := Load(full(), "")
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := c.Print(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"FLORIN_SECRET_KEY=***\n", "FLORIN_DATABASE_URL=postgres://db.example.com/***\n",
		"FLORIN_BEP20_RPC=https://bsc.example.com/***,https://b.example.com/***,http://localhost:8545\n",
		"FLORIN_BEP20_CHAIN_ID=56\n", "FLORIN_BEP20_USDT=0x55d398326f99059fF775485246999027B3197955\n", "FLORIN_BEP20_USDT_DECIMALS=18\n",
		"FLORIN_BEP20_FINALITY=finalized\n", "# FLORIN_BASE_RPC=\n", "# FLORIN_BASE_USDT=\n", "FLORIN_SMTP_URL=smtp://mail.example.com/***\n",
		"FLORIN_EVM_GAS_KEY=***\n", "FLORIN_SOL_SEED=***\n", "# FLORIN_SOL_GAS_KEY=\n", "FLORIN_CHECKOUT_URL=http://localhost:8080\n", "FLORIN_PAYMENT_TTL=60m\n",
		"FLORIN_SOL_MAX_PRIORITY_FEE=2000000\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the printed configuration lacks %q:\n%s", want, out.String())
		}
	}
	if list, err := parseDotenv(out.String()); err != nil || len(list) < 15 {
		t.Errorf("what is printed is no .env file: %v", err)
	}
	if len(c.shown) != len(variables()) {
		t.Errorf("%d of %d variables are shown", len(c.shown), len(variables()))
	}
}

// TestSecretsDoNotPrint looks for every secret in all that can print a Config.
func TestSecretsDoNotPrint(t *testing.T) {
	t.Parallel()
	c, err := Load(full(), "")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := c.Print(&out); err != nil {
		t.Fatal(err)
	}
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
