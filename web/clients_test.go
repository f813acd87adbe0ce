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
	"slices"
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
