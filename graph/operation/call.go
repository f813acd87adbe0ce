package operation

import (
	"context"
	"net/netip"
	"time"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/idempotency"
	"github.com/florinpay/florin/internal/secret"
)

// Call describes the request behind an operation, and carries what the operation
// returns to the surface beside its result.
type Call struct {
	RequestID string
	// Client is the caller's IP address, for limits. It is empty for a program
	// on the same machine, which is the operator's own.
	Client string
	// Near is the caller's neighbourhood, an IPv6 /48 or an IPv4 /24; empty: not known.
	Near string
	// Source is the caller's own address, which an API key's networks are compared
	// with. Unlike Client it is set for a program on the same machine, too.
	Source    netip.Addr
	UserAgent string
	// Bearer is the token of the Authorization header; may be empty.
	Bearer secret.Text
	// Key is the API key that came in a header, or in the body of an operation that
	// the txnid authorizes; may be empty.
	Key secret.Text
	// IdempotencyKey is the header's value, checked; empty without one.
	IdempotencyKey string

	// RetryAfter is set if the same request may succeed after that time.
	RetryAfter time.Duration
	// Replayed is set if the answer is the stored one of an earlier request.
	Replayed bool
}

type callKey struct{}

// WithCall returns a context that carries the call.
func WithCall(ctx context.Context, c *Call) context.Context {
	return context.WithValue(ctx, callKey{}, c)
}

// CallOf returns the call the context carries, or an empty one.
func CallOf(ctx context.Context) *Call {
	if c, ok := ctx.Value(callKey{}).(*Call); ok {
		return c
	}
	return &Call{}
}

// ParseIdempotencyKey reads the header, quoted (a String of RFC 8941) or bare.
// An empty header is no key.
func ParseIdempotencyKey(header string) (string, error) {
	key := header
	if n := len(key); n >= 2 && key[0] == '"' && key[n-1] == '"' {
		key = key[1 : n-1]
		if key == "" {
			return "", badIdempotencyKey
		}
	}
	if len(key) > idempotency.MaxKey {
		return "", badIdempotencyKey
	}
	for i := range len(key) {
		if key[i] < ' ' || key[i] > '~' || key[i] == '"' || key[i] == '\\' {
			return "", badIdempotencyKey
		}
	}
	return key, nil
}

var badIdempotencyKey = fault.New(fault.Invalid,
	"Idempotency-Key must be 1 to %d printable ASCII characters without quotes and backslashes inside", idempotency.MaxKey)
