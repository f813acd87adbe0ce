package web

import (
	"bufio"
	"context"
	"encoding/json"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/testkit"
	"github.com/florinpay/florin/internal/webhook"
)

// TestClients: the clients that shops are written with create, pay and read payments of amounts with 6 places, and
// their receivers verify the webhooks, as they came and written again after they were parsed. All run in one program of
// node.
func TestClients(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	srv := httptest.NewServer(b.withDeposits())
	t.Cleanup(srv.Close)
	b.deliver()
	dir, err := testkit.EngineDirectory()
	must(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	node := exec.CommandContext(ctx, "node", "clients.mjs")
	node.Dir, node.Stderr = dir, os.Stderr
	in, err := node.StdinPipe()
	must(t, err)
	out, err := node.StdoutPipe()
	must(t, err)
	must(t, node.Start())
	say, lines := json.NewEncoder(in), bufio.NewScanner(out)
	must(t, say.Encode(map[string]string{
		"base": srv.URL, "openapi": b.ask("GET", "/openapi.json", "").body, "deposit": srv.URL + "/deposit/",
	}))
	var receivers map[string]string
	lines.Scan()
	must(t, json.Unmarshal(lines.Bytes(), &receivers))
	shops := make(map[string]map[string]string)
	for name, url := range receivers {
		m := b.shop(b.member(name + "@shop.example"))
		in := merchant.CustodianInput{CallbackURL: &url}
		c, _, err := b.accounts.ArrangeCustodian(t.Context(), m.key, in, audit.Act{})
		must(t, err)
		shops[name] = map[string]string{"key": m.text, "secret": c.SigningSecrets[0].Reveal()}
	}
	must(t, say.Encode(shops))
	var ran []string
	for lines.Scan() {
		var r struct{ Name, Problem string }
		must(t, json.Unmarshal(lines.Bytes(), &r))
		if ran = append(ran, r.Name); r.Problem != "" {
			t.Errorf("%s: %s", r.Name, r.Problem)
		}
	}
	must(t, node.Wait())
	for _, name := range []string{
		"openapi-typescript", "hey-api", "orval", "types", "apollo, persisted queries", "urql",
		"urql, persisted queries", "graphql-request", "express", "fastify", "hono",
	} {
		if !slices.Contains(ran, name) {
			t.Errorf("%s did not run; %v did", name, ran)
		}
	}
}

// withDeposits is the server, and a place where test money is sent.
func (b *bundle) withDeposits() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", b.server.Handler())
	mux.HandleFunc("POST /deposit/{txnid}", func(_ http.ResponseWriter, r *http.Request) {
		p, err := b.payments.Get(r.Context(), r.PathValue("txnid"))
		must(b.t, err)
		b.deposit(p, p.Amount, true)
	})
	return mux
}

// deliver sends the webhooks of the bundle until the test ends.
func (b *bundle) deliver() {
	ctx, stop := context.WithCancel(b.t.Context())
	d := webhook.NewDeliverer(webhook.Config{
		Store: b.store, Holder: "test",
		Send: webhook.NewSender(webhook.Options{AllowPrivate: true, Now: time.Now}).Send,
		Now:  time.Now, Jitter: rand.Float64, Log: slog.New(slog.DiscardHandler),
	})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = d.Run(ctx)
	}()
	b.t.Cleanup(func() { stop(); <-ended })
}

// TestClients_Go: the clients that oapi-codegen and ogen make of the OpenAPI documents create, pay and read payments of
// amounts with 6 places. They are a module of their own, so that Florin's has none of what they need.
func TestClients_Go(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	srv := httptest.NewServer(b.withDeposits())
	t.Cleanup(srv.Close)
	m, dir := b.shop(b.member(ownerEmail)), t.TempDir()
	must(t, os.CopyFS(dir, os.DirFS("testdata/goclients")))
	must(t, os.Mkdir(filepath.Join(dir, "oapi"), 0o700))
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute) // the first time, all is compiled
	defer cancel()
	run := func(args ...string) string {
		t.Helper()
		c := exec.CommandContext(ctx, "go", args...)
		c.Dir = dir
		c.Env = append(c.Environ(), "GOFLAGS="+os.Getenv("GOFLAGS")+" -trimpath") // or nothing is cached: dir differs
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	for _, name := range []string{"openapi.json", "openapi-3.0.json"} {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(b.ask("GET", "/"+name, "").body), 0o600))
	}
	run("tool", "oapi-codegen", "-generate", "types,client", "-package", "oapi", "-o", "oapi/oapi.go", "openapi.json")
	run("tool", "ogen", "--target", "ogen", "--package", "ogen", "openapi-3.0.json")
	ran := run("run", ".", srv.URL, srv.URL+"/deposit/", m.text)
	for _, name := range []string{"oapi-codegen\n", "ogen\n"} {
		if !strings.Contains(ran, name) {
			t.Errorf("%s did not run: %s", name, ran)
		}
	}
}
