package config

import (
	"encoding/base64"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestLoad_Refuses(t *testing.T) {
	t.Parallel()
	t.Run("Addresses", func(t *testing.T) {
		t.Parallel()
		refuses(t, map[string][]string{
			"FLORIN_LISTEN":         {"8080"},
			"FLORIN_METRICS_LISTEN": {"localhost", "127.0.0.1:8080", "127.0.0.1:99999"},
			"FLORIN_DEBUG_LISTEN": {
				"localhost", ":6060", "0.0.0.0:6060", "10.0.0.1:6060", "[::]:6060", "example.com:6060",
			},
			"FLORIN_BASE_URL":     {"pay.example.com", "ftp://pay.example.com", "https://", "https://a.example.com/?q=1", "https://u:p@a.example.com", "https://a.example.com/pay"},
			"FLORIN_CHECKOUT_URL": {"/pay", "javascript:alert(1)", "https://pay.example.com/x/"},
			"FLORIN_DATABASE_URL": {
				"florin.db", "sqlite://", "mysql://root@db/x", "postgres://u:" + canaryDB + "@%zz/",
				"sqlite://f?mode=ro",
				"postgres://u:12#" + canaryDB + "@db/x", "postgres://u:12/" + canaryDB + "@db/x",
				"postgres://u@db/x?pgbouncer=true",
			},
			"FLORIN_SMTP_URL":  {"mail.example.com:25", "http://u:" + canarySMTP + "@mail.example.com", "smtp://", "smtp://mail.example.com?tls=no", "smtps://mail.example.com?tls=off", "smtp://u:1#" + canarySMTP + "@mail.example.com", "smtp://u:1/" + canarySMTP + "@mail.example.com"},
			"FLORIN_MAIL_FROM": {"florin", "a@b, c@d"},
			// no mail server
			"FLORIN_OPERATOR_EMAIL": {"ops", "ops@example.com,", "Ops <ops@example.com>", "ops@example.com"},
			"FLORIN_OPERATOR_WEBHOOK": {
				"hooks.example.com", "ftp://hooks.example.com", "https://u:" + canarySMTP + "@hooks.example.com/",
			},
			"FLORIN_OPERATOR_WEBHOOK_SECRET": {
				canarySMTP, "whsec_c2hvcnQ=", "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=", // no webhook
			},
			"FLORIN_CLIENT_IP_HEADER": {"CF Connecting", "x-forwarded-for", "Forwarded"},
			"FLORIN_TRUSTED_PROXIES":  {"everyone", "10.0.0.0/33", ","},
		})
	})
	t.Run("Secrets", func(t *testing.T) {
		t.Parallel()
		refuses(t, map[string][]string{
			"FLORIN_SECRET_KEY":  {"short", base64.StdEncoding.EncodeToString([]byte("31 bytes are one too few, you see"[:31])), strings.Repeat("!", 43)},
			"FLORIN_EVM_GAS_KEY": {"0x" + canaryEVM[:60], canarySeed},
			"FLORIN_SOL_GAS_KEY": {"[1,2,3]", "0x" + canaryEVM},
			"FLORIN_SOL_SEED":    {canarySeed + " yellow", strings.Replace(canarySeed, "yellow", "winner", 1)},
		})
	})
	t.Run("Networks", func(t *testing.T) {
		t.Parallel()
		refuses(t, map[string][]string{
			"FLORIN_BEP20_RPC":             {"localhost:8545", "ipc://localhost:8546", "wss://", "ws:///path", "http://a.example.com, http://a.example.com", "http://a.example.com/;v=1", "http://a.example.com|http://b.example.com"},
			"FLORIN_BEP20_CHAIN_ID":        {"0", "-1", "0x38", "BSC"},
			"FLORIN_BEP20_USDT":            {"0x0", solWallet, strings.Replace(token, "F", "f", 1)},
			"FLORIN_SOL_USDC":              {token, "EPjFWdd5"},
			"FLORIN_BASE_USDC_DECIMALS":    {"5", "19", "six"},
			"FLORIN_BASE_RPC_BUDGET":       {"0", "4999", "-1", "many", "1e6", "1000000001"},
			"FLORIN_BASE_FINALITY":         {"latest", "12", "500ms", "25h", "-1s"},
			"FLORIN_BASE_EXPLORER":         {"basescan.org"},
			"FLORIN_POLYGON_TREASURY":      {"0x0000000000000000000000000000000000000000", solWallet},
			"FLORIN_BASE_MAX_PRIORITY_FEE": {"1"}, // never was one
		})
	})
	t.Run("AmountsAndTimes", func(t *testing.T) {
		t.Parallel()
		refuses(t, map[string][]string{
			"FLORIN_PAYMENT_TTL": {"60", "0s", "-1m", "721h"},
			"FLORIN_START_TTL":   {"soon", "1ms"},
			"FLORIN_KEEP_EVENTS": {"34d", "0", "-1d", "never", "1.5d", "99999999d"},
			"FLORIN_SWEEP_WAIT":  {"60", "-1s", "25h"},
			"FLORIN_SWEEP_MIN":   {"0", "-1", "much"},
			"FLORIN_SWEEP_DUST":  {"0", "-1", "0.0000001"},
			"FLORIN_MIN_AMOUNT":  {"0", "-1", "0.0000001", "NaN", "1e7"},
			"FLORIN_MAX_AMOUNT":  {"1e300", "1000000001", "-0.001"},
		})
	})
	t.Run("Limits", func(t *testing.T) {
		t.Parallel()
		refuses(t, map[string][]string{
			"FLORIN_RATE_CLIENT":       {"0", "-1", "NaN", "Inf", "1e9", "100/s", "0.0009"},
			"FLORIN_RATE_CLIENT_BURST": {"0", "1000001", "2.5"},
			"FLORIN_RATE_KEY":          {"0", "100001"},
			"FLORIN_RATE_KEY_BURST":    {"0", "all"},
			"FLORIN_RATE_COSTLY":       {"0", "often", "1/0", "0/0", "1/", "/30", "1/1001", "1/2/3"},
			"FLORIN_RATE_COSTLY_BURST": {"0", "-20"},
		})
	})
	t.Run("Policy", func(t *testing.T) {
		t.Parallel()
		refuses(t, map[string][]string{
			"FLORIN_SIGNUP":                  {"everybody"},
			"FLORIN_CREDITS":                 {"none"},
			"FLORIN_BASE_ALONE":              {"some"},
			"FLORIN_SIGNUP_CREDITS":          {"-1", "1.5", "1000001"},
			"FLORIN_SIGNUP_QUERIES":          {"many"},
			"FLORIN_ALLOW_PRIVATE_CALLBACKS": {"perhaps"},
			"FLORIN_INTROSPECTION":           {"2"},
			"FLORIN_LOG_LEVEL":               {"loud"},
			"FLORIN_LOG_FORMAT":              {"xml"},
		})
	})
}

// refuses loads each value of each setting alone and expects one problem that names the setting, and no secret in it.
func refuses(t *testing.T, settings map[string][]string) {
	t.Helper()
	for name, values := range settings {
		for _, value := range values {
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
			t.Errorf("problem %+v lacks a name or a reason, or is longer than a line", x)
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

func TestLoad_RefusesContradictions(t *testing.T) {
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

func TestLoad_ReportsEveryProblem(t *testing.T) {
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
		t.Errorf("the reason %q does not suggest FLORIN_BEP20_RPC", r)
	}
	if r := problems[4].Reason; strings.Contains(r, "FLORIN_") {
		t.Errorf("the reason %q suggests a setting that is not similar", r)
	}
}
