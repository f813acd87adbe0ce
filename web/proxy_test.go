package web

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/florinpay/florin/graph"
	"github.com/florinpay/florin/graph/operation"
	"github.com/florinpay/florin/web/shell"
)

// signInFrom signs in over a connection from the peer, and returns the status.
func (s *surfer) signInFrom(peer, email, password string, header ...string) int {
	s.b.t.Helper()
	r := httptest.NewRequestWithContext(s.b.t.Context(), "POST", "/signin",
		strings.NewReader("email="+email+"&password="+strings.ReplaceAll(password, " ", "+")))
	r.RemoteAddr, r.Host = peer+":40000", "pay.example"
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	for _, k := range s.cookies {
		r.AddCookie(k)
	}
	w := httptest.NewRecorder()
	s.b.server.Handler().ServeHTTP(w, r)
	return w.Code
}

const warning = "X-Forwarded-For"

// A proxy that withholds its clients' addresses turns no limit off, and lets no
// guesser lock everybody out. GET /health and the log say what is wrong.
func TestProxy_WithholdsAddresses(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		peer   string
		header []string
	}{
		"SameHost":         {"127.0.0.1", nil},
		"SameHostIPv6":     {"[::1]", nil},
		"PrivateNetwork":   {"172.17.0.1", nil},
		"NotTrusted":       {"172.17.0.1", []string{"X-Forwarded-For", "203.0.113.9"}},
		"NoAddress":        {"127.0.0.1", []string{"X-Forwarded-For", "unknown"}},
		"EmptyHeader":      {"127.0.0.1", []string{"X-Forwarded-For", ""}},
		"OwnAddressInside": {"127.0.0.1", []string{"X-Forwarded-For", "127.0.0.1"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newDashboard(t)
			b.member(ownerEmail)
			s := b.surfer()
			for i := range 60 {
				if got := s.signInFrom(
					row.peer, fmt.Sprintf("u%d@shop.example", i), "wrong password", row.header...,
				); got != 401 {
					t.Fatalf("guess %d at other users: %d", i, got)
				}
			}
			if got := s.signInFrom(row.peer, ownerEmail, testPassword, row.header...); got != 303 {
				t.Errorf("sixty wrong guesses by anyone lock the owner out: %d", got)
			}
			limited := false
			for range 45 {
				limited = limited || s.signInFrom(row.peer, "eve@shop.example", "wrong password", row.header...) == 429
			}
			if !limited {
				t.Error("guesses at one user are without limit")
			}
			if got := b.ask("GET", "/health", ""); !strings.Contains(got.body, warning) {
				t.Errorf("the health check reports %s", got.body)
			}
			if n := strings.Count(b.log.String(), warning); n != 1 {
				t.Errorf("the log warns %d times", n)
			}
		})
	}
}

// A proxy that forwards addresses is no reason to warn, nor is a health check of
// the machine itself, or an installation without a proxy.
func TestProxy_Forwards(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	s := b.surfer()
	s.signInFrom("127.0.0.1", ownerEmail, testPassword, "X-Forwarded-For", "203.0.113.9")
	s.signInFrom("203.0.113.9", ownerEmail, testPassword)
	s.signInFrom("203.0.113.9", ownerEmail, testPassword, "X-Forwarded-For", "198.51.100.7")
	for _, path := range []string{"/livez", "/readyz", "/health", "/health"} {
		if got := b.ask("GET", path, ""); got.status != 200 || strings.Contains(got.body, warning) {
			t.Errorf("GET %s of a monitor: %d %s", path, got.status, got.body)
		}
	}
	own := newDashboard(t, func(_ *Deps, o *Options) { o.BaseURL, o.CheckoutURL = "http://localhost:8080", "http://localhost:8080" })
	own.surfer().signInFrom("127.0.0.1", ownerEmail, testPassword)
	if got := own.ask("GET", "/health", ""); strings.Contains(got.body, warning) {
		t.Errorf("without a proxy the health check reports %s", got.body)
	}
	if text := b.log.String() + own.log.String(); strings.Contains(text, warning) {
		t.Errorf("the log warns: %s", text)
	}
}

// Requests whose clients' addresses are withheld share one allowance of each kind,
// many times that of one client.
func TestProxy_SharedLimits(t *testing.T) {
	t.Parallel()
	rates := shell.DefaultRates()
	rates.Client = shell.Rate{PerSecond: 1, Burst: 2}
	b := newBundleWith(t, Options{
		BaseURL: testBaseURL, CheckoutURL: testBaseURL, Version: "test", Rates: rates, SignUp: true,
		GraphQL: graph.Options{}, NewKeys: operation.NewKeys{},
	})
	passed := 0
	for range 1000 {
		if b.ask("GET", "/openapi.json", "").status == 200 {
			passed++
		}
	}
	if passed <= 2 || passed == 1000 {
		t.Errorf("%d of 1000 requests pass, want more than one client's 2, and not all", passed)
	}
	for i := range 3 {
		if got := b.ask("GET", "/openapi.json", "", "X-Forwarded-For", "203.0.113.9").status; (got == 200) != (i < 2) {
			t.Errorf("request %d of a client with an address: %d", i, got)
		}
	}
}

// While 140 wrong sign-ins are checked, a device that the user signed in from
// before is served.
func TestSignIn_KnownDeviceDuringFlood(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	b.member(ownerEmail)
	known := b.surfer()
	known.signIn(ownerEmail)
	var flood sync.WaitGroup
	for i := range 140 {
		flood.Go(func() {
			address := fmt.Sprintf("198.51.100.%d", i)
			b.surfer().signInFrom("127.0.0.1", ownerEmail, "wrong password", "X-Forwarded-For", address)
		})
	}
	for range 3 {
		delete(known.cookies, "__Host-florin")
		if got := known.signInFrom(
			"127.0.0.1", ownerEmail, testPassword, "X-Forwarded-For", "198.51.100.1",
		); got != 303 {
			t.Errorf("a known device is answered %d", got)
		}
	}
	flood.Wait()
	if got := known.signInFrom("127.0.0.1", ownerEmail, testPassword, "X-Forwarded-For", "198.51.100.1"); got != 303 {
		t.Errorf("afterwards a known device is answered %d", got)
	}
}
