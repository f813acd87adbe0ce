package webhook_test

import (
	"encoding/json"
	"net"
	"net/http"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/testkit"
	"github.com/florinpay/florin/internal/webhook"
)

func TestPing(t *testing.T) {
	t.Parallel()
	for _, status := range webhook.TestStatuses() {
		t.Run(status, func(t *testing.T) {
			t.Parallel()
			shop := startReceiver(t, answer(202))
			signing := []secret.Text{webhook.NewSigningSecret(), webhook.NewSigningSecret()}
			a := development().Ping(t.Context(), "test_01JD", "01CUSTODIAN", status, shop.URL, shopSecret, signing...)
			got := shop.requests()
			if a.Status != 202 || len(got) != 1 {
				t.Fatalf("got %+v, %d requests", a, len(got))
			}
			for _, s := range signing {
				mustVerify(t, s, got[0].body, got[0].header)
			}
			var body struct {
				Test                           bool
				TxnID, Status, EventID, Secret string
				Amount                         json.Number
			}
			testkit.Must(t, json.Unmarshal(got[0].body, &body))
			if !body.Test || body.TxnID != "TEST" || body.Status != status || body.EventID != "test_01JD" || body.Secret != shopSecret.Reveal() || body.Amount != "49.9" {
				t.Errorf("got %+v", body)
			}
		})
	}
}

// proxied counts the connections to the proxy that the environment of these tests names. net/http reads the environment
// once, so it is set before any test.
var proxied atomic.Int64

func TestMain(m *testing.M) {
	proxy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	go func() {
		for {
			c, err := proxy.Accept()
			if err != nil {
				return
			}
			proxied.Add(1)
			_ = c.Close()
		}
	}()
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy", "ALL_PROXY"} {
		if err := os.Setenv(name, "http://"+proxy.Addr().String()); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

// net/http never uses a proxy for loopback addresses, so this test uses a name.
func TestSend_IgnoresProxies(t *testing.T) {
	t.Parallel()
	shop := startReceiver(t, answer(200))
	_, port, err := net.SplitHostPort(shop.Listener.Addr().String())
	testkit.Must(t, err)
	url := "http://shop.test:" + port
	request, err := http.NewRequest(http.MethodPost, url, nil)
	testkit.Must(t, err)
	if p, err := http.ProxyFromEnvironment(request); err != nil || p == nil {
		t.Fatalf("the environment names no proxy: %v, %v", p, err)
	}
	s := webhook.NewSender(
		webhook.Options{
			AllowPrivate: true, Now: time.Now, Resolver: names(t, map[string][]string{"shop.test.": {"127.0.0.1"}}),
		},
	)
	if a := s.Send(t.Context(), delivery(url)).Attempt; a.Status != 200 {
		t.Fatalf("got %+v", a)
	}
	if n := proxied.Load(); n != 0 {
		t.Errorf("%d connections went to the proxy", n)
	}
}
