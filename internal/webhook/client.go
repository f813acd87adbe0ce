package webhook

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"syscall"
	"time"

	"code.dny.dev/ssrf"
)

// Bounds of one request. The two times are in spec.md section 7.
const (
	connectTimeout = 10 * time.Second
	// AttemptTimeout is the longest an attempt can take, answer included.
	AttemptTimeout = 15 * time.Second
	// bodyTimeout bounds reading the body of an answer once its status is known:
	// the body is only shown, the status decides.
	bodyTimeout = 2 * time.Second
	// maxResponseHeader is more than any server that is meant to answer sends: an event whose answer has more
	// headers was taken all the same, and would be sent for three days.
	maxResponseHeader = 1 << 20
	// Connections kept for the next event: enough for busy receivers, few
	// enough that thousands of receivers do not exhaust file descriptors.
	maxIdle        = 512
	maxIdlePerHost = PerURL
	// idleTimeout is shorter than the time for which most servers keep a connection, as the next event could meet
	// its end.
	idleTimeout = 30 * time.Second
	// maxSessions are TLS sessions to resume: a quarter of a handshake's work.
	maxSessions = 512
	// HTTP/2 carries many attempts on one connection, so a dead one must be
	// noticed before it takes the next attempts with it.
	pingAfter   = 5 * time.Second
	pingTimeout = 5 * time.Second
)

// public decides which addresses belong to the public internet.
var public = ssrf.New(ssrf.WithAnyPort())

// guard checks the address that is about to be dialled, after the name was
// resolved, which defeats DNS rebinding.
func guard(network, address string, c syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return ssrf.ErrInvalidHostPort
	}
	if !allowedPort(to.Port()) {
		return ssrf.ErrProhibitedPort
	}
	if err := public.Safe(network, address, c); err != nil {
		return fmt.Errorf("dial %s: %w", address, err)
	}
	return nil
}

// clientOptions are the settings that tests and development change.
type clientOptions struct {
	allowPrivate bool
	roots        *x509.CertPool // nil: those of the system
	resolver     *net.Resolver  // nil: that of the system
}

// newClient returns a client without redirects and cookies that dials public
// addresses only. Proxies of the environment are not used: a proxy would resolve
// the name itself, past the guard.
func newClient(o clientOptions) *http.Client {
	dialer := &net.Dialer{Timeout: connectTimeout, Resolver: o.resolver, Control: guard}
	if o.allowPrivate {
		dialer.Control = nil
	}
	return &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			Proxy:       nil,
			DialContext: dialer.DialContext,
			TLSClientConfig: &tls.Config{
				MinVersion: tls.VersionTLS12, RootCAs: o.roots, ClientSessionCache: tls.NewLRUClientSessionCache(
					maxSessions,
				),
			},
			TLSHandshakeTimeout:    connectTimeout,
			ForceAttemptHTTP2:      true, // a custom dialer switches it off otherwise
			DisableCompression:     true, // a small answer must not unpack to a large one
			MaxIdleConns:           maxIdle,
			MaxIdleConnsPerHost:    maxIdlePerHost,
			IdleConnTimeout:        idleTimeout,
			MaxResponseHeaderBytes: maxResponseHeader,
			HTTP2:                  &http.HTTP2Config{SendPingTimeout: pingAfter, PingTimeout: pingTimeout},
		},
	}
}
