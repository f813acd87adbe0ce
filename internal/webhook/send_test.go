package webhook_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/x509"
	"encoding/json"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/testkit"
	"github.com/florinpay/florin/internal/webhook"
)

func TestSend_OK(t *testing.T) {
	t.Parallel()
	shop := startReceiver(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("thanks")) })
	d := delivery(shop.URL + "/hook?shop=7")
	before := time.Now()
	res := development().Send(t.Context(), d)
	a := res.Attempt
	if a.Status != 200 || a.Error != "" || a.Response != "thanks" || a.URL != d.URL || res.RetryAfter != 0 {
		t.Fatalf("got %+v", res)
	}
	if a.At.Before(before) || a.At.After(time.Now()) || a.Latency <= 0 || a.Latency > time.Since(before) {
		t.Errorf("at %v for %v", a.At, a.Latency)
	}
	got := shop.requests()
	if len(got) != 1 {
		t.Fatalf("%d requests", len(got))
	}
	q := got[0]
	mustVerify(t, d.SigningSecrets[0], q.body, q.header)
	if q.header.Get(webhook.HeaderID) != d.EventID ||
		q.header.Get(webhook.HeaderTimestamp) != strconv.FormatInt(a.At.Unix(), 10) {
		t.Errorf("headers %v", q.header)
	}
	if q.header.Get("Content-Type") != "application/json" || q.header.Get("User-Agent") == "" ||
		q.header.Get("Accept-Encoding") != "" {
		t.Errorf("headers %v", q.header)
	}
	var body struct{ Secret, PrivateKey string }
	if err := json.Unmarshal(q.body, &body); err != nil || body.Secret != shopSecret.Reveal() ||
		body.PrivateKey != body.Secret {
		t.Errorf("body %s, %v", q.body, err)
	}
	if !bytes.HasPrefix(q.body, d.Body[:len(d.Body)-1]) {
		t.Errorf("the event's own bytes changed: %s", q.body)
	}
}

func TestSend_ShowsRequestWithoutSecret(t *testing.T) {
	t.Parallel()
	shop := startReceiver(t, answer(http.StatusNoContent))
	d := delivery(shop.URL + "/hook?shop=7")
	a := development().Send(t.Context(), d).Attempt
	q := shop.requests()[0]
	head, body := a.Request, webhook.ShowBody(d.Body, a.Keyed)
	for _, line := range []string{
		"POST /hook?shop=7", "Host: " + q.host, "Content-Type: application/json",
		webhook.HeaderID + ": " + d.EventID,
		webhook.HeaderTimestamp + ": " + q.header.Get(webhook.HeaderTimestamp),
		webhook.HeaderSignature + ": " + q.header.Get(webhook.HeaderSignature),
	} {
		if !strings.Contains("\n"+head+"\n", "\n"+line+"\n") {
			t.Errorf("%q is missing in\n%s", line, head)
		}
	}
	want := string(d.Body[:len(d.Body)-1]) + `,"secret":"***","privateKey":"***"}`
	if body != want {
		t.Errorf("got %s\nwant %s", body, want)
	}
	if shown := head + body; strings.Contains(shown, "shop \\\"secret") ||
		strings.Contains(shown, d.SigningSecrets[0].Reveal()) {
		t.Errorf("a secret is shown:\n%s", shown)
	}
}

func TestSend_NoSecretNoFields(t *testing.T) {
	t.Parallel()
	shop := startReceiver(t, answer(200))
	d := delivery(shop.URL)
	d.Secret, d.SigningSecrets = secret.Text{}, nil
	a := development().Send(t.Context(), d).Attempt
	q := shop.requests()[0]
	if !bytes.Equal(q.body, d.Body) || q.header.Get(webhook.HeaderSignature) != "" ||
		webhook.ShowBody(d.Body, a.Keyed) != string(d.Body) {
		t.Fatalf("sent %s with %v, shown as\n%s", q.body, q.header, a.Request)
	}
}

// Receivers often echo the request.
func TestSend_MasksSecretInAnswer(t *testing.T) {
	t.Parallel()
	d := delivery("")
	d.Secret = secret.New(`k/"é<7>`)
	const echo = `raw: k/"é<7> json: "k/\"é<7>" go: "k/\"é\u003c7\u003e" php: "k\/\"é<7>" python: "k/\"\u00e9<7>" form: k%2F%22%C3%A9%3C7%3E page: k/&#34;é&lt;7&gt; end`
	shop := startReceiver(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(echo)) })
	d.URL = shop.URL
	a := development().Send(t.Context(), d).Attempt
	if want := `raw: *** json: "***" go: "***" php: "***" python: "***" form: *** page: *** end`; a.Response != want {
		t.Fatalf("got  %s\nwant %s", a.Response, want)
	}
}

