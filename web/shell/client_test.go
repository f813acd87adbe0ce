package shell

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"
)

func TestClient(t *testing.T) {
	t.Parallel()
	s := &Shell{proxies: append(loopback(), netip.MustParsePrefix("10.0.0.0/8"))}
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
	picky := &Shell{proxies: []netip.Prefix{netip.MustParsePrefix("198.51.100.0/24")}}
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.RemoteAddr = "10.0.0.1:5"
	r.Header.Set(forwardedFor, "203.0.113.9")
	if got := picky.client(r); got != "10.0.0.1" {
		t.Errorf("a proxy that is not trusted was believed: %q", got)
	}
}
