package main_test

import (
	"encoding/json"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/testkit"
	"github.com/florinpay/florin/internal/testkit/postgres"
)

// examination is what florin doctor --json prints.
type examination struct {
	Verdict string
	Checks  []struct{ Name, Verdict, Text string }
}

// examine runs florin doctor, whose exit status must fit its verdict.
func (i installation) examine(t *testing.T, flags ...string) examination {
	t.Helper()
	r := i.run(t, "", append([]string{"doctor", "--json"}, flags...)...)
	var x examination
	if err := json.Unmarshal([]byte(r.stdout), &x); err != nil {
		t.Fatalf("florin doctor prints %q, %q: %v", r.stdout, r.stderr, err)
	}
	if (r.status != 0) != (x.Verdict == "wrong") {
		t.Errorf("status %d with the verdict %s", r.status, x.Verdict)
	}
	for _, c := range x.Checks {
		if c.Name == "" || c.Text == "" || !slices.Contains([]string{"fine", "warning", "wrong"}, c.Verdict) {
			t.Errorf("an unfinished check: %+v", c)
		}
		for _, secret := range []string{secretKey, "hunter2"} {
			if strings.Contains(c.Text, secret) {
				t.Errorf("a secret is in %+v", c)
			}
		}
	}
	return x
}

// wants fails unless a check of the name has the verdict and its text has all parts.
func (x examination) wants(t *testing.T, name, verdict string, parts ...string) {
	t.Helper()
	for _, c := range x.Checks {
		lacks := func(part string) bool { return !strings.Contains(c.Text, part) }
		if c.Name == name && c.Verdict == verdict && !slices.ContainsFunc(parts, lacks) {
			return
		}
	}
	t.Errorf("no check %q is %s with %q: %+v", name, verdict, parts, x.Checks)
}

// TestDoctor_Healthy: an installation with two endpoints, gas and a server that runs.
func TestDoctor_Healthy(t *testing.T) {
	t.Parallel()
	c := startChains(t)[0]
	i := newInstallation(t, append(c.environ(), "FLORIN_DATABASE_URL="+postgres.URL(t),
		"FLORIN_BEP20_RPC="+c.URL()+","+proxied(t, c.URL(), nil), "FLORIN_EVM_GAS_KEY=0x"+strings.Repeat("1", 64))...)
	s := i.serve(t)
	i.env = append(i.env, "FLORIN_BASE_URL="+s.url, "FLORIN_CHECKOUT_URL="+s.url)
	x := i.examine(t)
	for name, parts := range map[string][]string{
		"configuration": nil, "database": {"PostgreSQL"}, "database schema": nil, "secret key": nil, "clock": nil,
		"database isolation": {"read committed"}, "disk": {"MB"}, "proxy": {s.url},
		"FLORIN_BASE_URL":  {s.url, testVersion},
		"networks":         {"1 are configured"},
		"BEP20 endpoint 1": {"block ", "chain id 56, contracts, tokens and decimals are right"}, "BEP20 endpoint 2": {"block "},
		"BEP20 endpoint 1 lag":  {"limit 1m0s"},
		"BEP20 endpoint 1 tags": {"finalized"}, "BEP20 endpoint 1 getLogs": {"blocks"},
		"BEP20 endpoint 1 archive depth": {"blocks"}, "BEP20 endpoint 1 batch": {"25 calls"},
		"BEP20 endpoint 1 rate": {"25 calls in a second; a server makes 25 at most"},
		"BEP20 treasury":        {"none"},
	} {
		x.wants(t, name, "fine", parts...)
	}
	x.wants(t, "FLORIN_BASE_URL", "warning", "not https")
	x.wants(t, "database durability", "warning", "fsync=off") // of the tests' server
	x.wants(t, "mail", "warning", "FLORIN_SMTP_URL")
	x.wants(t, "credits", "warning", "FLORIN_CREDITS=free", "stops after its free credits")
	for _, set := range []string{"FLORIN_CREDITS=free", "FLORIN_BEP20_TREASURY=" + wallet} {
		quiet := installation{dir: i.dir, env: append(slices.Clone(i.env), set)}
		if said := quiet.run(t, "", "doctor").stdout; strings.Contains(said, "free credits") {
			t.Errorf("with %s florin doctor prints %q", set, said)
		}
	}
	x.wants(t, "BEP20 endpoints", "warning", "both must answer", "FLORIN_BEP20_ALONE", "a third one")
	x.wants(t, "BEP20 gas wallet", "wrong", "holds no BNB", "send some")
	text := i.run(t, "", "doctor")
	if lines := strings.Count(text.stdout, "\n"); lines != len(x.Checks) || text.status != 1 ||
		!strings.Contains(text.stderr, "something is wrong") {
		t.Errorf("%d lines for %d checks, status %d, %s", lines, len(x.Checks), text.status, text.stderr)
	}
}

