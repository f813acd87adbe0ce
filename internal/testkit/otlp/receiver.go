// Package otlp receives traces as a collector does: OTLP over HTTP, in protobuf.
package otlp

import (
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

// Receiver is a collector. It keeps what it receives.
type Receiver struct {
	URL string

	mu     sync.Mutex
	busy   int
	bodies [][]byte
	path   string
	header http.Header
}

// Start starts a receiver, which ends with the test.
func Start(t testing.TB) *Receiver {
	t.Helper()
	r := new(Receiver)
	s := httptest.NewServer(r)
	t.Cleanup(s.Close)
	r.URL = s.URL
	return r
}

// ServeHTTP receives spans.
func (r *Receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.busy > 0 || err != nil {
		r.busy--
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	r.bodies, r.header, r.path = append(r.bodies, body), req.Header, req.URL.Path
}

// Busy makes the receiver answer 503 to the next n requests.
func (r *Receiver) Busy(n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.busy = n
}

// Bodies returns what was received, as it came.
func (r *Receiver) Bodies() [][]byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.bodies)
}

// Last returns path and header of the newest request.
func (r *Receiver) Last() (path string, header http.Header) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.path, r.header
}

// Span is a span as it was received. Ids are in hex; Parent is empty for a root.
type Span struct {
	Trace, ID, Parent, Name string
	Failed                  bool
	Attributes              map[string]string
}

// Spans returns all spans in the order in which they came.
func (r *Receiver) Spans(t testing.TB) (list []Span) {
	t.Helper()
	for _, body := range r.Bodies() {
		for _, of := range fields(t, body)[1] { // ExportTraceServiceRequest.resource_spans
			for _, scope := range fields(t, of)[2] { // ResourceSpans.scope_spans
				for _, raw := range fields(t, scope)[2] { // ScopeSpans.spans
					list = append(list, readSpan(t, raw))
				}
			}
		}
	}
	return list
}

// The numbers of the fields of a span that are read.
const (
	fieldTrace, fieldSpan, fieldParent, fieldName = 1, 2, 4, 5
	fieldAttributes, fieldStatus                  = 9, 15
)

func readSpan(t testing.TB, raw []byte) Span {
	t.Helper()
	f := fields(t, raw)
	one := func(n protowire.Number) []byte {
		if len(f[n]) == 0 {
			return nil
		}
		return f[n][0]
	}
	s := Span{
		Trace: hex.EncodeToString(one(fieldTrace)), ID: hex.EncodeToString(one(fieldSpan)),
		Parent: hex.EncodeToString(one(fieldParent)), Name: string(one(fieldName)),
		Failed: len(f[fieldStatus]) > 0, Attributes: make(map[string]string),
	}
	for _, a := range f[fieldAttributes] {
		pair := fields(t, a)
		s.Attributes[string(pair[1][0])] = string(slices.Concat(fields(t, pair[2][0])[1]...))
	}
	return s
}

// fields returns the fields of a message; those that are no bytes are empty.
func fields(t testing.TB, b []byte) map[protowire.Number][][]byte {
	t.Helper()
	all := make(map[protowire.Number][][]byte)
	for len(b) > 0 {
		n, kind, size := protowire.ConsumeTag(b)
		if size < 0 {
			t.Fatalf("no protobuf: %x", b)
		}
		b = b[size:]
		var value []byte
		if kind == protowire.BytesType {
			value, size = protowire.ConsumeBytes(b)
		} else {
			size = protowire.ConsumeFieldValue(n, kind, b)
		}
		if size < 0 {
			t.Fatalf("no protobuf: %x", b)
		}
		all[n], b = append(all[n], value), b[size:]
	}
	return all
}
