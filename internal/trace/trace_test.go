package trace_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/testkit"
	"github.com/florinpay/florin/internal/trace"
	"github.com/florinpay/florin/internal/webhook"
)

const (
	txnid = "01JDXZ5Q0M8V6T3W2Y1K9C4R7B"
	// canary is in everything that must not leave.
	canary = "c4n4ry"
)

// newTracer returns a tracer that exports to the receiver, with the environment.
func newTracer(t *testing.T, r *testkit.Collector, log io.Writer, environ map[string]string) *trace.Tracer {
	t.Helper()
	of := map[string]string{
		"OTEL_EXPORTER_OTLP_ENDPOINT": r.URL, "OTEL_EXPORTER_OTLP_HEADERS": "authorization=Bearer%20" + canary,
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

// byName returns the spans that were received, by name.
func byName(t *testing.T, r *testkit.Collector) map[string]testkit.Span {
	t.Helper()
	all := make(map[string]testkit.Span)
	for _, s := range r.Spans(t) {
		all[s.Name] = s
	}
	return all
}

// unsent delivers nothing.
func unsent(context.Context, webhook.Delivery) webhook.Result {
	return webhook.Result{Attempt: webhook.Attempt{Status: 500, Error: canary, Response: canary}}
}

// One trace has the call that created a payment, what followed, and its webhook; no secret is in it.
func TestTracer(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	c := testkit.StartCollector(t)
	tracer := newTracer(t, c, &log, nil)
	ctx := tracer.Enter(t.Context())
	tracer.Stored(ctx, payment.Stored{Began: time.Now(), Change: payment.New(payment.Request{
		ID: txnid, Amount: 1_000_000, ValidFor: time.Hour,
		Details: payment.Details{CustomerEmail: canary + "@example.com", Reference: canary, SuccessURL: "https://a.example/" + canary},
	}, time.Now())})
	lines := slog.New(tracer.Handler(slog.NewTextHandler(&log, nil)))
	lines.InfoContext(ctx, "request")
	tracer.Answered(
		ctx, trace.Request{ID: "r1", Method: "POST", Route: "/create-payment", Status: 200, Began: time.Now()},
	)

	before := payment.Payment{ID: txnid, Status: payment.Pending}
	cancelled, err := before.Cancel(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	tracer.Stored(t.Context(), payment.Stored{Before: before, Change: cancelled, Began: time.Now()})
	tracer.Webhooks(unsent)(t.Context(), webhook.Delivery{
		EventID: "evt_" + txnid + "_2", URL: "https://shop.example/" + canary, Secret: secret.New(canary), Body: []byte(canary),
	})
	tracer.Answered(tracer.Enter(t.Context()), trace.Request{Method: "GET", Route: "/txn/:txnid"}) // changed nothing
	lines.Info("a webhook", "event", "evt_"+txnid+"_2")
	lines.Info("something else")
	if err := tracer.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	spans := byName(t, c)
	id, _ := trace.IDOf(txnid)
	root := spans["POST /create-payment"]
	for name, parent := range map[string]string{
		"POST /create-payment": "", "payment.created": root.ID, "payment.cancelled": root.ID, "webhook": root.ID,
	} {
		s, ok := spans[name]
		if !ok || s.Trace != id.String() || s.Parent != parent || s.Attributes["florin.txnid"] != txnid {
			t.Errorf("%s is %+v, want it below %q in %s", name, s, parent, id)
		}
	}
	if len(spans) != 4 || !spans["webhook"].Failed || root.Failed {
		t.Errorf("spans %+v", spans)
	}
	path, header := c.Last()
	if path != "/v1/traces" || header.Get("Content-Type") != "application/x-protobuf" ||
		header.Get("Authorization") != "Bearer "+canary {
		t.Errorf("sent to %s with %v", path, header)
	}
	for _, body := range c.Bodies() {
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
	c := testkit.StartCollector(t)
	c.Busy(1)
	tracer := newTracer(t, c, io.Discard, nil)
	tracer.Webhooks(unsent)(t.Context(), webhook.Delivery{EventID: "evt_" + txnid + "_2"})
	if err := tracer.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if n := len(byName(t, c)); n != 1 {
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
