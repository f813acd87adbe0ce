package web

import (
	"net/http"
	"net/netip"
	"strings"
)

const forwardedFor = "X-Forwarded-For"

// client names who asks, for limits and the log. It is empty for a program on
// the same machine that no proxy stands before: that is the operator's own.
func (s *Server) client(r *http.Request) string {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	address := peer.Addr().Unmap()
	chain := r.Header.Values(forwardedFor)
	if len(chain) == 0 {
		if address.IsLoopback() {
			return ""
		}
		return network(address)
	}
	return network(s.origin(address, strings.Split(strings.Join(chain, ","), ",")))
}

// origin walks the chain of proxies from the nearest outwards, as far as each
// is trusted, and returns the first that is not: what stands left of it was
// written by somebody unknown.
func (s *Server) origin(peer netip.Addr, chain []string) netip.Addr {
	for i := len(chain) - 1; i >= 0 && s.trusted(peer); i-- {
		next, err := netip.ParseAddr(strings.TrimSpace(chain[i]))
		if err != nil {
			break
		}
		peer = next.Unmap()
	}
	return peer
}

func (s *Server) trusted(a netip.Addr) bool {
	for _, p := range s.proxies {
		if p.Contains(a) {
			return true
		}
	}
	return false
}

// network is what limits are counted by: an IPv4 address, or the 64-bit
// network of an IPv6 address, for one customer has them all.
func network(a netip.Addr) string {
	if a.Is4() {
		return a.String()
	}
	p, err := a.WithZone("").Prefix(64)
	if err != nil {
		return a.String()
	}
	return p.String()
}

// neighbourhood is the larger network of a client as network names it: the /48
// of an IPv6 network, the /24 of an IPv4 address. It is empty for no client.
func neighbourhood(client string) string {
	address, _, _ := strings.Cut(client, "/")
	a, err := netip.ParseAddr(address)
	if err != nil {
		return ""
	}
	bits := 48
	if a.Is4() {
		bits = 24
	}
	p, err := a.Prefix(bits)
	if err != nil {
		return ""
	}
	return p.String()
}

// loopback is where a proxy is believed without being named. A private network
// is not: behind an address translation every client seems to come from one.
func loopback() []netip.Prefix {
	return []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}
}
