package webhook_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/testkit"
	"github.com/florinpay/florin/internal/webhook"
)

func TestBody(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ data, secret, want string }{
		"no secret":         {`{"txnid":"a","amount":10}`, "", `{"txnid":"a","amount":10}`},
		"secret":            {`{"txnid":"a","amount":10}`, "s3", `{"txnid":"a","amount":10,"secret":"s3","privateKey":"s3"}`},
		"empty object":      {`{}`, "s", `{"secret":"s","privateKey":"s"}`},
		"white space":       {" { \"a\" : 1 }\n", "s", `{ "a" : 1 ,"secret":"s","privateKey":"s"}`},
		"exact numbers":     {`{"a":1000000.000001,"b":0.1,"c":123456789012345678901234567890}`, "s", `{"a":1000000.000001,"b":0.1,"c":123456789012345678901234567890,"secret":"s","privateKey":"s"}`},
		"order":             {`{"z":1,"a":2,"m":3}`, "s", `{"z":1,"a":2,"m":3,"secret":"s","privateKey":"s"}`},
		"secret is escaped": {`{"a":1}`, "a\"},\n<&>é", `{"a":1,"secret":"a\"},\n<&>é","privateKey":"a\"},\n<&>é"}`},
		"nested secret":     {`{"metadata":{"secret":"mine"}}`, "s", `{"metadata":{"secret":"mine"},"secret":"s","privateKey":"s"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := webhook.Body(json.RawMessage(c.data), secret.New(c.secret))
			if err != nil || string(got) != c.want {
				t.Fatalf("got  %s, %v\nwant %s", got, err, c.want)
			}
		})
	}
}

func TestBody_Refuses(t *testing.T) {
	t.Parallel()
	for _, data := range []string{
		``, `null`, `[]`, `"a"`, `1`, `{`, `{"a":1}}`, `{"a":1} {"b":2}`, `{"a":1,}`, `{"a":NaN}`,
		`{"secret":"x"}`, `{"privateKey":"x"}`, "{\"\\u0073ecret\":1}",
	} {
		for _, s := range []string{"", "s"} {
			if got, err := webhook.Body(json.RawMessage(data), secret.New(s)); !errors.Is(err, webhook.ErrBody) {
				t.Errorf("%q with secret %q: got %s, %v", data, s, got, err)
			}
		}
	}
}

// The body of an event, as receivers of interface.md section 6 read it.
func TestBody_OfAnEvent(t *testing.T) {
	t.Parallel()
	data, err := json.Marshal(payment.WebhookBody{
		TxnID: "01JD3ZQ0000000000000000000", Status: "completed", Amount: 1234567890123, AmountInToken: 1234567890123,
		Network: "polygon", CreatedAt: "2026-11-21T10:00:00.000Z", Token: money.USDT, Hash: chain.TxHash("0xabc"),
		Metadata: map[string]string{"order": "<42>"}, EventID: "evt_01JD3ZQ0000000000000000000_4",
	})
	testkit.Must(t, err)
	body, err := webhook.Body(data, secret.New("shop-secret"))
	testkit.Must(t, err)
	var got struct {
		TxnID, Status, Network, Secret, PrivateKey string
		Amount                                     json.Number
	}
	testkit.Must(t, json.Unmarshal(body, &got))
	if got.Status != "completed" || got.Secret != "shop-secret" || got.PrivateKey != "shop-secret" ||
		got.Amount != "1234567.890123" {
		t.Fatalf("got %+v", got)
	}
	if !bytes.HasPrefix(body, data[:len(data)-1]) {
		t.Fatalf("the event's own bytes changed:\n%s\n%s", data, body)
	}
}

func FuzzBody(f *testing.F) {
	f.Add(`{"txnid":"a","amount":10.000001}`, "s")
	f.Add(`{}`, `"}`)
	f.Add(" {\"a\":{\"secret\":1}}\t", "")
	f.Add(`{"secret":1}`, "x")
	f.Add(`[{}]`, "\x00\xff")
	f.Fuzz(func(t *testing.T, data, text string) {
		body, err := webhook.Body(json.RawMessage(data), secret.New(text))
		if err != nil {
			if !errors.Is(err, webhook.ErrBody) {
				t.Fatalf("an undocumented error: %v", err)
			}
			return
		}
		var before, after map[string]json.RawMessage
		if err := json.Unmarshal([]byte(data), &before); err != nil {
			t.Fatalf("accepted data that is not an object: %q", data)
		}
		if err := json.Unmarshal(body, &after); err != nil {
			t.Fatalf("%q with %q gives invalid JSON: %s", data, text, body)
		}
		if text != "" {
			var s, p string
			if json.Unmarshal(after["secret"], &s) != nil || json.Unmarshal(after["privateKey"], &p) != nil || s != p {
				t.Fatalf("secret %q, privateKey %q", after["secret"], after["privateKey"])
			}
			if want := strings.ToValidUTF8(text, "\ufffd"); utf8.ValidString(text) && s != want {
				t.Fatalf("secret %q became %q", text, s)
			}
			delete(after, "secret")
			delete(after, "privateKey")
		}
		if len(before) != len(after) {
			t.Fatalf("%d fields became %d", len(before), len(after))
		}
		for name, value := range before {
			if !bytes.Equal(after[name], value) {
				t.Fatalf("%s: %s became %s", name, value, after[name])
			}
		}
	})
}

// TestWithCustodian: the id stands behind the event's own fields, and before the secret.
func TestWithCustodian(t *testing.T) {
	t.Parallel()
	for data, want := range map[string]string{
		`{"a":1}`: `{"a":1,"custodianId":"01C","secret":"s","privateKey":"s"}`, ` {"a":{}} `: `{"a":{},"custodianId":"01C","secret":"s","privateKey":"s"}`,
	} {
		got, err := webhook.Body(webhook.WithCustodian(json.RawMessage(data), "01C"), secret.New("s"))
		if err != nil || string(got) != want {
			t.Errorf("%s, %v", got, err)
		}
	}
	for _, data := range []string{"", "[]", "{", "7"} {
		if _, err := webhook.Body(webhook.WithCustodian(json.RawMessage(data), "01C"), secret.New("s")); err == nil {
			t.Errorf("%s is the data of an event", data)
		}
	}
}

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
