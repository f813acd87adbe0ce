package webhook_test

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/testkit"
	"github.com/florinpay/florin/internal/webhook"
)

// received is a request as it arrived.
type received struct {
	header http.Header
	body   []byte
	proto  string
	host   string
	at     time.Time
}

// receiver is a merchant's server that records its requests.
type receiver struct {
	*httptest.Server
	mu  sync.Mutex
	got []received
}

// newReceiver returns a receiver that is not started.
func newReceiver(t *testing.T, answer http.HandlerFunc) *receiver {
	t.Helper()
	r := &receiver{}
	r.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		body, err := io.ReadAll(q.Body)
		if err != nil {
			t.Errorf("the request's body is incomplete: %v", err)
		}
		r.mu.Lock()
		r.got = append(r.got, received{q.Header.Clone(), body, q.Proto, q.Host, time.Now()})
		r.mu.Unlock()
		answer(w, q)
	}))
	r.Config.ErrorLog = log.New(io.Discard, "", 0) // refused certificates are the point of some tests
	t.Cleanup(func() {
		r.CloseClientConnections() // some receivers hang on purpose
		r.Close()
	})
	return r
}

// startReceiver returns a receiver that speaks plain HTTP.
func startReceiver(t *testing.T, answer http.HandlerFunc) *receiver {
	t.Helper()
	r := newReceiver(t, answer)
	r.Start()
	return r
}

func (r *receiver) requests() []received {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]received(nil), r.got...)
}

// answer returns a handler with that status.
func answer(status int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }
}

// hang returns a handler that answers when the test ends.
func hang(t *testing.T) http.HandlerFunc {
	t.Helper()
	over := make(chan struct{})
	t.Cleanup(func() { close(over) })
	return func(_ http.ResponseWriter, q *http.Request) {
		select {
		case <-over:
		case <-q.Context().Done():
		}
	}
}

// rawReceiver runs a TCP server that calls serve with each connection.
func rawReceiver(t *testing.T, serve func(net.Conn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	testkit.Must(t, err)
	var serving sync.WaitGroup
	t.Cleanup(func() {
		_ = l.Close()
		serving.Wait()
	})
	serving.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			serving.Go(func() {
				defer c.Close()
				serve(c)
			})
		}
	})
	return l.Addr().String()
}

// names returns a resolver that queries a DNS server on loopback. The n-th query of a name returns its n-th address;
// later ones return the last.
func names(t *testing.T, zone map[string][]string) *net.Resolver {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	testkit.Must(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	go func() {
		buf := make([]byte, 1500)
		asked := make(map[string]int)
		for {
			n, from, err := conn.ReadFrom(buf)
			if err != nil {
				return
			}
			if reply := resolve(buf[:n], zone, asked); reply != nil {
				_, _ = conn.WriteTo(reply, from)
			}
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
}

func resolve(query []byte, zone map[string][]string, asked map[string]int) []byte {
	var m dnsmessage.Message
	if m.Unpack(query) != nil || len(m.Questions) != 1 {
		return nil
	}
	q := m.Questions[0]
	m.Header.Response, m.Additionals = true, nil
	addresses := zone[q.Name.String()]
	if len(addresses) == 0 {
		m.Header.RCode = dnsmessage.RCodeNameError
	} else if q.Type == dnsmessage.TypeA {
		addr := netip.MustParseAddr(addresses[min(asked[q.Name.String()], len(addresses)-1)])
		asked[q.Name.String()]++
		m.Answers = []dnsmessage.Resource{{
			Header: dnsmessage.ResourceHeader{Name: q.Name, Class: dnsmessage.ClassINET},
			Body:   &dnsmessage.AResource{A: addr.As4()},
		}}
	}
	reply, err := m.Pack()
	if err != nil {
		return nil
	}
	return reply
}

// development returns a sender that may use loopback.
func development() *webhook.Sender {
	return webhook.NewSender(webhook.Options{AllowPrivate: true, Now: time.Now})
}

// shopSecret is the custodian's secret in these tests.
var shopSecret = secret.New(`shop "secret" <7>`)

// delivery returns an event on its way to the URL.
func delivery(url string) webhook.Delivery {
	return webhook.Delivery{
		EventID: "evt_01JD3ZQ0000000000000000000_4", URL: url,
		Body:   []byte(`{"txnid":"01JD3ZQ0000000000000000000","status":"completed","amount":12.345678}`),
		Secret: shopSecret, SigningSecrets: []secret.Text{webhook.NewSigningSecret()},
	}
}
