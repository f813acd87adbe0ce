package trace

import (
	"context"
	"log/slog"
	"strings"
)

// Handler returns the handler with trace_id in every line that is about a payment: those of a request that changed one,
// and those that name its txnid or one of its events.
func (t *Tracer) Handler(h slog.Handler) slog.Handler {
	if t == nil {
		return h
	}
	return handler{h}
}

type handler struct{ slog.Handler }

// Handle adds the trace id.
func (h handler) Handle(ctx context.Context, r slog.Record) error {
	txnid := txnidOf(ctx)
	if txnid == "" {
		r.Attrs(func(a slog.Attr) bool {
			txnid = named(a)
			return txnid == ""
		})
	}
	if id, ok := IDOf(txnid); ok {
		r = r.Clone()
		r.AddAttrs(slog.String("trace_id", id.String()))
	}
	return h.Handler.Handle(ctx, r) //nolint:wrapcheck // it passes through
}

// named returns the txnid that an attribute names.
func named(a slog.Attr) string {
	switch a.Key {
	case "txnid", "payment":
		return strings.Trim(a.Value.String(), `"`)
	case "event":
		return ofEvent(a.Value.String())
	}
	return ""
}

// WithAttrs returns the handler with attributes.
func (h handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return handler{h.Handler.WithAttrs(attrs)}
}

// WithGroup returns the handler with a group.
func (h handler) WithGroup(name string) slog.Handler { return handler{h.Handler.WithGroup(name)} }
