package web

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/testkit"
	"github.com/florinpay/florin/web/shell"
)

// reply is a response of the server.
type reply struct {
	status int
	header http.Header
	body   string
}

// ask sends a request as a program on the same machine does. Header pairs are
// name, value.
func (b *bundle) ask(method, path, body string, header ...string) reply {
	b.t.Helper()
	r := httptest.NewRequestWithContext(b.t.Context(), method, path, strings.NewReader(body))
	r.RemoteAddr = "127.0.0.1:40000"
	r.Host = "pay.example"
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	b.server.Handler().ServeHTTP(w, r)
	res := w.Result()
	text, err := io.ReadAll(res.Body)
	must(b.t, errors.Join(err, res.Body.Close()))
	return reply{res.StatusCode, res.Header, strings.TrimSpace(string(text))}
}

// graphQL sends a document with its variables (a JSON object).
func (b *bundle) graphQL(query, variables string, header ...string) reply {
	b.t.Helper()
	text, err := json.Marshal(query)
	must(b.t, err)
	if variables == "" {
		variables = "{}"
	}
	return b.ask("POST", "/graphql", `{"query":`+string(text)+`,"variables":`+variables+`}`, header...)
}

// start is the beginning of the body, for a message.
func (r reply) start() string { return r.body[:min(len(r.body), 800)] }

// field reads a field of a JSON answer by its path, such as
// data.payment.transaction.txnid.
func (r reply) field(t *testing.T, path string) any {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(r.body))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("no JSON: %s", r.body)
	}
	for name := range strings.SplitSeq(path, ".") {
		object, ok := v.(map[string]any)
		if !ok {
			t.Fatalf("no %s in %s", path, r.body)
		}
		v = object[name]
	}
	return v
}

func (r reply) text(t *testing.T, path string) string {
	t.Helper()
	switch v := r.field(t, path).(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	case nil:
		return "null"
	case bool:
		if v {
			return "true"
		}
		return "false"
	}
	t.Fatalf("%s is no plain value in %s", path, r.body)
	return ""
}

// eventually waits until the condition holds.
func eventually(t *testing.T, what string, so func() bool) {
	t.Helper()
	testkit.Until(t, time.Minute, what, so)
}

// With the dashboard too, a known path with a wrong method answers 405 and an
// unknown path answers 404.
func TestWrongMethod(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	for _, row := range []struct {
		method, path string
		status       int
		allow        string
	}{
		{"GET", "/create-payment", 405, "POST"},
		{"PUT", "/create-payment", 405, "POST"},
		{"GET", "/cancel-payment", 405, "POST"},
		{"GET", "/graphql", 405, "POST"},
		{"DELETE", "/health", 405, "GET"},
		{"POST", "/orders/" + unknownTxn, 405, "GET"},
		{"DELETE", "/dashboard", 405, "GET"},
		{"GET", "/nothing", 404, ""},
		{"POST", "/nothing", 404, ""},
	} {
		r := b.ask(row.method, row.path, "")
		if allow := r.header.Get("Allow"); r.status != row.status || row.allow != "" && !strings.Contains(allow, row.allow) {
			t.Errorf("%s %s answers %d, Allow %q: %s", row.method, row.path, r.status, allow, r.body)
		}
	}
	if r := b.ask(http.MethodGet, "/create-payment", ""); r.text(t, "message") == "" || r.text(t, "code") != "405" {
		t.Errorf("it answers %s", r.body)
	}
}

// No page is a dead end: what is not there, and what takes forms only, leads home.
func TestFailure_LeadsHome(t *testing.T) {
	t.Parallel()
	s := newDashboard(t).surfer()
	for path, status := range map[string]int{"/nothing": 404, "/nothing/at/all?x=1": 404, "/signout": 405} {
		s.get(path).wants(t, status, `href="/" data-testid="home"`, "This page does not exist")
	}
	for path, status := range map[string]int{"/dashboard/nothing": 404, "/operator/nothing?x=1": 404} {
		s.get(path).wants(t, status, `href="/dashboard" data-testid="home"`)
	}
}

