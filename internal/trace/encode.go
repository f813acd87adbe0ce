package trace

import (
	"errors"
	"fmt"
	"net/url"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	collector "go.opentelemetry.io/proto/slim/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/slim/otlp/common/v1"
	resource "go.opentelemetry.io/proto/slim/otlp/resource/v1"
	tracepb "go.opentelemetry.io/proto/slim/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// encode returns the spans of one program as an ExportTraceServiceRequest.
func encode(spans []sdk.ReadOnlySpan) ([]byte, error) {
	scope := spans[0].InstrumentationScope()
	all := &tracepb.ScopeSpans{Scope: &common.InstrumentationScope{Name: scope.Name, Version: scope.Version}}
	for _, s := range spans {
		all.Spans = append(all.Spans, encodeSpan(s))
	}
	body, err := proto.Marshal(&collector.ExportTraceServiceRequest{ResourceSpans: []*tracepb.ResourceSpans{{
		Resource:   &resource.Resource{Attributes: keyValues(spans[0].Resource().Attributes())},
		ScopeSpans: []*tracepb.ScopeSpans{all},
	}}})
	if err != nil {
		return nil, fmt.Errorf("encode spans: %w", err)
	}
	return body, nil
}

func encodeSpan(s sdk.ReadOnlySpan) *tracepb.Span {
	of, id, parent := s.SpanContext().TraceID(), s.SpanContext().SpanID(), s.Parent().SpanID()
	span := &tracepb.Span{
		TraceId: of[:], SpanId: id[:], Name: s.Name(),
		Kind:              tracepb.Span_SpanKind(s.SpanKind()), //nolint:gosec // the numbers of both are the same
		StartTimeUnixNano: uint64(s.StartTime().UnixNano()),    //nolint:gosec // after 1970
		EndTimeUnixNano:   uint64(s.EndTime().UnixNano()),      //nolint:gosec // after 1970
		Attributes:        keyValues(s.Attributes()),
	}
	if parent.IsValid() {
		span.ParentSpanId = parent[:]
	}
	if s.Status().Code == codes.Error {
		span.Status = &tracepb.Status{Code: tracepb.Status_STATUS_CODE_ERROR}
	}
	return span
}

func keyValues(all []attribute.KeyValue) []*common.KeyValue {
	out := make([]*common.KeyValue, 0, len(all))
	for _, a := range all {
		value := new(common.AnyValue)
		switch a.Value.Type() {
		case attribute.BOOL:
			value.Value = &common.AnyValue_BoolValue{BoolValue: a.Value.AsBool()}
		case attribute.INT64:
			value.Value = &common.AnyValue_IntValue{IntValue: a.Value.AsInt64()}
		default:
			value.Value = &common.AnyValue_StringValue{StringValue: a.Value.String()}
		}
		out = append(out, &common.KeyValue{Key: string(a.Key), Value: value})
	}
	return out
}

// withoutURL returns what went wrong without the address, which may hold a token.
func withoutURL(err error) error {
	if of, ok := errors.AsType[*url.Error](err); ok {
		return of.Err
	}
	return err
}
