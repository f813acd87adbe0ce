package solana

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// Error codes of Solana's JSON-RPC (agave, rpc-client-api custom_error).
const (
	codeCleanedUp       = -32001 // older than what the node keeps
	codeNotAvailable    = -32004 // no such block yet
	codeUnhealthy       = -32005 // the node is behind the cluster
	codeSkipped         = -32007 // the slot has no block
	codeNoHistory       = -32011
	codeLongTermSkipped = -32009
	codeStatusNotYet    = -32014
	codeMinContext      = -32016 // the node has not reached the requested slot
	codeTooManyRequests = 429
)

// rpcError is the error object of a JSON-RPC answer.
type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *rpcError) Error() string { return fmt.Sprintf("error %d: %s", e.Code, e.Message) }

// code returns the code of the error object in err, 0 if there is none.
func code(err error) int {
	if e, ok := errors.AsType[*rpcError](err); ok {
		return e.Code
	}
	return 0
}

// Failures of an endpoint that the pool and the scan treat differently.
var (
	// errLagging: the endpoint does not have yet what others have.
	errLagging = errors.New("lags behind")
	// errLacking: the endpoint does not have the requested item, and may be right. Another one is tried, and
	// this one stays healthy.
	errLacking = errors.New("does not have it")
)

func lagging(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{errLagging}, args...)...)
}

// errMalformed: an answer contradicts itself or the protocol.
var errMalformed = errors.New("malformed answer")

func malformed(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{errMalformed}, args...)...)
}

// rateLimited: the endpoint refused the request because of its rate limit.
type rateLimited struct{ after time.Duration }

func (rateLimited) Error() string { return "too many requests" }

// Bounds of a Retry-After.
const (
	defaultRetryAfter = 2 * time.Second
	maxRetryAfter     = 5 * time.Minute
)

// retryAfter reads the header (RFC 9110 section 10.2.3) in its form of seconds, the only one that providers
// of Solana send.
func retryAfter(h http.Header) time.Duration {
	seconds, err := strconv.Atoi(h.Get("Retry-After"))
	if err != nil {
		return defaultRetryAfter
	}
	return time.Duration(min(max(seconds, 1), int(maxRetryAfter/time.Second))) * time.Second
}

// classify maps the code of an error object to the failure it means.
func classify(e *rpcError) error {
	switch e.Code {
	case codeTooManyRequests:
		return rateLimited{defaultRetryAfter}
	case codeUnhealthy, codeMinContext, codeStatusNotYet:
		return fmt.Errorf("%w: %w", errLagging, e)
	}
	return e
}

// gaveUp reports whether the caller's context has ended.
func gaveUp(ctx context.Context) bool { return ctx.Err() != nil }
