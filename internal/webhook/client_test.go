package webhook_test

import (
	"crypto/x509"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/testkit"
	"github.com/florinpay/florin/internal/webhook"
)

// The guard checks the dialled address, whatever the URL is.
func TestGuard(t *testing.T) {
	t.Parallel()
	for address, ok := range map[string]bool{
		"8.8.8.8:443":                true,
		"8.8.8.8:8443":               true,
		"[2606:4700:4700::1111]:443": true,
		"8.8.8.8:80":                 false,
		"8.8.8.8:25":                 false,
		"127.0.0.1:443":              false,
		"0.0.0.0:443":                false,
		"10.1.2.3:443":               false,
		"100.127.255.254:443":        false,
		"169.254.169.254:443":        false,
		"172.31.255.255:443":         false,
		"192.168.0.1:443":            false,
		"192.0.0.192:443":            false,
		"198.19.0.1:443":             false,
		"203.0.113.9:443":            false,
		"224.0.0.251:443":            false,
		"255.255.255.255:443":        false,
		"[::]:443":                   false,
		"[::1]:443":                  false,
		"[::ffff:127.0.0.1]:443":     false,
		"[::ffff:8.8.8.8]:443":       false,
		"[64:ff9b::a00:1]:443":       false,
		"[2002:a00:1::]:443":         false,
		"[2001:0:0:1::]:443":         false,
		"[fe80::1%eth0]:443":         false,
		"[fd00:ec2::254]:443":        false,
		"[fec0::1]:443":              false,
		"[ff02::1]:443":              false,
		"shop.example:443":           false,
		"":                           false,
	} {
		network := "tcp4"
		if len(address) > 0 && address[0] == '[' {
			network = "tcp6"
		}
		if err := webhook.Guard(network, address, nil); (err == nil) != ok {
			t.Errorf("%s: got %v, want permitted %v", address, err, ok)
		}
		if err := webhook.Guard("udp4", address, nil); err == nil {
			t.Errorf("%s over UDP is permitted", address)
		}
	}
}

// listening counts the connections to a TLS server with a valid certificate for the name, so that only the guard can
// stop a request.
func listening(t *testing.T) (port string, connections *atomic.Int64, roots *x509.CertPool) {
	t.Helper()
	shop := newReceiver(t, answer(200))
	connections = new(atomic.Int64)
	shop.Listener = counted{shop.Listener, connections}
	shop.StartTLS()
	roots = x509.NewCertPool()
	roots.AddCert(shop.Certificate())
	_, port, err := net.SplitHostPort(shop.Listener.Addr().String())
	testkit.Must(t, err)
	return port, connections, roots
}

type counted struct {
	net.Listener
	n *atomic.Int64
}

func (c counted) Accept() (net.Conn, error) {
	conn, err := c.Listener.Accept()
	if err == nil {
		c.n.Add(1)
	}
	return conn, err
}

// The certificate of httptest is valid for example.com.
func TestSend_NameOfAPrivateAddress(t *testing.T) {
	t.Parallel()
	port, connections, roots := listening(t)
	o := webhook.Options{
		Now: time.Now, RootCAs: roots, Resolver: names(t, map[string][]string{"example.com.": {"127.0.0.1"}}),
	}
	d := delivery("https://example.com:" + port + "/hook")
	a := webhook.NewSender(o).Send(t.Context(), d).Attempt
	mustFailInWords(t, a, "127.0.0.1")
	if n := connections.Load(); n != 0 {
		t.Fatalf("%d connections to a private address", n)
	}
	o.AllowPrivate = true // then the same request arrives
	if a := webhook.NewSender(o).Send(t.Context(), d).Attempt; a.Status != 200 {
		t.Fatalf("got %+v", a)
	}
}

// The name resolves to a public address when it is checked and to a private one when it is dialled. The public address
// is never dialled, so the test needs no network.
func TestSend_Rebinding(t *testing.T) {
	t.Parallel()
	port, connections, roots := listening(t)
	resolver := names(t, map[string][]string{"example.com.": {"93.184.215.14", "127.0.0.1"}})
	first, err := resolver.LookupHost(t.Context(), "example.com")
	if err != nil || len(first) != 1 || webhook.Guard("tcp4", net.JoinHostPort(first[0], port), nil) != nil {
		t.Fatalf("the first answer is not a public address: %v, %v", first, err)
	}
	s := webhook.NewSender(webhook.Options{Now: time.Now, RootCAs: roots, Resolver: resolver})
	for range 3 {
		a := s.Send(t.Context(), delivery("https://example.com:"+port+"/hook")).Attempt
		mustFailInWords(t, a, "127.0.0.1")
	}
	if n := connections.Load(); n != 0 {
		t.Fatalf("%d connections to a private address", n)
	}
}

// In production a URL that CheckURL refuses is not even resolved.
func TestSend_ChecksURL(t *testing.T) {
	t.Parallel()
	shop := startReceiver(t, answer(200))
	s := webhook.NewSender(webhook.Options{Now: time.Now})
	a := s.Send(t.Context(), delivery(shop.URL)).Attempt
	if a.Status != 0 || a.Error == "" || len(shop.requests()) != 0 {
		t.Fatalf("got %+v, %d requests", a, len(shop.requests()))
	}
}
