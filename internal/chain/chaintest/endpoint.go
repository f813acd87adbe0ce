package chaintest

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// Endpoint serves a scripted chain over HTTP, with faults of its own. It is
// safe for concurrent use.
type Endpoint struct {
	// URL is the address of the endpoint. Like those of providers, it ends in a
	// secret.
	URL string

	evm *EVM

	mu     sync.Mutex
	faults Faults
	frozen *shown
	calls  map[string]int
	posts  int
}

// Secret is the last part of every endpoint's URL. It must never be shown.
const Secret = "s3cr3t-api-key-0123456789"

// Endpoint starts an endpoint that shows the chain until the test ends.
func (e *EVM) Endpoint(t testing.TB) *Endpoint {
	t.Helper()
	p := &Endpoint{evm: e, calls: make(map[string]int)}
	server := httptest.NewServer(http.HandlerFunc(p.handle))
	t.Cleanup(server.Close)
	p.URL = server.URL + "/v2/" + Secret
	return p
}

// Name is the name of the endpoint without its credentials.
func (p *Endpoint) Name() string {
	host, _, _ := strings.Cut(strings.TrimPrefix(p.URL, "http://"), "/")
	return host
}

// Set changes the faults.
func (p *Endpoint) Set(f Faults) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.faults = f
}

// Freeze keeps showing the chain as it is now, whatever happens to it.
func (p *Endpoint) Freeze() {
	now := p.evm.show(0)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.frozen = &now
}

// Thaw ends Freeze.
func (p *Endpoint) Thaw() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.frozen = nil
}

// Calls returns how often a method was called.
func (p *Endpoint) Calls(method string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.calls[method]
}

// Posts returns how many HTTP requests were made.
func (p *Endpoint) Posts() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.posts
}

func (p *Endpoint) fault() Faults {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.faults
}

func (p *Endpoint) chainID() uint64 {
	if id := p.fault().ChainID; id != 0 {
		return id
	}
	return p.evm.config.ChainID
}

// view returns the chain as the endpoint shows it for a request.
func (p *Endpoint) view(request int) shown {
	f := p.fault()
	p.mu.Lock()
	frozen := p.frozen
	p.mu.Unlock()
	if frozen != nil {
		return *frozen
	}
	if f.LagAt != nil {
		f.Lag += f.LagAt(request)
	}
	return p.evm.show(f.Lag)
}

// incoming is a JSON-RPC call.
type incoming struct {
	ID     json.RawMessage   `json:"id"`
	Method string            `json:"method"`
	Params []json.RawMessage `json:"params"`
}

func (p *Endpoint) handle(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	p.posts++
	nth, f := p.posts, p.faults
	p.mu.Unlock()
	body, err := io.ReadAll(io.LimitReader(r.Body, 8<<20))
	if err != nil || r.Method != http.MethodPost {
		http.Error(w, "POST JSON", http.StatusBadRequest)
		return
	}
	if f.broken(w, r, nth) {
		return
	}
	answer, status := p.answer(body, f, nth)
	w.Header().Set("Content-Type", "application/json")
	if f.Truncate && len(answer) > 2 {
		// The connection ends early, as when a proxy gives up.
		w.Header().Set("Content-Length", strconv.Itoa(len(answer)/2))
		answer = answer[:len(answer)/2]
	}
	w.WriteHeader(status)
	_, _ = w.Write(answer) // the client may have disconnected
}

// answer answers a request of one or several calls.
func (p *Endpoint) answer(body []byte, f Faults, request int) ([]byte, int) {
	var calls []incoming
	batch := json.Unmarshal(body, &calls) == nil
	if !batch {
		var one incoming
		if json.Unmarshal(body, &one) != nil {
			return failure(nil, &RPCError{Code: -32700, Message: "parse error"}), http.StatusOK
		}
		calls = []incoming{one}
	}
	if batch && f.MaxBatch > 0 && len(calls) > f.MaxBatch {
		return failure(nil, &RPCError{Code: -32600, Message: "batch too large"}), f.refusalStatus()
	}
	replies := make([]json.RawMessage, len(calls))
	size := 0
	for i, c := range calls {
		if i > 0 {
			time.Sleep(f.SlowBatch)
		}
		replies[i] = p.call(c, request)
		if size += len(replies[i]); batch && f.MaxReplies > 0 && size > f.MaxReplies {
			replies[i] = failure(c.ID, &RPCError{Code: -32003, Message: "response too large"})
		}
	}
	if batch && f.MaxAnswer > 0 && size > f.MaxAnswer {
		return nil, http.StatusRequestEntityTooLarge
	}
	if f.Shuffle {
		for i := range len(replies) / 2 {
			j := len(replies) - 1 - i
			replies[i], replies[j] = replies[j], replies[i]
		}
	}
	if !batch {
		return replies[0], http.StatusOK
	}
	return encode(replies), http.StatusOK
}

func (p *Endpoint) call(c incoming, request int) json.RawMessage {
	p.mu.Lock()
	p.calls[c.Method]++
	nth, hook, reject, own := p.calls[c.Method], p.faults.OnCall, p.faults.Reject, p.faults.Answer
	p.mu.Unlock()
	if hook != nil {
		hook(c.Method, nth)
	}
	if fail := reject[c.Method]; fail != nil {
		return failure(c.ID, fail)
	}
	if own != nil {
		result, ok := own(c.Method, c.Params)
		if fail, is := result.(*RPCError); ok && is {
			return failure(c.ID, fail)
		}
		if ok {
			return encode(object{"jsonrpc": "2.0", "id": c.ID, "result": result})
		}
	}
	result, fail := p.serve(p.view(request), c.Method, c.Params)
	if fail != nil {
		return failure(c.ID, fail)
	}
	return encode(object{"jsonrpc": "2.0", "id": c.ID, "result": result})
}

func failure(id json.RawMessage, f *RPCError) json.RawMessage {
	return encode(object{"jsonrpc": "2.0", "id": id, "error": f})
}

func encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // the value is this package's own
	}
	return b
}

// pause waits unless the client disconnects.
func pause(r *http.Request, d time.Duration) {
	select {
	case <-r.Context().Done():
	case <-time.After(d):
	}
}
