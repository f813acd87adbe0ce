package main_test

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"

	"github.com/oklog/ulid/v2"

	"github.com/florinpay/florin/internal/testkit"
)

// TestTraces: a payment is one trace, from the call that created it over its deposit on the chain to its webhook, as a
// collector receives it from the program; the log names it, and no secret leaves.
func TestTraces(t *testing.T) {
	t.Parallel()
	const canary, customer = "c4n4ryc4n4ry", "payer@example.net"
	collector := testkit.StartCollector(t)
	s := &shop{receiver: newReceiver(t), chains: startChains(t)[:1]}
	s.receiver.URL += "/" + canary
	s.open(t, append(s.chains[0].environ(), "FLORIN_ALLOW_PRIVATE_CALLBACKS=true", "FLORIN_LOG_LEVEL=debug",
		"OTEL_EXPORTER_OTLP_ENDPOINT="+collector.URL, "OTEL_EXPORTER_OTLP_HEADERS=authorization=Bearer%20"+canary),
		map[string]any{"bep20": settlementWallet})
	eventually(t, "the network", func() bool {
		_, health := s.do(t, http.MethodGet, "/health", "")
		return health["networks"].(map[string]any)["BEP20"].(map[string]any)["status"] == "ok"
	})
	status, made := s.post(t, "/create-payment", fmt.Sprintf(
		`{"apiKey":%q,"amount":7,"customerEmail":%q,"successUrl":"https://shop.example/%s","metadata":{"note":%q},"description":%q}`,
		s.key, customer, canary, canary, canary))
	p, _ := made["transaction"].(map[string]any)
	txnid, _ := p["txnid"].(string)
	if status != http.StatusOK || txnid == "" {
		t.Fatalf("create: %d %v", status, made)
	}
	status, started := s.post(t, "/pay", fmt.Sprintf(`{"txnid":%q,"network":"BEP20","token":"USDT"}`, txnid))
	if status != http.StatusOK {
		t.Fatalf("start: %d %v", status, started)
	}
	address := started["transaction"].(map[string]any)["wallet"].(map[string]any)["address"].(string)
	tx := s.chains[0].pay(t, s.chains[0].token("USDT"), address, 700)
	s.await(t, txnid, "COMPLETED")
	s.awaitWebhook(t, txnid, "completed")
	status, log := s.stop(t, syscall.SIGTERM) // which exports what is left
	if status != 0 {
		t.Fatalf("status %d: %s", status, log)
	}

	of := ulid.MustParseStrict(txnid)
	trace := hex.EncodeToString(of[:])
	checkTrace(t, collector, txnid, trace, tx)
	if !strings.Contains(log, "trace_id="+trace) {
		t.Errorf("the log does not name the trace %s", trace)
	}
	for _, body := range collector.Bodies() {
		for _, hidden := range []string{
			canary, customer, s.key, s.signing, secretKey, "callback-secret", s.receiver.URL,
		} {
			if bytes.Contains(body, []byte(hidden)) {
				t.Errorf("%q is exported: %q", hidden, body)
			}
		}
	}
}

// checkTrace fails unless the payment's spans are one tree below the call that created it.
func checkTrace(t *testing.T, collector *testkit.Collector, txnid, trace, tx string) {
	t.Helper()
	spans, root, roots := make(map[string]testkit.Span), "", 0
	ids := make(map[string]bool)
	for _, s := range collector.Spans(t) {
		if s.Trace != trace || s.Attributes["florin.txnid"] != txnid {
			continue // of another payment, or none
		}
		if s.Parent == "" {
			root = s.Name
			roots++
		}
		spans[s.Name], ids[s.ID] = s, true
	}
	if root != "POST /create-payment" || roots != 1 {
		t.Errorf("the trace begins with %d spans such as %q", roots, root)
	}
	for _, name := range []string{
		"POST /create-payment", "payment.created", "POST /pay", "payment.started", "deposit.seen",
		"chain.final", "payment.completed", "webhook",
	} {
		if _, ok := spans[name]; !ok {
			t.Errorf("no span %s: %+v", name, spans)
		}
	}
	for _, s := range spans {
		if s.Parent != "" && !ids[s.Parent] {
			t.Errorf("the parent of %s is not in the trace", s.Name)
		}
		if strings.HasPrefix(s.Name, "chain.") && s.Attributes["florin.tx"] != tx {
			t.Errorf("%s is %+v, want it of %s", s.Name, s.Attributes, tx)
		}
	}
}

// TestDebugListen: profiles are served to this machine alone, on an address of their own.
func TestDebugListen(t *testing.T) {
	t.Parallel()
	address := freeAddress(t)
	i := newInstallation(t, "FLORIN_DEBUG_LISTEN="+address)
	s := i.serve(t)
	for url, want := range map[string]int{
		"http://" + address + "/debug/pprof/goroutine?debug=1": http.StatusOK,
		"http://" + address + "/debug/pprof/heap":              http.StatusOK,
		"http://" + address + "/health":                        http.StatusNotFound,
		s.url + "/debug/pprof/":                                http.StatusNotFound,
	} {
		res, err := http.Get(url)
		testkit.Must(t, err)
		_, err = io.Copy(io.Discard, res.Body)
		testkit.Must(t, err)
		testkit.Must(t, res.Body.Close())
		if res.StatusCode != want {
			t.Errorf("%s answers %d, want %d", url, res.StatusCode, want)
		}
	}
	second := newInstallation(t, "FLORIN_DEBUG_LISTEN="+address, "FLORIN_LISTEN=127.0.0.1:0")
	second.refuses(t, 1, []string{"serve"}, "FLORIN_DEBUG_LISTEN="+address)
	for _, open := range []string{"0.0.0.0:0", ":0", "192.0.2.1:6060", "[::]:6060", "example.com:6060"} {
		newInstallation(t, "FLORIN_DEBUG_LISTEN="+open).refuses(t, 1, []string{"serve"}, "FLORIN_DEBUG_LISTEN")
	}
	if status, log := s.stop(t, syscall.SIGTERM); status != 0 || !strings.Contains(log, "http://"+address+"/debug/pprof/") {
		t.Errorf("status %d: %s", status, log)
	}
}
