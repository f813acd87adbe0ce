package solana_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// secretPath is the secret end of a provider's address.
const secretPath = "s3cr3t-api-key-0123456789"

// node is a proxy before a ledger that can answer wrongly.
type node struct {
	*httptest.Server

	mu     sync.Mutex
	alter  map[string]func(params, result json.RawMessage) json.RawMessage
	deny   map[string]func(params json.RawMessage) (status int, body string)
	status int
	calls  map[string]int

	silences int
}

func newNode(t *testing.T, upstream string) *node {
	t.Helper()
	n := &node{
		alter: make(map[string]func(params, result json.RawMessage) json.RawMessage), calls: make(map[string]int),
		deny: make(map[string]func(params json.RawMessage) (int, string)),
	}
	n.Server = httptest.NewServer(
		http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { n.answer(t, w, r, upstream) }),
	)
	t.Cleanup(n.Close)
	return n
}

func (n *node) url() string { return n.URL + "/" + secretPath }

func (n *node) name() string { return strings.TrimPrefix(n.URL, "http://") }

func (n *node) answer(t *testing.T, w http.ResponseWriter, r *http.Request, upstream string) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client disconnected
	}
	var call struct {
		Method string          `json:"method"`
		Params json.RawMessage `json:"params"`
	}
	if err := json.Unmarshal(body, &call); err != nil {
		t.Error(err)
		return
	}
	n.mu.Lock()
	n.calls[call.Method]++
	status, alter, deny := n.status, n.alter[call.Method], n.deny[call.Method]
	n.mu.Unlock()
	if deny != nil {
		if status, body := deny(call.Params); status != 0 {
			switch status {
			case dropped:
				panic(http.ErrAbortHandler)
			case silent:
				n.keepSilent(r)
				return
			}
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body) // the client may have disconnected
			return
		}
	}
	if status == silent {
		n.keepSilent(r)
		return
	}
	if status != 0 {
		http.Error(w, "refused for key "+secretPath, status)
		return
	}
	res, err := http.Post(upstream, "application/json", bytes.NewReader(body))
	if err != nil {
		t.Error(err)
		return
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err != nil {
		t.Error(err)
		return
	}
	if alter != nil {
		answer = altered(t, answer, func(result json.RawMessage) json.RawMessage { return alter(call.Params, result) })
	}
	_, _ = w.Write(answer)
}

func altered(t *testing.T, answer []byte, f func(json.RawMessage) json.RawMessage) []byte {
	t.Helper()
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(answer, &fields); err != nil {
		t.Error(err)
		return answer
	}
	if result, ok := fields["result"]; ok {
		fields["result"] = f(result)
	}
	out, err := json.Marshal(fields)
	if err != nil {
		t.Error(err)
	}
	return out
}

// set makes the node answer a method otherwise; nil makes it correct again.
func (n *node) set(method string, f func(params, result json.RawMessage) json.RawMessage) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if f == nil {
		delete(n.alter, method)
		return
	}
	n.alter[method] = f
}

// dropped is a status that cuts the connection, and silent one that never comes: the client must give up.
const dropped, silent = -1, -2

// keepSilent answers nothing until the client gives up, and counts how often.
func (n *node) keepSilent(r *http.Request) {
	n.mu.Lock()
	n.silences++
	n.mu.Unlock()
	<-r.Context().Done()
}

// failFor makes the node answer calls of a method with an HTTP status and a body if their parameters hold the text; an
// empty text ends it.
func (n *node) failFor(method, text string, status int, body string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.deny, method)
	if text == "" {
		return
	}
	n.deny[method] = func(params json.RawMessage) (int, string) {
		if strings.Contains(string(params), text) {
			return status, body
		}
		return 0, ""
	}
}

// refuseMethod makes the node answer every call of a method with an HTTP status and a body.
func (n *node) refuseMethod(method string, status int, body string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.deny[method] = func(json.RawMessage) (int, string) { return status, body }
}

// rpcError is the body of an answer with an error object.
func rpcError(code int, message string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"error":{"code":%d,"message":%q}}`, code, message)
}

// refuse makes the node answer every call with an HTTP status; 0 ends it.
func (n *node) refuse(status int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.status = status
}

// count returns how often a method was called.
func (n *node) count(method string) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.calls[method]
}

// always answers with the text.
func always(text string) func(params, result json.RawMessage) json.RawMessage {
	return func(json.RawMessage, json.RawMessage) json.RawMessage { return json.RawMessage(text) }
}
