package shell

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

const forwardedFor = "X-Forwarded-For"

// Unforwarded is the client of every request whose address a proxy withholds. Such
// clients share one allowance of each limit, sharedBy times that of one client, and
// guesses at passwords are counted by user alone.
const Unforwarded = "unforwarded"

// client returns the network address of the caller, for limits and the log. It is
// empty for a program on the same machine without a proxy, which is the operator's,
// and Unforwarded where a proxy says nothing of the caller.
func (s *Shell) client(r *http.Request) string {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	address := peer.Addr().Unmap()
	if from, ok := s.named(address, r); ok {
		return network(from)
	}
	chain := r.Header.Values(forwardedFor)
	from, left, known := s.origin(address, strings.Split(strings.Join(chain, ","), ","))
	switch {
	case known && from != address:
		if left {
			s.note(UnnamedWarning, "taken", from.String())
		}
		return network(from)
	case s.proxied(address):
		if !slices.Contains(monitored, r.URL.Path) { // monitors of the machine itself send no header
			s.note(WithheldWarning, "proxy", address.String())
		}
		return Unforwarded
	case len(chain) == 0 && address.IsLoopback():
		return ""
	}
	return network(address)
}

// named returns the client that a trusted proxy names in a header of its own, as CDNs do.
func (s *Shell) named(peer netip.Addr, r *http.Request) (netip.Addr, bool) {
	if s.clientHeader == "" || !s.trusted(peer) {
		return netip.Addr{}, false
	}
	list := r.Header.Values(s.clientHeader)
	if len(list) == 0 {
		return netip.Addr{}, false
	}
	return parseClient(list[len(list)-1])
}

// parseClient reads an address as proxies write it: alone, with a port, or an IPv6 address in brackets.
func parseClient(text string) (netip.Addr, bool) {
	text = strings.Trim(strings.TrimSpace(text), `"`)
	if a, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(text, "["), "]")); err == nil {
		return a.Unmap(), true
	}
	p, err := netip.ParseAddrPort(text)
	return p.Addr().Unmap(), err == nil
}

// proxied reports whether requests from the peer are those of others: the public
// address is https, which this server does not speak, so a proxy is in front of it,
// and the peer is on this machine, in a private network, or a trusted proxy.
func (s *Shell) proxied(peer netip.Addr) bool {
	return s.Secure() && (peer.IsLoopback() || peer.IsPrivate() || peer.IsLinkLocalUnicast() || s.trusted(peer))
}

// origin walks the chain of proxies from the nearest outwards while they are
// trusted, and returns the first that is not: the client may have made up
// everything left of it, which left reports. known is false where a trusted proxy
// does not know who asked it.
func (s *Shell) origin(peer netip.Addr, chain []string) (from netip.Addr, left, known bool) {
	for _, hop := range slices.Backward(chain) {
		if !s.trusted(peer) {
			return peer, true, true
		}
		if strings.TrimSpace(hop) == "" {
			continue
		}
		next, ok := parseClient(hop)
		if !ok {
			return peer, false, false
		}
		peer = next
	}
	return peer, false, true
}

func (s *Shell) trusted(a netip.Addr) bool {
	for _, p := range s.proxies {
		if p.Contains(a) {
			return true
		}
	}
	return false
}

// network is the unit of limits: an IPv4 address, or the /64 of an IPv6 address,
// since one customer has all of its addresses.
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

// Neighbourhood returns the larger network of a client (operation.Call.Client):
// the /48 of an IPv6 network, the /24 of an IPv4 address. It is empty for an empty
// client.
func Neighbourhood(client string) string {
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

// loopback are the proxies that are trusted by default. Private networks are not:
// behind an address translation every client seems to come from one.
func loopback() []netip.Prefix {
	return []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}
}
