package evm_test

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

// rewrite changes what a node answers to a call.
type rewrite func(params, result json.RawMessage) json.RawMessage

// proxy forwards requests to a node and alters its answers, as a faulty node would.
type proxy struct {
	*httptest.Server

	mu    sync.Mutex
	alter map[string]rewrite
	down  bool
}

func newProxy(t *testing.T, upstream string) *proxy {
	t.Helper()
	r := &proxy{alter: make(map[string]rewrite)}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, err := io.ReadAll(req.Body)
		if err != nil {
			return // the client gave up
		}
		if r.isDown() {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		res, err := http.Post(upstream, "application/json", bytes.NewReader(body))
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		defer res.Body.Close()
		answer, err := io.ReadAll(res.Body)
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		_, _ = w.Write(r.rewritten(t, body, answer)) // the client may have disconnected
	}))
	t.Cleanup(r.Close)
	return r
}

// rpcCall is a call with its answer.
type rpcCall struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

// rewritten changes the answers to a request of one call or of several.
func (r *proxy) rewritten(t *testing.T, request, answer []byte) []byte {
	var calls []rpcCall
	var answers []map[string]json.RawMessage
	one := len(request) > 0 && request[0] == '{'
	if one {
		request = slices.Concat([]byte("["), request, []byte("]"))
		answer = slices.Concat([]byte("["), answer, []byte("]"))
	}
	if json.Unmarshal(request, &calls) != nil || json.Unmarshal(answer, &answers) != nil {
		t.Errorf("%s was answered %s", request, answer)
		return answer
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range calls {
		for _, a := range answers {
			if f := r.alter[c.Method]; f != nil && a["result"] != nil && bytes.Equal(a["id"], c.ID) {
				a["result"] = f(c.Params, a["result"])
			}
		}
	}
	var out any = answers
	if one {
		out = answers[0]
	}
	answer, err := json.Marshal(out)
	if err != nil {
		t.Error(err)
	}
	return answer
}

// set makes the node answer a method otherwise; nil restores its true answer.
func (r *proxy) set(method string, f rewrite) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.alter[method] = f
}

// turn switches the node off, or on again.
func (r *proxy) turn(on bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.down = !on
}

func (r *proxy) isDown() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.down
}

// always answers with this.
func always(text string) rewrite {
	return func(json.RawMessage, json.RawMessage) json.RawMessage { return json.RawMessage(text) }
}

// loseIndex makes the node lose its index of transactions.
func (r *proxy) loseIndex() {
	r.set("eth_getTransactionReceipt", always("null"))
	r.set("eth_getTransactionByHash", always("null"))
}
