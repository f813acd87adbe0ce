package web

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// reply is a response of the server.
type reply struct {
	status int
	header http.Header
	body   string
}

// ask sends a request as a program on the same machine does. Header pairs are
// name, value.
func (b *bundle) ask(method, path, body string, header ...string) reply {
	b.t.Helper()
	r := httptest.NewRequestWithContext(b.t.Context(), method, path, strings.NewReader(body))
	r.RemoteAddr = "127.0.0.1:40000"
	r.Host = "pay.example"
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	b.server.Handler().ServeHTTP(w, r)
	res := w.Result()
	text, err := io.ReadAll(res.Body)
	must(b.t, errors.Join(err, res.Body.Close()))
	return reply{res.StatusCode, res.Header, strings.TrimSpace(string(text))}
}

// graphQL sends a document with its variables (a JSON object).
func (b *bundle) graphQL(query, variables string, header ...string) reply {
	b.t.Helper()
	text, err := json.Marshal(query)
	must(b.t, err)
	if variables == "" {
		variables = "{}"
	}
	return b.ask("POST", "/graphql", `{"query":`+string(text)+`,"variables":`+variables+`}`, header...)
}

// start is the beginning of the body, for a message.
func (r reply) start() string { return r.body[:min(len(r.body), 800)] }

// field reads a field of a JSON answer by its path, such as
// data.payment.transaction.txnid.
func (r reply) field(t *testing.T, path string) any {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(r.body))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("no JSON: %s", r.body)
	}
	for name := range strings.SplitSeq(path, ".") {
		object, ok := v.(map[string]any)
		if !ok {
			t.Fatalf("no %s in %s", path, r.body)
		}
		v = object[name]
	}
	return v
}

func (r reply) text(t *testing.T, path string) string {
	t.Helper()
	switch v := r.field(t, path).(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	case nil:
		return "null"
	case bool:
		if v {
			return "true"
		}
		return "false"
	}
	t.Fatalf("%s is no plain value in %s", path, r.body)
	return ""
}

// eventually waits until the condition holds.
func eventually(t *testing.T, what string, so func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
		if so() {
			return
		}
	}
	t.Fatalf("%s: not within a minute", what)
}