// TestDoctor_Endpoints: each endpoint is judged by itself, by what it really answers.
func TestDoctor_Endpoints(t *testing.T) {
	t.Parallel()
	c := startChains(t)[0]
	gone := "http://127.0.0.1:" + testkit.MustPort(t)
	refuses := func(method string) string {
		return proxied(t, c.URL(), func(body string) bool { return strings.Contains(body, method) })
	}
	for name, row := range map[string]struct {
		endpoint string
		set      []string
		parts    []string
	}{
		"NotThere":      {gone, nil, []string{"127.0.0.1", "connection refused", "its node runs"}},
		"NoKey":         {saying(t, 401, "unauthorized"), nil, []string{"401", "correct the key in FLORIN_BEP20_RPC"}},
		"UsedUp":        {saying(t, 429, "slow down"), nil, []string{"429", "larger plan"}},
		"WebPage":       {saying(t, 200, "<html>Hello</html>"), nil, []string{"a web page", "correct its address"}},
		"NoLogs":        {refuses("eth_getLogs"), nil, []string{"queries for payments"}},
		"NoBlocks":      {refuses("eth_getBlockByNumber"), nil, nil},
		"NoCode":        {refuses("eth_getCode"), nil, nil},
		"OtherChain":    {c.URL(), []string{"FLORIN_BEP20_CHAIN_ID=57"}, []string{"57"}},
		"NoToken":       {c.URL(), []string{"FLORIN_BEP20_USDC=0x000000000000000000000000000000000000bEEF"}, []string{"FLORIN_BEP20_USDC"}},
		"OtherDecimals": {c.URL(), []string{"FLORIN_BEP20_USDT_DECIMALS=7"}, []string{"FLORIN_BEP20_USDT_DECIMALS"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i := newInstallation(t, append(append(c.environ(), "FLORIN_BEP20_RPC="+row.endpoint), row.set...)...)
			x := i.examine(t)
			x.wants(t, "BEP20 endpoint 1", "wrong", row.parts...)
			x.wants(t, "BEP20 endpoints", "warning", "one endpoint")
			x.wants(t, "BEP20 gas wallet", "warning", "FLORIN_EVM_GAS_KEY")
			for _, c := range x.Checks {
				if strings.Contains(c.Text, "no endpoint of this network answers") {
					t.Errorf("one endpoint is called all: %+v", c)
				}
			}
		})
	}
}

// TestDoctor_OneBad: beside one that works, an endpoint that does not is named, and the gas wallet is read; one that
// withholds logs is found out.
func TestDoctor_OneBad(t *testing.T) {
	t.Parallel()
	c := startChains(t)[0]
	c.pay(t, c.Tokens().USDT, wallet, 100)
	paid, err := c.Client().BlockNumber(t.Context())
	testkit.Must(t, err)
	eventually(t, "the money is final", func() bool {
		final, err := c.Client().HeaderByNumber(t.Context(), big.NewInt(-3)) // the tag finalized
		return err == nil && final.Number.Uint64() >= paid+2
	})
	lies := withheld(t, c.URL())
	i := newInstallation(t, append(c.environ(), "FLORIN_EVM_GAS_KEY=0x"+strings.Repeat("1", 64),
		"FLORIN_BEP20_RPC="+saying(t, http.StatusUnauthorized, "no")+","+c.URL()+","+lies)...)
	x := i.examine(t)
	x.wants(t, "BEP20 endpoint 1", "wrong", "401")
	x.wants(t, "BEP20 endpoint 2", "fine", "block ")
	x.wants(t, "BEP20 endpoint 2 logs", "fine", "")
	x.wants(t, "BEP20 endpoint 3 logs", "wrong", "withholds logs", "take it out of FLORIN_BEP20_RPC")
	x.wants(t, "BEP20 gas wallet", "wrong", "holds no BNB")
}

