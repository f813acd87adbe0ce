package trace

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"

	"github.com/oklog/ulid/v2"
	"go.opentelemetry.io/otel/trace"
)

// IDOf returns the trace id of a payment. ok is false if the text is no txnid.
func IDOf(txnid string) (id trace.TraceID, ok bool) {
	u, err := ulid.ParseStrict(txnid)
	return trace.TraceID(u), err == nil && trace.TraceID(u).IsValid()
}

// rootOf returns the span that a payment begins with: the call that created it. Every other span of its trace finds its
// parent so, whoever writes it, and whenever.
func rootOf(txnid string) (id trace.SpanID) {
	sum := sha256.Sum256([]byte(txnid))
	copy(id[:], sum[:])
	return id
}

// newSpanID returns a random id. It need not be secret.
func newSpanID() (id trace.SpanID) {
	binary.BigEndian.PutUint64(id[:], rand.Uint64()|1) //nolint:gosec // a name, not a secret; never zero
	return id
}

type idsKey struct{}

type ids struct {
	trace trace.TraceID
	span  trace.SpanID
}

func withIDs(ctx context.Context, t trace.TraceID, s trace.SpanID) context.Context {
	if !s.IsValid() {
		s = newSpanID()
	}
	return context.WithValue(ctx, idsKey{}, ids{t, s})
}

// chosenIDs gives a span the ids that its context has (withIDs).
type chosenIDs struct{}

// NewIDs returns the ids of a span without a parent.
func (chosenIDs) NewIDs(ctx context.Context) (trace.TraceID, trace.SpanID) {
	of, _ := ctx.Value(idsKey{}).(ids) // record is the only caller
	return of.trace, of.span
}

// NewSpanID returns the id of a span with a parent.
func (chosenIDs) NewSpanID(ctx context.Context, _ trace.TraceID) trace.SpanID {
	of, _ := ctx.Value(idsKey{}).(ids)
	return of.span
}
