package testkit

import (
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	collector "go.opentelemetry.io/proto/slim/otlp/collector/trace/v1"
	trace "go.opentelemetry.io/proto/slim/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// Collector receives traces: OTLP over HTTP, in protobuf. It keeps what it receives.
type Collector struct {
	URL string

	mu     sync.Mutex
	busy   int
	bodies [][]byte
	path   string
	header http.Header
}

// StartCollector starts a collector, which ends with the test.
func StartCollector(t testing.TB) *Collector {
	t.Helper()
	r := new(Collector)
	s := httptest.NewServer(r)
	t.Cleanup(s.Close)
	r.URL = s.URL
	return r
}

// ServeHTTP receives spans.
func (r *Collector) ServeHTTP(w http.ResponseWriter, req *http.Request) {
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
func (r *Collector) Busy(n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.busy = n
}

// Bodies returns what was received, as it came.
func (r *Collector) Bodies() [][]byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.bodies)
}

// Last returns path and header of the newest request.
func (r *Collector) Last() (path string, header http.Header) {
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
func (r *Collector) Spans(t testing.TB) (list []Span) {
	t.Helper()
	for _, body := range r.Bodies() {
		var request collector.ExportTraceServiceRequest
		Must(t, proto.Unmarshal(body, &request))
		for _, of := range request.GetResourceSpans() {
			for _, scope := range of.GetScopeSpans() {
				for _, s := range scope.GetSpans() {
					list = append(list, readSpan(s))
				}
			}
		}
	}
	return list
}

func readSpan(raw *trace.Span) Span {
	s := Span{
		Trace: hex.EncodeToString(raw.GetTraceId()), ID: hex.EncodeToString(raw.GetSpanId()),
		Parent: hex.EncodeToString(raw.GetParentSpanId()), Name: raw.GetName(),
		Failed: raw.GetStatus() != nil, Attributes: make(map[string]string),
	}
	for _, a := range raw.GetAttributes() {
		s.Attributes[a.GetKey()] = a.GetValue().GetStringValue()
	}
	return s
}
