package chaintest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/gorilla/websocket"
)

// PushFaults describes what is wrong with an endpoint that pushes. The zero value has no faults.
type PushFaults struct {
	Refuse  bool              // the handshake, with HTTP status 403
	Silent  bool              // takes everything and says nothing, not even a pong
	Drop    bool              // ends the connection once something is subscribed to
	Garbage bool              // answers with what is no JSON
	Huge    int               // answers with a message of so many bytes
	Reject  map[string]string // answers a subscription whose parameters contain the key with an error
}

// Pusher is an endpoint that pushes over a WebSocket what a test tells it to.
type Pusher struct {
	// URL is the address of the endpoint. Like those of providers, it ends in a secret.
	URL string

	mu          sync.Mutex
	faults      PushFaults
	connections int
	open        map[*websocket.Conn]map[string]string // subscription ids by their parameters
	nextID      int
}

// NewPusher starts an endpoint that pushes, until the test ends.
func NewPusher(t testing.TB) *Pusher {
	t.Helper()
	p := &Pusher{open: make(map[*websocket.Conn]map[string]string)}
	server := httptest.NewServer(http.HandlerFunc(p.handle))
	t.Cleanup(server.Close)
	t.Cleanup(p.Cut)
	p.URL = "ws" + strings.TrimPrefix(server.URL, "http") + "/v2/" + Secret
	return p
}

// Set changes the faults.
func (p *Pusher) Set(f PushFaults) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.faults = f
}

// Cut ends all connections.
func (p *Pusher) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for conn := range p.open {
		_ = conn.Close()
	}
}

// Connections returns how many connections were made, and how many are open.
func (p *Pusher) Connections() (made, open int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.connections, len(p.open)
}

// Subscribed returns how many subscriptions with parameters that contain the text are open.
func (p *Pusher) Subscribed(text string) (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, subscriptions := range p.open {
		for params := range subscriptions {
			if strings.Contains(params, text) {
				n++
			}
		}
	}
	return n
}

// Push sends a result to every subscription with parameters that contain the text.
func (p *Pusher) Push(text string, result any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for conn, subscriptions := range p.open {
		for params, id := range subscriptions {
			if strings.Contains(params, text) {
				p.send(conn, object{"jsonrpc": "2.0", "method": "eth_subscription", "params": object{
					"subscription": json.RawMessage(id), "result": result,
				}})
			}
		}
	}
}

func (p *Pusher) handle(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	f := p.faults
	p.connections++
	p.mu.Unlock()
	if f.Refuse {
		http.Error(w, "refused for key "+Secret, http.StatusForbidden)
		return
	}
	upgrader := websocket.Upgrader{}
	conn, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		return // it has answered
	}
	defer conn.Close()
	p.mu.Lock()
	p.open[conn] = make(map[string]string)
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.open, conn)
	}()
	conn.SetPingHandler(func(data string) error {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.faults.Silent {
			return nil
		}
		return conn.WriteMessage(websocket.PongMessage, []byte(data))
	})
	for {
		var c incoming
		if err := conn.ReadJSON(&c); err != nil {
			return
		}
		if !p.serve(conn, c) {
			return
		}
	}
}

// serve answers a call, and reports whether the connection stays.
func (p *Pusher) serve(conn *websocket.Conn, c incoming) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	params := string(encode(c.Params))
	f := p.faults
	switch {
	case f.Silent:
		return true
	case f.Drop:
		return false
	case f.Garbage:
		return conn.WriteMessage(websocket.TextMessage, []byte("{garbage")) == nil
	case f.Huge > 0:
		p.send(conn, strings.Repeat("x", f.Huge))
		return true
	}
	for text, reason := range f.Reject {
		if strings.Contains(params, text) {
			p.send(conn, object{"jsonrpc": "2.0", "id": c.ID, "error": object{"code": -32602, "message": reason}})
			return true
		}
	}
	if strings.Contains(strings.ToLower(c.Method), "unsubscribe") {
		for key, id := range p.open[conn] {
			if params == "["+id+"]" {
				delete(p.open[conn], key)
			}
		}
		p.send(conn, object{"jsonrpc": "2.0", "id": c.ID, "result": true})
		return true
	}
	p.nextID++
	id := fmt.Sprintf(`"0x%x"`, p.nextID)
	p.open[conn][c.Method+params] = id
	p.send(conn, object{"jsonrpc": "2.0", "id": c.ID, "result": json.RawMessage(id)})
	return true
}

// send writes a message; the caller holds the lock. The client may have gone.
func (p *Pusher) send(conn *websocket.Conn, message any) { _ = conn.WriteJSON(message) }