func TestSend_NoRedirects(t *testing.T) {
	t.Parallel()
	for _, status := range []int{301, 302, 303, 307, 308} {
		t.Run(strconv.Itoa(status), func(t *testing.T) {
			t.Parallel()
			elsewhere := startReceiver(t, answer(200))
			shop := startReceiver(t, func(w http.ResponseWriter, q *http.Request) {
				http.Redirect(w, q, elsewhere.URL, status)
			})
			a := development().Send(t.Context(), delivery(shop.URL)).Attempt
			if a.Status != status || a.Error == "" {
				t.Errorf("got %d, %q", a.Status, a.Error)
			}
			if n := len(elsewhere.requests()); n != 0 {
				t.Errorf("followed %d times", n)
			}
		})
	}
}

func TestSend_RetryAfter(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]time.Duration{
		"120": 2 * time.Minute, "": 0, "soon": 0, "-4": 0, "999999999": webhook.MaxRetryAfter,
	} {
		shop := startReceiver(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", value)
			w.WriteHeader(http.StatusTooManyRequests)
		})
		res := development().Send(t.Context(), delivery(shop.URL))
		if res.Attempt.Status != 429 || res.RetryAfter != want {
			t.Errorf("%q: got %d, %v; want %v", value, res.Attempt.Status, res.RetryAfter, want)
		}
	}
}

func TestSend_EndlessAnswer(t *testing.T) {
	t.Parallel()
	var sent atomic.Int64
	shop := startReceiver(t, func(w http.ResponseWriter, q *http.Request) {
		chunk := bytes.Repeat([]byte("é\x00\xff\x1b[31m\u202e\u200b\n\t"), 1000)
		for q.Context().Err() == nil {
			n, err := w.Write(chunk)
			if err != nil {
				return
			}
			sent.Add(int64(n))
		}
	})
	started := time.Now()
	a := development().Send(t.Context(), delivery(shop.URL)).Attempt
	if a.Status != 200 || time.Since(started) >= webhook.AttemptTimeout {
		t.Fatalf("got %d, %q after %v", a.Status, a.Error, time.Since(started))
	}
	if len(a.Response) == 0 || len(a.Response) > webhook.MaxShown || !utf8.ValidString(a.Response) {
		t.Fatalf("%d bytes shown, valid UTF-8: %v", len(a.Response), utf8.ValidString(a.Response))
	}
	for _, r := range a.Response {
		if unicode.In(r, unicode.Cc, unicode.Cf) && r != '\n' && r != '\t' {
			t.Fatalf("%U is shown", r)
		}
	}
	if sent.Load() > 64<<20 {
		t.Errorf("%d bytes were read", sent.Load())
	}
}

func TestSend_DoesNotUnpack(t *testing.T) {
	t.Parallel()
	shop := startReceiver(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		_, _ = z.Write(bytes.Repeat([]byte("A"), 1<<20))
		_ = z.Close()
	})
	a := development().Send(t.Context(), delivery(shop.URL)).Attempt
	if a.Status != 200 || strings.Contains(a.Response, "AAAA") {
		t.Fatalf("got %d, %q", a.Status, a.Response)
	}
}

// The status decides: a body that does not arrive is not waited for.
func TestSend_AnswerWithoutEnd(t *testing.T) {
	t.Parallel()
	wait := hang(t)
	shop := startReceiver(t, func(w http.ResponseWriter, q *http.Request) {
		_, _ = w.Write([]byte("started"))
		w.(http.Flusher).Flush()
		wait(w, q)
	})
	started := time.Now()
	a := development().Send(t.Context(), delivery(shop.URL)).Attempt
	if took := time.Since(started); a.Status != 200 || a.Response != "started" ||
		took >= webhook.AttemptTimeout {
		t.Fatalf("got %d, %q, %q after %v", a.Status, a.Error, a.Response, took)
	}
}

func TestSend_Hanging(t *testing.T) {
	t.Parallel()
	shop := startReceiver(t, hang(t))
	started := time.Now()
	a := development().WithTimeout(150*time.Millisecond).Send(t.Context(), delivery(shop.URL)).Attempt
	if a.Status != 0 || a.Error == "" || a.Latency < 150*time.Millisecond ||
		time.Since(started) >= webhook.AttemptTimeout {
		t.Fatalf("got %+v after %v", a, time.Since(started))
	}
}

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
