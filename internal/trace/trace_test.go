package trace_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/florinpay/florin/internal/metrics"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/trace"
	"github.com/florinpay/florin/internal/webhook"
)

const (
	txnid = "01JDXZ5Q0M8V6T3W2Y1K9C4R7B"
	// canary is in everything that must not leave.
	canary = "c4n4ry"
)

// collector is an OTLP receiver over HTTP.
type collector struct {
	url string

	mu     sync.Mutex
	busy   int // answers 503 so often
	bodies [][]byte
	header http.Header
	path   string
}

func startCollector(t *testing.T) *collector {
	t.Helper()
	c := new(collector)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.busy > 0 {
			c.busy--
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		c.bodies, c.header, c.path = append(c.bodies, body), r.Header, r.URL.Path
	}))
	t.Cleanup(s.Close)
	c.url = s.URL
	return c
}

// tracer returns a tracer with the environment.
func (c *collector) tracer(t *testing.T, log io.Writer, environ map[string]string) *trace.Tracer {
	t.Helper()
	of := map[string]string{
		"OTEL_EXPORTER_OTLP_ENDPOINT": c.url, "OTEL_EXPORTER_OTLP_HEADERS": "authorization=Bearer%20" + canary,
	}
	maps.Copy(of, environ)
	tracer, err := trace.New(t.Context(), trace.Options{
		Getenv:  func(name string) string { return of[name] },
		Version: "1.2.3", Log: slog.New(slog.NewTextHandler(log, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	return tracer
}

// exported is a span as the collector read it.
type exported struct {
	trace, id, parent, name string
	failed                  bool
	attributes              map[string]string
}

// spans reads what was exported, by name.
func (c *collector) spans(t *testing.T) map[string]exported {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	all := make(map[string]exported)
	for _, body := range c.bodies {
		for _, of := range fields(t, body)[1] {
			for _, scope := range fields(t, of)[2] {
				for _, raw := range fields(t, scope)[2] {
					s := readSpan(t, raw)
					all[s.name] = s
				}
			}
		}
	}
	return all
}

func readSpan(t *testing.T, raw []byte) exported {
	t.Helper()
	f := fields(t, raw)
	one := func(n protowire.Number) []byte {
		if len(f[n]) == 0 {
			return nil
		}
		return f[n][0]
	}
	s := exported{
		trace: hex.EncodeToString(one(1)), id: hex.EncodeToString(one(2)), parent: hex.EncodeToString(one(4)),
		name: string(one(5)), failed: len(f[15]) > 0, attributes: make(map[string]string),
	}
	for _, a := range f[9] {
		pair := fields(t, a)
		s.attributes[string(pair[1][0])] = string(slices.Concat(fields(t, pair[2][0])[1]...))
	}
	return s
}

// fields returns the fields of a message; those that are no bytes are empty.
func fields(t *testing.T, b []byte) map[protowire.Number][][]byte {
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

// fakeStore stores nothing.
type fakeStore struct{ metrics.Store }

func (fakeStore) CreatePayment(_ context.Context, c payment.Change) (payment.Payment, error) {
	return c.Payment, nil
}

func (fakeStore) UpdatePayment(
	_ context.Context, _ payment.ID, decide func(payment.Payment) (payment.Change, error),
) (payment.Payment, error) {
	c, err := decide(payment.Payment{ID: txnid, Status: payment.Pending})
	return c.Payment, err
}

// fakeSender delivers nothing.
type fakeSender struct{}

func (fakeSender) Send(context.Context, webhook.Delivery) webhook.Result {
	return webhook.Result{Attempt: webhook.Attempt{Status: 500, Error: canary, Response: canary}}
}

// One trace has the call that created a payment, what followed, and its webhook; no secret is in it.
func TestTracer(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	c := startCollector(t)
	tracer := c.tracer(t, &log, nil)
	store := tracer.Payments(fakeStore{})
	ctx := tracer.Enter(t.Context())
	_, err := store.CreatePayment(ctx, payment.New(payment.Request{
		ID: txnid, Amount: 1_000_000, ValidFor: time.Hour,
		Details: payment.Details{CustomerEmail: canary + "@example.com", Reference: canary, SuccessURL: "https://a.example/" + canary},
	}, time.Now()))
	if err != nil {
		t.Fatal(err)
	}
	lines := slog.New(tracer.Handler(slog.NewTextHandler(&log, nil)))
	lines.InfoContext(ctx, "request")
	tracer.Answered(
		ctx, trace.Request{ID: "r1", Method: "POST", Route: "/create-payment", Status: 200, Began: time.Now()},
	)

	if _, err := store.UpdatePayment(t.Context(), txnid, func(p payment.Payment) (payment.Change, error) {
		return p.Cancel(time.Now())
	}); err != nil {
		t.Fatal(err)
	}
	tracer.Posts(fakeSender{}).Send(t.Context(), webhook.Delivery{
		EventID: "evt_" + txnid + "_2", URL: "https://shop.example/" + canary, Secret: secret.New(canary), Body: []byte(canary),
	})
	tracer.Answered(tracer.Enter(t.Context()), trace.Request{Method: "GET", Route: "/txn/:txnid"}) // changed nothing
	lines.Info("a webhook", "event", "evt_"+txnid+"_2")
	lines.Info("something else")
	if err := tracer.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	spans := c.spans(t)
	id, _ := trace.IDOf(txnid)
	root := spans["POST /create-payment"]
	for name, parent := range map[string]string{
		"POST /create-payment": "", "payment.created": root.id, "payment.cancelled": root.id, "webhook": root.id,
	} {
		s, ok := spans[name]
		if !ok || s.trace != id.String() || s.parent != parent || s.attributes["florin.txnid"] != txnid {
			t.Errorf("%s is %+v, want it below %q in %s", name, s, parent, id)
		}
	}
	if len(spans) != 4 || !spans["webhook"].failed || root.failed {
		t.Errorf("spans %+v", spans)
	}
	if c.path != "/v1/traces" || c.header.Get("Content-Type") != "application/x-protobuf" ||
		c.header.Get("Authorization") != "Bearer "+canary {
		t.Errorf("sent to %s with %v", c.path, c.header)
	}
	for _, body := range c.bodies {
		if bytes.Contains(body, []byte(canary)) || !bytes.Contains(body, []byte("1.2.3")) {
			t.Errorf("exported %q", body)
		}
	}
	if n := strings.Count(log.String(), "trace_id="+id.String()); n != 2 || strings.Contains(log.String(), canary) {
		t.Errorf("%d lines have the trace:\n%s", n, log.String())
	}
}

// A collector that is busy gets the spans once it is not.
func TestTracer_Busy(t *testing.T) {
	t.Parallel()
	c := startCollector(t)
	c.busy = 1
	tracer := c.tracer(t, io.Discard, nil)
	tracer.Posts(fakeSender{}).Send(t.Context(), webhook.Delivery{EventID: "evt_" + txnid + "_2"})
	if err := tracer.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if n := len(c.spans(t)); n != 1 {
		t.Errorf("%d spans", n)
	}
}

// It is off without a collector, and a wrong variable is refused without its value.
func TestNew(t *testing.T) {
	t.Parallel()
	const endpoint = "OTEL_EXPORTER_OTLP_ENDPOINT"
	here := "http://127.0.0.1:1"
	for name, row := range map[string]struct {
		environ map[string]string
		on      bool
		refused string
	}{
		"Nothing":  {},
		"Disabled": {environ: map[string]string{endpoint: here, "OTEL_SDK_DISABLED": "true"}},
		"None":     {environ: map[string]string{endpoint: here, "OTEL_TRACES_EXPORTER": "none"}},
		"On":       {environ: map[string]string{endpoint: here, "OTEL_TRACES_SAMPLER": "parentbased_traceidratio", "OTEL_TRACES_SAMPLER_ARG": "0.5"}, on: true},
		"Traces":   {environ: map[string]string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": here + "/x"}, on: true},
		"GRPC":     {environ: map[string]string{endpoint: here, "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}, refused: "OTEL_EXPORTER_OTLP_PROTOCOL"},
		"Address":  {environ: map[string]string{endpoint: canary + ":4318"}, refused: endpoint},
		"Headers":  {environ: map[string]string{endpoint: here, "OTEL_EXPORTER_OTLP_HEADERS": canary}, refused: "OTEL_EXPORTER_OTLP_HEADERS"},
		"Timeout":  {environ: map[string]string{endpoint: here, "OTEL_EXPORTER_OTLP_TIMEOUT": "1s"}, refused: "OTEL_EXPORTER_OTLP_TIMEOUT"},
		"Sampler":  {environ: map[string]string{endpoint: here, "OTEL_TRACES_SAMPLER": canary}, refused: "OTEL_TRACES_SAMPLER"},
		"Ratio":    {environ: map[string]string{endpoint: here, "OTEL_TRACES_SAMPLER": "traceidratio", "OTEL_TRACES_SAMPLER_ARG": "2"}, refused: "OTEL_TRACES_SAMPLER_ARG"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tracer, err := trace.New(t.Context(), trace.Options{
				Getenv: func(name string) string { return row.environ[name] }, Log: slog.New(slog.DiscardHandler),
			})
			if tracer != nil {
				t.Cleanup(func() { _ = tracer.Close(context.WithoutCancel(t.Context())) })
			}
			switch {
			case row.refused == "" && (err != nil || (tracer != nil) != row.on):
				t.Errorf("on: %v, %v", tracer != nil, err)
			case row.refused != "" &&
				(err == nil || !strings.Contains(err.Error(), row.refused) || strings.Contains(err.Error(), canary)):
				t.Errorf("refused with %v", err)
			}
		})
	}
}