// saying is an endpoint that always gives the answer.
func saying(t *testing.T, status int, text string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// withheld is another address of the endpoint, which returns no logs.
func withheld(t *testing.T, endpoint string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		res, err := http.Post(endpoint, "application/json", strings.NewReader(string(body)))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		defer res.Body.Close()
		answer, _ := io.ReadAll(res.Body)
		var one struct{ Method string }
		if json.Unmarshal(body, &one) == nil && one.Method == "eth_getLogs" {
			answer = []byte(`{"jsonrpc":"2.0","id":0,"result":[]}`)
		}
		_, _ = w.Write(answer)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// TestDoctor_Files: files with secrets that others can read are named, and mended when that is asked for.
func TestDoctor_Files(t *testing.T) {
	t.Parallel()
	i := newInstallation(t)
	i.must(t, "", "migrate")
	path := write(t, i.dir, ".env", "FLORIN_LOG_LEVEL=info\n")
	testkit.Must(t, os.Chmod(path, 0o644))
	i.examine(t).wants(t, "file .env", "warning", "chmod o= .env", "--fix")
	i.examine(t, "--fix").wants(t, "file .env", "fine", "mended")
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	x := i.examine(t)
	x.wants(t, "file .env", "fine", "owner")
	x.wants(t, "file test.db", "fine", "owner")
	x.wants(t, "open files", "fine", "")
}

// TestDoctor_Push: an address that pushes, on the host of one for calls, is no second endpoint.
func TestDoctor_Push(t *testing.T) {
	t.Parallel()
	c := startChains(t)[0]
	i := newInstallation(t, append(c.environ(), "FLORIN_BEP20_RPC="+c.URL()+",ws"+strings.TrimPrefix(c.URL(), "http"),
		"FLORIN_BEP20_RPC_BUDGET=unlimited")...)
	x := i.examine(t)
	x.wants(t, "BEP20 endpoint 1 rate", "fine", "there is no limit")
	x.wants(t, "BEP20 endpoint 1 batch", "fine", "50 calls")
	x.wants(t, "BEP20 endpoints", "warning", "one endpoint")
}

// TestDoctor_Solana: a network without contracts is checked as thoroughly, and each problem has its advice.
func TestDoctor_Solana(t *testing.T) {
	t.Parallel()
	s := startSolana(t)
	refuses := func(method string) string {
		return proxied(t, s.ledger.URL(), func(body string) bool { return strings.Contains(body, method) })
	}
	t.Run("Healthy", func(t *testing.T) {
		t.Parallel()
		x := newInstallation(t, append(s.environ(), "FLORIN_SOL_RPC_BUDGET=100000")...).examine(t)
		for name, part := range map[string]string{
			"SOL endpoint 1": "cluster, mints and decimals are right", "SOL endpoint 1 lag": "limit 1m0s",
			"SOL endpoint 1 accounts": "100 accounts at once", "SOL endpoint 1 archive depth": "from slot 0",
			"SOL endpoint 1 rate": "25 calls in a second", "SOL gas wallet": "holds 1 SOL", "SOL treasury": "none",
		} {
			x.wants(t, name, "fine", part)
		}
		x.wants(t, "SOL endpoints", "warning", "FLORIN_SOL_RPC")
	})
	for name, row := range map[string]struct{ set, check, verdict, part string }{
		"NotThere": {"FLORIN_SOL_RPC=http://127.0.0.1:" + testkit.MustPort(t), "SOL endpoint 1", "wrong", "127.0.0.1"},
		"NoAccounts": {
			"FLORIN_SOL_RPC=" + refuses("getMultipleAccounts"), "SOL endpoint 1", "wrong", "not on your plan",
		},
		"NoSlots": {"FLORIN_SOL_RPC=" + refuses("getSlot"), "SOL endpoint 1", "wrong", ""},
		"NoDepth": {
			"FLORIN_SOL_RPC=" + refuses("getFirstAvailableBlock"), "SOL endpoint 1 archive depth", "warning",
			"not on your plan",
		},
		"NoMint":        {"FLORIN_SOL_USDC=" + solanaWallet, "SOL endpoint 1", "wrong", "FLORIN_SOL_USDC"},
		"OtherDecimals": {"FLORIN_SOL_USDT_DECIMALS=7", "SOL endpoint 1", "wrong", "FLORIN_SOL_USDT_DECIMALS"},
		"NoGas":         {"FLORIN_SOL_GAS_KEY=", "SOL gas wallet", "warning", "FLORIN_SOL_GAS_KEY"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			newInstallation(t, append(s.environ(), row.set)...).examine(t).wants(t, row.check, row.verdict, row.part)
		})
	}
}

// TestDoctor_SameWords: what the doctor says of a network that is not set up is what /health and the log say.
func TestDoctor_SameWords(t *testing.T) {
	t.Parallel()
	c := startChains(t)[0]
	i := newInstallation(t, append(c.environ(), "FLORIN_BEP20_USDT_DECIMALS=7")...)
	s := i.serve(t)
	const words = "USDT of BEP20 has 18 decimals on the chain, not 7; correct FLORIN_BEP20_USDT_DECIMALS"
	i.examine(t).wants(t, "BEP20 endpoint 1", "wrong", words)
	eventually(t, "the same words in /health", func() bool {
		_, health := s.do(t, http.MethodGet, "/health", "")
		network := health["networks"].(map[string]any)["BEP20"].(map[string]any)
		detail, _ := network["detail"].(string)
		return strings.Contains(detail, words) && health["status"] == "degraded"
	})
	if _, log := s.stop(t, 15); !strings.Contains(log, words) {
		t.Errorf("the log lacks %q: %s", words, log)
	}
}

// TestDoctor_Wrong: settings, database, secret key, public address and mail server that do not work.
func TestDoctor_Wrong(t *testing.T) {
	t.Parallel()
	served := newInstallation(t)
	served.must(t, "", "migrate")
	stranger := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(stranger.Close)
	const otherKey = "FLORIN_SECRET_KEY=MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="
	for name, row := range map[string]struct {
		in            installation
		set           string
		check, advice string
	}{
		"UnknownSetting": {served, "FLORIN_BASE_USDbC=0x1", "FLORIN_BASE_USDbC", "no such setting"},
		"BadSetting":     {served, "FLORIN_PAYMENT_TTL=soon", "FLORIN_PAYMENT_TTL", "duration"},
		"NothingSold":    {served, "FLORIN_LISTEN=127.0.0.1:1", "networks", "set FLORIN_BEP20_RPC"},
		"OtherKey":       {served, otherKey, "secret key", "another FLORIN_SECRET_KEY"},
		"NoDatabase":     {newInstallation(t), "FLORIN_LISTEN=127.0.0.1:1", "database", "florin migrate"},
		"NoPostgres":     {served, "FLORIN_DATABASE_URL=postgres://u:hunter2@127.0.0.1:1/x", "database", "FLORIN_DATABASE_URL"},
		"NotFlorin":      {served, "FLORIN_BASE_URL=" + stranger.URL, "FLORIN_BASE_URL", "is not Florin"},
		"NotReached":     {served, "FLORIN_BASE_URL=http://127.0.0.1:1", "FLORIN_BASE_URL", "start it"},
		"NoMail":         {served, "FLORIN_SMTP_URL=smtp://u:hunter2@127.0.0.1:1", "mail", "FLORIN_SMTP_URL"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i := row.in
			i.env = append(slices.Clone(i.env), "FLORIN_MAIL_FROM=florin@example.com", row.set)
			i.examine(t).wants(t, row.check, "wrong", row.advice)
		})
	}
	t.Run("OldSchema", func(t *testing.T) {
		t.Parallel()
		i := newInstallation(t, "FLORIN_DATABASE_URL="+postgres.URL(t))
		i.examine(t).wants(t, "database schema", "wrong", "florin migrate")
	})
}

// proxied is another address of the endpoint, which refuses what refuse finds in a request; nil: nothing.
func proxied(t *testing.T, endpoint string, refuse func(body string) bool) string {
	t.Helper()
	to, err := url.Parse(endpoint)
	testkit.Must(t, err)
	through := httputil.NewSingleHostReverseProxy(to)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if refuse != nil && refuse(string(body)) {
			http.Error(w, "not on your plan", http.StatusForbidden)
			return
		}
		r.Body, r.ContentLength = io.NopCloser(strings.NewReader(string(body))), int64(len(body))
		through.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL
}
