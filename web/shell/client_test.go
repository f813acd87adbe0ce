package shell

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"
)

func TestClient(t *testing.T) {
	t.Parallel()
	s := &Shell{
		proxies: append(loopback(), netip.MustParsePrefix("10.0.0.0/8")), Now: time.Now,
		Log: slog.New(slog.DiscardHandler),
	}
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
		{"with a port", "10.0.0.1:5", "203.0.113.9:49152", "203.0.113.9"},
		{"IPv6 with a port", "10.0.0.1:5", "\"[2001:db8:1:2::3]:49152\"", "2001:db8:1:2::/64"},
		{"IPv6 in brackets", "10.0.0.1:5", "[2001:db8:1:2::3]", "2001:db8:1:2::/64"},
		{"unknown left of the client", "10.0.0.1:5", "unknown, 203.0.113.9", "203.0.113.9"},
		{"unknown to the second proxy", "10.0.0.1:5", "unknown, 10.0.0.2", "10.0.0.1"},
		{"empty parts", "10.0.0.1:5", "203.0.113.9, ,", "203.0.113.9"},
		{"several lines", "10.0.0.1:5", "203.0.113.9\n10.0.0.2", "203.0.113.9"},
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.RemoteAddr = row.peer
		for line := range strings.SplitSeq(row.forwarded, "\n") {
			if line != "" {
				r.Header.Add(forwardedFor, line)
			}
		}
		if got := s.client(r); got != row.want {
			t.Errorf("%s: %q, want %q", row.name, got, row.want)
		}
	}
	picky := &Shell{proxies: []netip.Prefix{netip.MustParsePrefix("198.51.100.0/24")}}
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.RemoteAddr = "10.0.0.1:5"
	r.Header.Set(forwardedFor, "203.0.113.9")
	if got := picky.client(r); got != "10.0.0.1" {
		t.Errorf("a proxy that is not trusted was believed: %q", got)
	}
}

// TestClient_OfCDN: a header in which a trusted proxy names the client counts, and from nobody else; without it an edge
// whose network is not named is taken for the client, and the log says so.
func TestClient_OfCDN(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	s := &Shell{
		proxies: loopback(), clientHeader: "CF-Connecting-IP", Now: time.Now,
		Log: slog.New(slog.NewTextHandler(&log, nil)),
	}
	for _, row := range []struct{ name, peer, header, want string }{
		{"named", "127.0.0.1:5", "203.0.113.9", "203.0.113.9"},
		{"made up", "198.51.100.1:5", "203.0.113.9", "198.51.100.1"},
		{"not named", "127.0.0.1:5", "", "198.51.100.7"},
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.RemoteAddr = row.peer
		r.Header.Set(forwardedFor, "203.0.113.9, 198.51.100.7")
		if row.header != "" {
			r.Header.Set("Cf-Connecting-Ip", row.header)
		}
		if got := s.client(r); got != row.want {
			t.Errorf("%s: %q, want %q", row.name, got, row.want)
		}
	}
	if n := strings.Count(log.String(), "FLORIN_CLIENT_IP_HEADER"); n != 1 {
		t.Errorf("%d lines name the setting: %s", n, log.String())
	}
}
