package webhook_test

import (
	"context"
	"crypto/x509"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/testkit"
	"github.com/florinpay/florin/internal/webhook"
)

func TestSend_Broken(t *testing.T) {
	t.Parallel()
	for name, serve := range map[string]func(net.Conn){
		"reset": func(c net.Conn) {
			_, _ = c.Read(make([]byte, 100))
			_ = c.(*net.TCPConn).SetLinger(0)
		},
		"closed at once":       func(net.Conn) {},
		"closed after request": func(c net.Conn) { _, _ = c.Read(make([]byte, 1)) },
		"not HTTP": func(c net.Conn) {
			_, _ = c.Read(make([]byte, 100))
			_, _ = c.Write([]byte("220 mail.example ESMTP\r\n\r\n"))
		},
		"half an answer": func(c net.Conn) {
			_, _ = c.Read(make([]byte, 100))
			_, _ = c.Write([]byte("HTTP/1.1 200 OK\r\nContent-Le"))
		},
		"headers without end": func(c net.Conn) {
			_, _ = c.Read(make([]byte, 100))
			_, _ = c.Write([]byte("HTTP/1.1 200 OK\r\n"))
			for line := []byte("X-Filler: " + strings.Repeat("a", 1000) + "\r\n"); ; {
				if _, err := c.Write(line); err != nil {
					return
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address := rawReceiver(t, serve)
			a := development().WithTimeout(time.Minute).Send(t.Context(), delivery("http://"+address)).Attempt
			mustFailInWords(t, a, address)
		})
	}
	t.Run("refused", func(t *testing.T) {
		t.Parallel()
		gone := "127.0.0.1:" + testkit.MustPort(t)
		mustFailInWords(t, development().Send(t.Context(), delivery("http://"+gone)).Attempt, gone)
	})
	t.Run("no TLS", func(t *testing.T) {
		t.Parallel()
		shop := startReceiver(t, answer(200))
		a := development().Send(t.Context(), delivery("https://"+shop.Listener.Addr().String())).Attempt
		mustFailInWords(t, a, shop.Listener.Addr().String())
	})
	t.Run("unknown name", func(t *testing.T) {
		t.Parallel()
		s := webhook.NewSender(webhook.Options{AllowPrivate: true, Now: time.Now, Resolver: names(t, nil)})
		mustFailInWords(t, s.Send(t.Context(), delivery("http://gone.example/")).Attempt, "127.0.0.1")
	})
}

// mustFailInWords checks that an attempt without an answer has a reason, which does not contain the address that a name
// resolves to.
func mustFailInWords(t *testing.T, a webhook.Attempt, address string) {
	t.Helper()
	if a.Status != 0 || a.Error == "" || a.Request == "" {
		t.Errorf("got %+v", a)
	}
	if strings.Contains(a.Error, address) || strings.Contains(a.Error, "127.0.0.1") {
		t.Errorf("the reason names an address: %q", a.Error)
	}
}

func TestSend_DamagedDelivery(t *testing.T) {
	t.Parallel()
	shop := startReceiver(t, answer(200))
	for name, change := range map[string]func(*webhook.Delivery){
		"no URL":         func(d *webhook.Delivery) { d.URL = "" },
		"body":           func(d *webhook.Delivery) { d.Body = []byte("[]") },
		"id":             func(d *webhook.Delivery) { d.EventID = "a.b" },
		"signing secret": func(d *webhook.Delivery) { d.SigningSecrets = append(d.SigningSecrets, secret.New("hunter2")) },
		"URL":            func(d *webhook.Delivery) { d.URL = strings.Replace(shop.URL, "http://", "http://a:b@", 1) },
	} {
		d := delivery(shop.URL)
		change(&d)
		a := development().Send(t.Context(), d).Attempt
		if a.Status != 0 || a.Error == "" || a.At.IsZero() || strings.Contains(a.Error, "hunter2") {
			t.Errorf("%s: got %+v", name, a)
		}
	}
	if n := len(shop.requests()); n != 0 {
		t.Errorf("%d requests were sent", n)
	}
}

func TestSend_TLS(t *testing.T) {
	t.Parallel()
	for _, http2 := range []bool{false, true} {
		shop := newReceiver(t, answer(200))
		shop.EnableHTTP2 = http2
		shop.StartTLS()
		trusted := x509.NewCertPool()
		trusted.AddCert(shop.Certificate())
		resolver := names(t, map[string][]string{"other.test.": {"127.0.0.1"}})
		knows := webhook.NewSender(
			webhook.Options{AllowPrivate: true, Now: time.Now, RootCAs: trusted, Resolver: resolver},
		)
		if a := knows.Send(t.Context(), delivery(shop.URL)).Attempt; a.Status != 200 {
			t.Fatalf("right certificate, HTTP/2 %v: %+v", http2, a)
		}
		if proto := shop.requests()[0].proto; (proto == "HTTP/2.0") != http2 {
			t.Errorf("HTTP/2 offered: %v, used: %s", http2, proto)
		}
		_, port, err := net.SplitHostPort(shop.Listener.Addr().String())
		testkit.Must(t, err)
		mustFailInWords(t, knows.Send(t.Context(), delivery("https://other.test:"+port)).Attempt, "127.0.0.1")
		mustFailInWords(t, development().Send(t.Context(), delivery(shop.URL)).Attempt, shop.Listener.Addr().String())
		if n := len(shop.requests()); n != 1 {
			t.Errorf("%d requests arrived under a wrong certificate", n-1)
		}
	}
}

func TestSend_NoCookies(t *testing.T) {
	t.Parallel()
	shop := startReceiver(t, func(w http.ResponseWriter, _ *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "session", Value: "1"})
	})
	s := development()
	for range 2 {
		s.Send(t.Context(), delivery(shop.URL))
	}
	for _, q := range shop.requests() {
		if c := q.header.Get("Cookie"); c != "" {
			t.Errorf("a cookie came back: %q", c)
		}
	}
}

func TestSend_CtxEnds(t *testing.T) {
	t.Parallel()
	shop := startReceiver(t, hang(t))
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	started := time.Now()
	if a := development().Send(ctx, delivery(shop.URL)).Attempt; a.Status != 0 || a.Error == "" ||
		time.Since(started) >= webhook.AttemptTimeout {
		t.Fatalf("got %+v after %v", a, time.Since(started))
	}
}
