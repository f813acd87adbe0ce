package shell

import (
	"net/http"
	"net/netip"
	"strings"
)

// source returns the address of the caller itself, which the networks of an API key
// are compared with; not valid if it cannot be read.
func (s *Shell) source(r *http.Request) netip.Addr {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	address := peer.Addr().Unmap()
	if from, ok := s.named(address, r); ok {
		return from
	}
	chain := r.Header.Values(forwardedFor)
	if len(chain) == 0 {
		return address
	}
	from, _, known := s.origin(address, strings.Split(strings.Join(chain, ","), ","))
	if !known {
		return netip.Addr{}
	}
	return from
}
