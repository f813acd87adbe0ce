package testkit

import (
	"net"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Silence is a way to be silent.
type Silence int32

// The ways.
const (
	// Works passes everything on.
	Works Silence = iota
	// Unanswered takes everything and passes no answer on: as a server that is frozen, or a path that has lost one
	// direction.
	Unanswered
	// Unasked takes everything and passes nothing on to the server.
	Unasked
)

// poll is how often a silent path looks whether it works again.
const poll = 10 * time.Millisecond

// Path forwards connections to a server.
type Path struct {
	to       atomic.Pointer[string]
	listener net.Listener
	silence  atomic.Int32

	mu    sync.Mutex
	conns map[net.Conn]bool // of clients
}

// NewPath returns a path to the host and port. It ends with the test.
func NewPath(t testing.TB, to string) *Path {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // it ends with the test
	if err != nil {
		t.Fatalf("path: %v", err)
	}
	return newPath(t, to, l)
}

func newPath(t testing.TB, to string, l net.Listener) *Path {
	t.Helper()
	p := &Path{listener: l, conns: make(map[net.Conn]bool)}
	p.to.Store(&to)
	t.Cleanup(p.close)
	go p.accept()
	return p
}

// PathTo returns paths to the server of the URL, and the URL that names them as its hosts, in order.
func PathTo(t testing.TB, address string, n int) (through string, all []*Path) {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatalf("path: %v", err)
	}
	hosts := make([]string, n)
	for i := range n {
		all = append(all, NewPath(t, u.Host))
		hosts[i] = all[i].Address()
	}
	u.Host = strings.Join(hosts, ",")
	options := u.Query()
	options.Del("connect_timeout") // that of Florin is tested
	u.RawQuery = options.Encode()
	return u.String(), all
}

// Address returns where clients connect to.
func (p *Path) Address() string { return p.listener.Addr().String() }

// Be makes the path silent, or work again: what was held back arrives then.
func (p *Path) Be(s Silence) { p.silence.Store(int32(s)) }

// Lead makes the path lead to another server, as a name that means another one; what is connected is cut off.
func (p *Path) Lead(to string) {
	p.to.Store(&to)
	p.cut()
}

func (p *Path) close() {
	_ = p.listener.Close()
	p.cut()
}

// cut ends the connections that there are.
func (p *Path) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.conns {
		_ = c.Close()
	}
}

func (p *Path) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		go p.serve(client)
	}
}

func (p *Path) serve(client net.Conn) {
	p.mu.Lock()
	p.conns[client] = true
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.conns, client)
		_ = client.Close()
	}()
	server, err := net.Dial("tcp", *p.to.Load()) //nolint:noctx // it ends with the test
	if err != nil {
		return
	}
	defer server.Close()
	go func() {
		defer client.Close()
		p.forward(client, server, Unanswered)
	}()
	p.forward(server, client, Unasked)
}

// forward copies until a side is closed, and waits while the path is silent in that way.
func (p *Path) forward(to, from net.Conn, silent Silence) {
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		if err != nil {
			return
		}
		for p.silence.Load() == int32(silent) {
			time.Sleep(poll)
		}
		if _, err := to.Write(buffer[:n]); err != nil {
			return
		}
	}
}
