package chaintest

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
)

// Provider is a proxy in front of a node that treats its clients as a provider does: it limits, refuses, batches and
// balances by its rules. Until Behave it only forwards. It is safe for concurrent use.
type Provider struct {
	// URL is the address. Like those of providers, it ends in a secret.
	URL string

	t        testing.TB
	upstream string

	mu       sync.Mutex
	rules    Rules
	requests int
	refusals int
	changes  int
	calls    map[string]int
}

// Rules are how a provider treats requests. The zero value forwards everything.
type Rules struct {
	// Request answers a whole request; nil treats its calls one by one. nth counts requests from 1.
	Request func(nth int, calls []ProviderCall, batch bool) *HTTPAnswer
	// Call answers one call; nil asks the node.
	Call func(p *Provider, c ProviderCall) *ProviderReply
	// Replies changes the replies to a batch.
	Replies func(replies []json.RawMessage) []json.RawMessage
}

// ProviderCall is a call that a provider is asked.
type ProviderCall struct {
	ID      json.RawMessage   `json:"id"`
	Method  string            `json:"method"`
	Params  []json.RawMessage `json:"params"`
	Nth     int               `json:"-"` // call of this method, from 1
	Request int               `json:"-"` // number of the request, from 1
}

// ProviderReply answers one call: with an error object, or with a result.
type ProviderReply struct {
	Err    *RPCError
	Result any
}

// HTTPAnswer answers a whole request.
type HTTPAnswer struct {
	Status int
	Header map[string]string
	Body   string
	Drop   bool // cuts the connection instead
}

// NewProvider starts a provider in front of the node at an address, until the test ends.
func NewProvider(t testing.TB, upstream string) *Provider {
	t.Helper()
	p := &Provider{t: t, upstream: upstream, calls: make(map[string]int)}
	server := httptest.NewServer(http.HandlerFunc(p.handle))
	t.Cleanup(server.Close)
	p.URL = server.URL + "/v2/" + Secret
	return p
}

// Behave sets the rules.
func (p *Provider) Behave(r Rules) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rules = r
}

// Requests returns how many requests were made, and how many calls and requests the rules refused.
func (p *Provider) Requests() (requests, refusals int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.requests, p.refusals
}

// Changes returns how many requests, calls and batches were answered otherwise than the node does.
func (p *Provider) Changes() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.changes
}

// Ask asks the node behind the provider.
func (p *Provider) Ask(method string, params ...any) json.RawMessage {
	body := encode(object{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	var reply struct {
		Result json.RawMessage `json:"result"`
	}
	if err := json.Unmarshal(p.forward(body), &reply); err != nil {
		p.t.Errorf("the node answers %s with %v", method, err)
	}
	return reply.Result
}

func (p *Provider) forward(body []byte) []byte {
	res, err := http.Post(p.upstream, "application/json", bytes.NewReader(body))
	if err != nil {
		p.t.Errorf("the node does not answer: %v", err)
		return nil
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err != nil {
		p.t.Errorf("the node does not answer: %v", err)
	}
	return answer
}

func (p *Provider) handle(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, 8<<20))
	if err != nil {
		return // the client disconnected
	}
	calls, batch, ok := p.read(body)
	if !ok {
		http.Error(w, "POST JSON", http.StatusBadRequest)
		return
	}
	rules, nth := p.begin(calls)
	if rules.Request != nil {
		if a := rules.Request(nth, calls, batch); a != nil {
			p.changed(true)
			a.write(w)
			return
		}
	}
	replies := make([]json.RawMessage, len(calls))
	for i, c := range calls {
		replies[i] = p.reply(rules, c)
	}
	w.Header().Set("Content-Type", "application/json")
	if !batch {
		_, _ = w.Write(replies[0]) // the client may have disconnected
		return
	}
	if rules.Replies != nil {
		before := slices.Clone(replies)
		replies = rules.Replies(replies)
		if !slices.EqualFunc(before, replies, func(a, b json.RawMessage) bool { return bytes.Equal(a, b) }) {
			p.changed(false)
		}
	}
	_, _ = w.Write(encode(replies)) // the client may have disconnected
}

func (p *Provider) read(body []byte) (calls []ProviderCall, batch, ok bool) {
	if json.Unmarshal(body, &calls) == nil {
		return calls, true, len(calls) > 0
	}
	var one ProviderCall
	err := json.Unmarshal(body, &one)
	return []ProviderCall{one}, false, err == nil
}

// begin numbers a request and its calls.
func (p *Provider) begin(calls []ProviderCall) (Rules, int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.requests++
	for i := range calls {
		p.calls[calls[i].Method]++
		calls[i].Nth, calls[i].Request = p.calls[calls[i].Method], p.requests
	}
	return p.rules, p.requests
}

// changed counts an answer that the node would not have given, and whether it is a refusal.
func (p *Provider) changed(refused bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.changes++
	if refused {
		p.refusals++
	}
}

func (p *Provider) reply(rules Rules, c ProviderCall) json.RawMessage {
	if rules.Call != nil {
		switch r := rules.Call(p, c); {
		case r == nil:
		case r.Err != nil:
			p.changed(true)
			return encode(object{"jsonrpc": "2.0", "id": c.ID, "error": r.Err})
		default:
			p.changed(false)
			return encode(object{"jsonrpc": "2.0", "id": c.ID, "result": r.Result})
		}
	}
	return p.forward(encode(object{"jsonrpc": "2.0", "id": c.ID, "method": c.Method, "params": c.Params}))
}

func (a *HTTPAnswer) write(w http.ResponseWriter) {
	if a.Drop {
		panic(http.ErrAbortHandler) // cuts the connection
	}
	for name, value := range a.Header {
		w.Header().Set(name, value)
	}
	w.WriteHeader(a.Status)
	_, _ = io.WriteString(w, a.Body) // the client may have disconnected
}

// refuse answers a call with an error object.
func refuse(code int, message string) *ProviderReply {
	return &ProviderReply{Err: &RPCError{Code: code, Message: message}}
}