// One address is limited, by address and by key; a program on the same machine is not.
func TestRateLimits(t *testing.T) {
	t.Parallel()
	rates := shell.Rates{
		Client: shell.Rate{PerSecond: 1, Burst: 5}, Key: shell.Rate{PerSecond: 1, Burst: 3},
		Costly: shell.Rate{PerSecond: 1, Burst: 2}, Open: shell.Rate{PerSecond: 0.01, Burst: 1}, Streams: 1,
		NearStreams: 2, PaymentStreams: 2, AllStreams: 2,
	}
	b := newBundleWith(t, Options{BaseURL: testBaseURL, CheckoutURL: testBaseURL, Rates: rates})
	m := b.newMerchant(50)
	p := b.newPayment(m)
	from := func(address string) []string { return []string{"X-Forwarded-For", address} }
	count := func(n int, ask func() reply) (ok int, last reply) {
		for range n {
			if last = ask(); last.status == 200 {
				ok++
			}
		}
		return ok, last
	}
	for name, row := range map[string]struct {
		most int
		ask  func() reply
	}{
		"by address": {5, func() reply { return b.ask("GET", "/orders/"+string(p.ID), "", from("203.0.113.1")...) }},
		"by key": {3, func() reply {
			return b.ask("POST", "/create-payment", `{"apiKey":"`+m.text+`","amount":1}`, from("203.0.113.2")...)
		}},
		"costly": {2, func() reply {
			return b.ask("POST", "/txn/"+string(p.ID)+"/find", `{"hash":"`+string(testHash(1))+`"}`, from("203.0.113.3")...)
		}},
	} {
		ok, last := count(8, row.ask)
		if ok != row.most || last.status != 429 || last.header.Get("Retry-After") == "" ||
			last.text(t, "code") != "429" {
			t.Errorf("%s: %d went through, then %d %s, Retry-After %q", name, ok, last.status, last.body, last.header.Get("Retry-After"))
		}
	}
	if ok, last := count(50, func() reply { return b.ask("GET", "/orders/"+string(p.ID), "") }); ok != 50 {
		t.Errorf("the same machine: %d of 50, then %s", ok, last.body)
	}
	if ok, _ := count(20, func() reply { return b.ask("GET", "/health", "", from("203.0.113.1")...) }); ok != 20 {
		t.Errorf("health: %d of 20", ok)
	}
	page := b.ask("GET", "/pay?txnid="+string(p.ID), "", "Accept", "text/html", "X-Forwarded-For", "203.0.113.1")
	if page.status != 429 || !strings.Contains(page.body, "<html") {
		t.Errorf("a page over the limit: %d %s", page.status, page.start())
	}
	if again := `href="/pay?txnid=` + string(p.ID) + `" data-testid="again"`; !strings.Contains(page.body, again) {
		t.Errorf("a page over the limit cannot be tried again: %s", page.body)
	}
}

func TestPanicBecomesAnAnswer(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	b.server.handler.GET("/panic", func(echo.Context) error { panic("canary-in-a-panic") })
	got := b.ask("GET", "/panic", "")
	if got.status != 500 || strings.Contains(got.body, "canary") || !strings.Contains(got.body, got.header.Get("X-Request-Id")) {
		t.Errorf("%d %s", got.status, got.body)
	}
	if log := b.log.String(); strings.Contains(log, "canary-in-a-panic") || !strings.Contains(log, "request_test.go") {
		t.Error("the log must hold where it happened and not what was said")
	}
}

// An open page must cost at most 40 KB, so that one process holds 20,000. The
// test runs alone: it counts everything the process holds.
//
//nolint:paralleltest // it counts the memory of the whole process
func TestOpenPagesAreSmall(t *testing.T) {
	rates := shell.DefaultRates()
	rates.PaymentStreams = rates.AllStreams // one change wakes them all
	b := newBundleWith(t, Options{BaseURL: testBaseURL, CheckoutURL: testBaseURL, Rates: rates})
	var lc net.ListenConfig
	l, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:0")
	must(t, err)
	go func() { _ = b.server.Serve(l) }()
	p := b.start(b.newPayment(b.newMerchant(5)), chain.Polygon)
	const pages = 400
	before, goroutines := inUse(), runtime.NumGoroutine()
	for range pages {
		c, err := new(net.Dialer).DialContext(t.Context(), "tcp", l.Addr().String())
		must(t, err)
		defer func() { _ = c.Close() }()
		_, err = fmt.Fprintf(c, "GET /pay/%s/live?shown=x HTTP/1.1\r\nHost: pay.example\r\nUser-Agent: %s\r\nAccept: text/event-stream\r\n\r\n",
			p.ID, strings.Repeat("Mozilla ", 20))
		must(t, err)
	}
	eventually(t, "all pages open", func() bool { return b.server.hub.Count() == pages })
	b.deposit(p, 20*money.USD, true)
	eventually(t, "no worker left", b.server.hub.Idle)
	if each := (inUse() - before) / pages; each > 40<<10 {
		t.Errorf("an open page holds %d bytes", each)
	}
	if more := runtime.NumGoroutine() - goroutines; more > pages/2 {
		t.Errorf("%d goroutines for %d pages", more, pages)
	}
	must(t, b.server.Shutdown(t.Context()))
}

// inUse is the memory that heap and stacks take from the system.
func inUse() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapInuse + m.StackInuse)
}
