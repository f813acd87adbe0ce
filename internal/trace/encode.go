package trace

import (
	"errors"
	"net/url"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"google.golang.org/protobuf/encoding/protowire"
)

// Numbers of fields in opentelemetry/proto/trace/v1/trace.proto, common.proto and resource.proto, version 1.
const (
	requestResourceSpans = 1

	resourceSpansResource = 1
	resourceSpansScope    = 2

	resourceAttributes = 1

	scopeSpansScope = 1
	scopeSpansSpans = 2

	scopeName    = 1
	scopeVersion = 2

	spanTraceID    = 1
	spanSpanID     = 2
	spanParent     = 4
	spanName       = 5
	spanKind       = 6
	spanStart      = 7
	spanEnd        = 8
	spanAttributes = 9
	spanStatus     = 15

	statusCode  = 3
	statusError = 2

	keyValueKey   = 1
	keyValueValue = 2

	valueString = 1
	valueBool   = 2
	valueInt    = 3
)

// encode returns the spans of one program as an ExportTraceServiceRequest.
func encode(spans []sdk.ReadOnlySpan) []byte {
	var of, scope, all []byte
	for _, a := range spans[0].Resource().Attributes() {
		of = appendMessage(of, resourceAttributes, keyValue(a))
	}
	scope = appendText(scope, scopeName, spans[0].InstrumentationScope().Name)
	scope = appendText(scope, scopeVersion, spans[0].InstrumentationScope().Version)
	all = appendMessage(all, scopeSpansScope, scope)
	for _, s := range spans {
		all = appendMessage(all, scopeSpansSpans, encodeSpan(s))
	}
	var out []byte
	out = appendMessage(out, resourceSpansResource, of)
	out = appendMessage(out, resourceSpansScope, all)
	return appendMessage(nil, requestResourceSpans, out)
}

func encodeSpan(s sdk.ReadOnlySpan) (b []byte) {
	of, id, parent := s.SpanContext().TraceID(), s.SpanContext().SpanID(), s.Parent().SpanID()
	b = appendMessage(b, spanTraceID, of[:])
	b = appendMessage(b, spanSpanID, id[:])
	if parent.IsValid() {
		b = appendMessage(b, spanParent, parent[:])
	}
	b = appendText(b, spanName, s.Name())
	b = appendNumber(b, spanKind, uint64(s.SpanKind())) //nolint:gosec // the numbers of both are the same
	b = appendFixed(b, spanStart, s.StartTime().UnixNano())
	b = appendFixed(b, spanEnd, s.EndTime().UnixNano())
	for _, a := range s.Attributes() {
		b = appendMessage(b, spanAttributes, keyValue(a))
	}
	if s.Status().Code == codes.Error {
		b = appendMessage(b, spanStatus, appendNumber(nil, statusCode, statusError))
	}
	return b
}

func keyValue(a attribute.KeyValue) []byte {
	var value []byte
	switch a.Value.Type() {
	case attribute.BOOL:
		value = appendNumber(nil, valueBool, protowire.EncodeBool(a.Value.AsBool()))
	case attribute.INT64:
		value = appendNumber(nil, valueInt, uint64(a.Value.AsInt64())) //nolint:gosec // as protobuf encodes an int64
	default:
		value = appendText(nil, valueString, a.Value.String())
	}
	return appendMessage(appendText(nil, keyValueKey, string(a.Key)), keyValueValue, value)
}

func appendMessage(b []byte, field protowire.Number, m []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), m)
}

func appendText(b []byte, field protowire.Number, text string) []byte {
	return protowire.AppendString(protowire.AppendTag(b, field, protowire.BytesType), text)
}

func appendNumber(b []byte, field protowire.Number, n uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), n)
}

func appendFixed(b []byte, field protowire.Number, n int64) []byte {
	b = protowire.AppendTag(b, field, protowire.Fixed64Type)
	return protowire.AppendFixed64(b, uint64(n)) //nolint:gosec // after 1970
}

// withoutURL returns what went wrong without the address, which may hold a token.
func withoutURL(err error) error {
	if of, ok := errors.AsType[*url.Error](err); ok {
		return of.Err
	}
	return err
}
