package trace

import (
	"context"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"
)

// call is a request of which it is not yet known what payment it is about.
type call struct {
	mu    sync.Mutex
	txnid string
	span  trace.SpanID
	root  bool
}

type callKey struct{}

// Enter prepares the context of a request for Answered.
func (t *Tracer) Enter(ctx context.Context) context.Context {
	if t == nil {
		return ctx
	}
	return context.WithValue(ctx, callKey{}, new(call))
}

// about notes that the request of ctx has changed the payment, if it is the first, and returns the parent of what it
// did: its own span, or the root of the trace when there is no request.
func about(ctx context.Context, txnid string, created bool) trace.SpanID {
	c, ok := ctx.Value(callKey{}).(*call)
	if !ok {
		return rootOf(txnid)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.txnid == "" {
		c.txnid, c.span, c.root = txnid, newSpanID(), created
		if created {
			c.span = rootOf(txnid)
		}
	}
	if c.txnid != txnid {
		return rootOf(txnid)
	}
	return c.span
}

// txnidOf returns the payment that the request of ctx has changed; empty: none.
func txnidOf(ctx context.Context) string {
	c, ok := ctx.Value(callKey{}).(*call)
	if !ok {
		return ""
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.txnid
}

// Request describes an answered request. It has no address of the client and no argument.
type Request struct {
	ID, Method, Route string
	Status            int
	Began             time.Time
	Took              time.Duration
}

// serverError is the first status that is a fault of the server.
const serverError = 500

// Answered exports the request of ctx if it has changed a payment: those that read are many, and change nothing.
func (t *Tracer) Answered(ctx context.Context, r Request) {
	txnid := txnidOf(ctx)
	if t == nil || txnid == "" {
		return
	}
	c, _ := ctx.Value(callKey{}).(*call)
	s := span{
		txnid: txnid, id: c.span, name: r.Method + " " + r.Route, kind: trace.SpanKindServer,
		began: r.Began, ended: r.Began.Add(r.Took), failed: r.Status >= serverError,
		attributes: []attribute.KeyValue{
			attribute.String("http.request.method", r.Method), attribute.String("http.route", r.Route),
			attribute.Int("http.response.status_code", r.Status), attribute.String("florin.request_id", r.ID),
		},
	}
	if !c.root {
		s.parent = rootOf(txnid)
	}
	t.record(s)
}
