package trace

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// Tracer exports spans. A nil Tracer does nothing.
type Tracer struct {
	provider *sdk.TracerProvider
	tracer   trace.Tracer
}

// Options are what a Tracer needs.
type Options struct {
	// Getenv reads the environment: the standard variables OTEL_*.
	Getenv  func(name string) string
	Version string
	Log     *slog.Logger
}

// New returns the tracer that the environment describes; nil if it names no collector. It fails if a variable is wrong.
func New(ctx context.Context, o Options) (*Tracer, error) {
	target, on, err := targetOf(o.Getenv)
	if err != nil || !on {
		return nil, err
	}
	sampler, err := samplerOf(o.Getenv)
	if err != nil {
		return nil, err
	}
	// What the environment says goes last, so that it wins.
	name, version := attribute.String("service.name", "florin"), attribute.String("service.version", o.Version)
	of, err := resource.New(
		ctx, resource.WithTelemetrySDK(), resource.WithAttributes(name, version), resource.WithFromEnv(),
	)
	if err != nil {
		return nil, fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) {
		o.Log.Warn("traces were not exported", "to", target.host(), "error", err)
	}))
	provider := sdk.NewTracerProvider(sdk.WithBatcher(newExporter(target)), sdk.WithSampler(sampler),
		sdk.WithResource(of), sdk.WithIDGenerator(chosenIDs{}))
	o.Log.Info("traces are exported", "to", target.host())
	return &Tracer{
		provider, provider.Tracer("github.com/florinpay/florin", trace.WithInstrumentationVersion(o.Version)),
	}, nil
}

// Close exports what is left, until ctx ends.
func (t *Tracer) Close(ctx context.Context) error {
	if t == nil {
		return nil
	}
	if err := t.provider.Shutdown(ctx); err != nil {
		return fmt.Errorf("export the last traces: %w", err)
	}
	return nil
}

// samplerOf returns the sampler of OTEL_TRACES_SAMPLER and OTEL_TRACES_SAMPLER_ARG. It decides by the trace id alone,
// so that all instances keep the same payments, whole.
func samplerOf(getenv func(string) string) (sdk.Sampler, error) {
	switch name := strings.TrimPrefix(getenv("OTEL_TRACES_SAMPLER"), "parentbased_"); name {
	case "", "always_on":
		return sdk.AlwaysSample(), nil
	case "always_off":
		return sdk.NeverSample(), nil
	case "traceidratio":
		ratio := 1.0
		if text := getenv("OTEL_TRACES_SAMPLER_ARG"); text != "" {
			var err error
			if ratio, err = strconv.ParseFloat(text, 64); err != nil || ratio < 0 || ratio > 1 {
				return nil, errors.New("OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1")
			}
		}
		return sdk.TraceIDRatioBased(ratio), nil
	}
	return nil, errors.New("OTEL_TRACES_SAMPLER must be always_on, always_off or traceidratio")
}

// span is what is exported of something that has ended.
type span struct {
	txnid        string
	id, parent   trace.SpanID // zero: a new one; none
	name         string
	kind         trace.SpanKind
	began, ended time.Time
	failed       bool
	attributes   []attribute.KeyValue
}

// record exports the span in the trace of its payment.
func (t *Tracer) record(s span) {
	of, ok := IDOf(s.txnid)
	if !ok {
		return
	}
	ctx := withIDs(context.Background(), of, s.id)
	if s.parent.IsValid() {
		ctx = trace.ContextWithRemoteSpanContext(ctx, trace.NewSpanContext(trace.SpanContextConfig{
			TraceID: of, SpanID: s.parent, TraceFlags: trace.FlagsSampled, Remote: true,
		}))
	}
	if s.ended.Before(s.began) {
		s.began = s.ended
	}
	_, made := t.tracer.Start(ctx, s.name, trace.WithTimestamp(s.began), trace.WithSpanKind(s.kind),
		trace.WithAttributes(attribute.String("florin.txnid", s.txnid)), trace.WithAttributes(s.attributes...))
	if s.failed {
		made.SetStatus(codes.Error, "")
	}
	made.End(trace.WithTimestamp(s.ended))
}
