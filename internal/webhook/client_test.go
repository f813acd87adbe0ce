package webhook_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/mail"
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

// TestSend_Certificate: the end of the certificate of a receiver is reported, whether it is accepted or not.
func TestSend_Certificate(t *testing.T) {
	t.Parallel()
	shop := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNoContent)
	}))
	t.Cleanup(shop.Close)
	trusted := x509.NewCertPool()
	trusted.AddCert(shop.Certificate())
	for name, row := range map[string]struct {
		roots  *x509.CertPool
		status int
	}{"Accepted": {trusted, http.StatusNoContent}, "Refused": {x509.NewCertPool(), 0}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			seen := make(map[string]time.Time)
			sender := webhook.NewSender(webhook.Options{
				AllowPrivate: true, Now: time.Now, RootCAs: row.roots,
				Certificate: func(host string, expires time.Time) { seen[host] = expires },
			})
			for range 2 { // the second on the connection of the first
				if got := sender.Send(
					t.Context(), delivery(shop.URL+"/hook?secret=1"),
				).Attempt; got.Status != row.status {
					t.Fatalf("status %d: %s", got.Status, got.Error)
				}
			}
			host := strings.TrimPrefix(shop.URL, "https://")
			if len(seen) != 1 || !seen[host].Equal(shop.Certificate().NotAfter) {
				t.Errorf("seen %v, want %s of %s", seen, shop.Certificate().NotAfter, host)
			}
		})
	}
}

// authority issues certificates.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

// issue makes a certificate that the authority confirms; one without a key confirms itself.
func (a authority) issue(t *testing.T, of x509.Certificate) authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	testkit.Must(t, err)
	of.SerialNumber, of.BasicConstraintsValid = big.NewInt(time.Now().UnixNano()), true
	if of.NotAfter.IsZero() {
		of.NotBefore, of.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	}
	parent, signer := a.cert, a.key
	if signer == nil {
		parent, signer = &of, key
	}
	der, err := x509.CreateCertificate(rand.Reader, &of, parent, &key.PublicKey, signer)
	testkit.Must(t, err)
	cert, err := x509.ParseCertificate(der)
	testkit.Must(t, err)
	return authority{cert, key}
}

// TestSend_CertificateReasons: why a certificate is not accepted is said in words, with what is missing.
func TestSend_CertificateReasons(t *testing.T) {
	t.Parallel()
	ca := func(name string) x509.Certificate {
		return x509.Certificate{Subject: pkix.Name{CommonName: name}, IsCA: true, KeyUsage: x509.KeyUsageCertSign}
	}
	shop := func(change func(*x509.Certificate)) x509.Certificate {
		c := x509.Certificate{
			Subject: pkix.Name{CommonName: "shop.example"}, DNSNames: []string{"shop.example", "www.shop.example"},
			IssuingCertificateURL: []string{"http://r11.i.lencr.example/"},
		}
		change(&c)
		return c
	}
	whole := func(*x509.Certificate) {}
	root := authority{}.issue(t, ca("Root X1"))
	between := root.issue(t, ca("R11"))
	private := authority{}.issue(t, ca("Shop Internal CA"))
	good := between.issue(t, shop(whole))
	expired := time.Date(2025, time.March, 1, 12, 0, 0, 0, time.UTC)
	old := between.issue(t, shop(func(c *x509.Certificate) {
		c.NotBefore, c.NotAfter = expired.AddDate(0, -1, 0), expired
	}))
	self := authority{}.issue(t, shop(whole))
	for name, row := range map[string]struct {
		host string
		of   authority
		sent []authority // after it
		want string
	}{
		"Accepted":     {"shop.example", good, []authority{between}, ""},
		"Intermediate": {"shop.example", good, nil, "the intermediate certificate R11 is missing, which issued shop.example (http://r11.i.lencr.example/)"},
		"WrongOne":     {"shop.example", good, []authority{private}, "the intermediate certificate R11 is missing"},
		"Self":         {"shop.example", self, nil, "it is signed by itself"},
		"Private":      {"shop.example", private.issue(t, shop(whole)), []authority{private}, "the root Shop Internal CA, which is not a public one"},
		"OtherHost":    {"pay.example", good, []authority{between}, "it is for shop.example, www.shop.example, not for pay.example"},
		"Expired":      {"shop.example", old, []authority{between}, "it expired on 2025-03-01"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			chain := [][]byte{row.of.cert.Raw}
			for _, a := range row.sent {
				chain = append(chain, a.cert.Raw)
			}
			r := newReceiver(t, answer(204))
			r.TLS = &tls.Config{Certificates: []tls.Certificate{{Certificate: chain, PrivateKey: row.of.key}}}
			r.StartTLS()
			roots := x509.NewCertPool()
			roots.AddCert(root.cert)
			s := webhook.NewSender(webhook.Options{
				AllowPrivate: true, Now: time.Now, RootCAs: roots,
				Resolver: names(t, map[string][]string{row.host + ".": {"127.0.0.1"}}),
			})
			port := r.URL[strings.LastIndex(r.URL, ":"):]
			got := s.Send(t.Context(), delivery("https://"+row.host+port)).Attempt
			said := mail.Said(got.Error, mail.Words.English)
			if (got.Status == 204) != (row.want == "") || !strings.Contains(said, row.want) {
				t.Errorf("%d: %q, want %q", got.Status, said, row.want)
			}
		})
	}
}

// TestSend_LargeHeaders: a receiver that answers with many headers has the event all the same.
func TestSend_LargeHeaders(t *testing.T) {
	t.Parallel()
	for name, size := range map[string]int{"10k": 10 << 10, "100k": 100 << 10, "500k": 500 << 10} {
		shop := startReceiver(t, func(w http.ResponseWriter, _ *http.Request) {
			for i := range size / (4 << 10) {
				name := string(rune('A'+i%26)) + strings.Repeat("x", i/26)
				w.Header().Set("X-Trace-"+name, strings.Repeat("c", 4<<10))
			}
			w.WriteHeader(http.StatusNoContent)
		})
		if got := development().Send(t.Context(), delivery(shop.URL)).Attempt; got.Status != http.StatusNoContent {
			t.Errorf("%s: %d %s", name, got.Status, got.Error)
		}
	}
}
