package config

import (
	"net/url"
	"slices"
	"strings"

	"github.com/florinpay/florin/internal/secret"
)

// Endpoints lists the addresses for calls: those that are http or https, and for each that is ws or wss the same one
// with http or https, unless an address for calls on the same host is there.
func (n Network) Endpoints() (list []secret.Text) {
	for _, e := range n.RPC {
		if !pushes(e) {
			list = append(list, e)
			continue
		}
		scheme, rest, _ := strings.Cut(e.Reveal(), "://")
		twin := secret.New("http" + strings.ToLower(scheme)[len("ws"):] + "://" + rest)
		served := func(o secret.Text) bool { return !pushes(o) && hostOf(o) == hostOf(e) || o.Equal(twin) }
		if !slices.ContainsFunc(n.RPC, served) && !slices.ContainsFunc(list, served) {
			list = append(list, twin)
		}
	}
	return list
}

// Sockets lists the addresses that push.
func (n Network) Sockets() (list []secret.Text) {
	for _, e := range n.RPC {
		if pushes(e) {
			list = append(list, e)
		}
	}
	return list
}

// pushes reports whether the address is a ws or wss one.
func pushes(e secret.Text) bool { return strings.HasPrefix(strings.ToLower(e.Reveal()), "ws") }

// hostOf returns the host of an address without its port.
func hostOf(e secret.Text) string {
	u, err := url.Parse(e.Reveal())
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Hostname())
}
