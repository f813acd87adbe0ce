package web

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/views"
)

func TestClient(t *testing.T) {
	t.Parallel()
	s := &Server{proxies: append(loopback(), netip.MustParsePrefix("10.0.0.0/8"))}
	for _, row := range []struct {
		name, peer, forwarded, want string
	}{
		{"same machine", "127.0.0.1:5", "", ""},
		{"same machine, IPv6", "[::1]:5", "", ""},
		{"direct", "203.0.113.9:5", "", "203.0.113.9"},
		{"direct IPv6 counts by network", "[2001:db8:1:2:3:4:5:6]:5", "", "2001:db8:1:2::/64"},
		{"IPv4 in IPv6", "[::ffff:203.0.113.9]:5", "", "203.0.113.9"},
		{"behind a proxy", "127.0.0.1:5", "203.0.113.9", "203.0.113.9"},
		{"behind two", "10.0.0.1:5", "203.0.113.9, 10.0.0.2", "203.0.113.9"},
		{"made up left of the proxy's", "10.0.0.1:5", "198.51.100.1, 203.0.113.9", "203.0.113.9"},
		{"made up without a proxy", "203.0.113.9:5", "127.0.0.1", "203.0.113.9"},
		{"made up as the same machine", "127.0.0.1:5", "127.0.0.1", "127.0.0.1"},
		{"no address", "10.0.0.1:5", "unknown", "10.0.0.1"},
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.RemoteAddr = row.peer
		if row.forwarded != "" {
			r.Header.Set(forwardedFor, row.forwarded)
		}
		if got := s.client(r); got != row.want {
			t.Errorf("%s: %q, want %q", row.name, got, row.want)
		}
	}
	picky := &Server{proxies: []netip.Prefix{netip.MustParsePrefix("198.51.100.0/24")}}
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.RemoteAddr = "10.0.0.1:5"
	r.Header.Set(forwardedFor, "203.0.113.9")
	if got := picky.client(r); got != "10.0.0.1" {
		t.Errorf("a proxy that is not trusted was believed: %q", got)
	}
}

func TestMeter(t *testing.T) {
	t.Parallel()
	m := newMeter(Rate{PerSecond: 2, Burst: 3})
	now := time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)
	for i := range 3 {
		if wait := m.take("a", now); wait != 0 {
			t.Fatalf("number %d has to wait %v", i, wait)
		}
	}
	if wait := m.take("a", now); wait != 500*time.Millisecond {
		t.Errorf("the fourth waits %v, want 500ms", wait)
	}
	if wait := m.take("b", now); wait != 0 {
		t.Errorf("somebody else waits %v", wait)
	}
	if wait := m.take("a", now.Add(500*time.Millisecond)); wait != 0 {
		t.Errorf("after the time it still waits %v", wait)
	}
	if wait := m.take("a", now.Add(time.Hour)); wait != 0 {
		t.Errorf("after an hour it waits %v", wait)
	}
}

func TestMeterStaysSmall(t *testing.T) {
	t.Parallel()
	m := newMeter(Rate{PerSecond: 1, Burst: 1})
	now := time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)
	for i := range 200_000 {
		m.take(strconv.Itoa(i), now)
	}
	total := 0
	for i := range m.shards {
		total += len(m.shards[i].whole)
	}
	if total > meterShards*maxShardNames {
		t.Errorf("%d names are kept", total)
	}
}

// One address is limited, by address and by key; a program on the same machine is not.
func TestRateLimits(t *testing.T) {
	t.Parallel()
	rates := Rates{Client: Rate{1, 5}, Key: Rate{1, 3}, Costly: Rate{1, 2}, Open: Rate{0.01, 1}, Streams: 1, NearStreams: 2, PaymentStreams: 2, AllStreams: 2}
	b := newBundleWith(t, Options{BaseURL: testBaseURL, CheckoutURL: testBaseURL, Rates: rates})
	m := b.newMerchant(50)
	p := b.newPayment(m)
	from := func(address string) []string { return []string{forwardedFor, address} }
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
		if ok != row.most || last.status != 429 || last.header.Get("Retry-After") == "" || last.text(t, "code") != "429" {
			t.Errorf("%s: %d went through, then %d %s, Retry-After %q", name, ok, last.status, last.body, last.header.Get("Retry-After"))
		}
	}
	if ok, last := count(50, func() reply { return b.ask("GET", "/orders/"+string(p.ID), "") }); ok != 50 {
		t.Errorf("the same machine: %d of 50, then %s", ok, last.body)
	}
	if ok, _ := count(20, func() reply { return b.ask("GET", "/health", "", from("203.0.113.1")...) }); ok != 20 {
		t.Errorf("health: %d of 20", ok)
	}
	page := b.ask("GET", "/pay?txnid="+string(p.ID), "", "Accept", "text/html", forwardedFor, "203.0.113.1")
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
	if got.status != 500 || strings.Contains(got.body, "canary") || !strings.Contains(got.body, got.header.Get(requestIDHeader)) {
		t.Errorf("%d %s", got.status, got.body)
	}
	if log := b.log.String(); strings.Contains(log, "canary-in-a-panic") || !strings.Contains(log, "edge_test.go") {
		t.Error("the log must hold where it happened and not what was said")
	}
}

func TestQRCache(t *testing.T) {
	t.Parallel()
	c := newQRCache()
	first := c.of("0x71C7656EC7ab88b098defB751B7401B5f6d8976F")
	if first.Size == 0 || c.of("0x71C7656EC7ab88b098defB751B7401B5f6d8976F") != first {
		t.Error("the code changed")
	}
	for i := range 3 * qrKept {
		c.keep(strconv.Itoa(i), views.QR{})
	}
	if n := len(c.young) + len(c.old); n > 2*qrKept {
		t.Errorf("%d codes are kept", n)
	}
	if c.of("") != (views.QR{}) {
		t.Error("an empty text has a code")
	}
}
