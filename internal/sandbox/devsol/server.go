package devsol

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

// server answers JSON-RPC on loopback.
type server struct {
	url  string
	http *http.Server
	done chan error
}

const (
	// maxRequest bounds a request: a hundred addresses and room.
	maxRequest = 256 << 10
	// headerLimit bounds how long a client may take to say what it wants.
	headerLimit = 5 * time.Second
)

func serve(l *Ledger) (*server, error) {
	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("devsol: %w", err)
	}
	s := &server{
		url: "http://" + listener.Addr().String(), done: make(chan error, 1),
		http: &http.Server{Handler: &handler{l}, ReadHeaderTimeout: headerLimit},
	}
	go func() { s.done <- s.http.Serve(listener) }()
	return s, nil
}

func (s *server) close() error {
	err := s.http.Close()
	if served := <-s.done; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}

type handler struct{ ledger *Ledger }

// call is a JSON-RPC call.
type incoming struct {
	ID     json.RawMessage   `json:"id"`
	Method string            `json:"method"`
	Params []json.RawMessage `json:"params"`
}

// rpcFailure is the error object of an answer.
type rpcFailure struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`
}

// Codes of JSON-RPC and of Solana's own.
const (
	codeParse          = -32700
	codeMethod         = -32601
	codeParams         = -32602
	codePreflight      = -32002
	codeSignature      = -32003
	codeNotAvailable   = -32004
	codeSkippedSlot    = -32007
	codeMinContextSlot = -32016
)

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequest))
	if err != nil || r.Method != http.MethodPost {
		http.Error(w, "send JSON-RPC with POST", http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	enc := json.NewEncoder(w)
	var list []incoming
	if json.Unmarshal(body, &list) == nil {
		answers := make([]any, len(list))
		for i, c := range list {
			answers[i] = h.answer(c)
		}
		_ = enc.Encode(answers) // the client may have disconnected
		return
	}
	var one incoming
	if json.Unmarshal(body, &one) != nil {
		_ = enc.Encode(
			map[string]any{"jsonrpc": "2.0", "id": nil, "error": rpcFailure{Code: codeParse, Message: "Parse error"}},
		)
		return
	}
	_ = enc.Encode(h.answer(one))
}

func (h *handler) answer(c incoming) any {
	method, known := methods[c.Method]
	if !known {
		return map[string]any{"jsonrpc": "2.0", "id": c.ID, "error": rpcFailure{Code: codeMethod, Message: "Method not found"}}
	}
	h.ledger.mu.Lock()
	defer h.ledger.mu.Unlock()
	p := &params{list: c.Params}
	result := method(h.ledger, p)
	if p.failed != nil {
		return map[string]any{"jsonrpc": "2.0", "id": c.ID, "error": p.failed}
	}
	return map[string]any{"jsonrpc": "2.0", "id": c.ID, "result": result}
}

// params are the parameters of a call, and its first failure, which is its answer.
type params struct {
	list   []json.RawMessage
	failed *rpcFailure
}

// fail fails the call, unless it has failed already; it returns nil.
func (p *params) fail(f rpcFailure) any {
	if p.failed == nil {
		p.failed = &f
	}
	return nil
}

func (p *params) badParams(format string, args ...any) any {
	return p.fail(rpcFailure{Code: codeParams, Message: fmt.Sprintf(format, args...)})
}

// into decodes the n-th parameter; an omitted one keeps the zero value.
func (p *params) into(n int, v any) {
	if n >= len(p.list) || string(p.list[n]) == "null" {
		return
	}
	if err := json.Unmarshal(p.list[n], v); err != nil {
		p.badParams("Invalid params: %s", err)
	}
}
